"""What is in force for a file: the values of all options, and where each was set."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from looplint.dataclass import dataclass
from looplint.finding import Severity
from looplint.sources.patterns import Pattern, matches

if TYPE_CHECKING:
    from looplint.knowledge.own import Tables

EXCLUDED = (
    ".eggs", ".env", ".git", ".hg", ".ipynb_checkpoints", ".looplint_cache", ".mypy_cache", ".nox", ".pytest_cache", ".ruff_cache", ".svn", ".tox", ".venv",
    "__pycache__", "build", "dist", "node_modules", "site-packages", "venv",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value was set: a configuration file and its line, or the command line."""

    place: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.place}:{self.line}" if self.line else self.place


@dataclass(frozen=True, slots=True)
class Settings:
    """The values of all options for the files of one folder. Plain, hashable values that cross processes; see `looplint.settings.options` for their meaning."""

    select: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[Pattern, tuple[str, ...]], ...] = ()
    exclude: tuple[Pattern, ...] = tuple(("", name) for name in EXCLUDED)
    extend_exclude: tuple[Pattern, ...] = ()
    force_exclude: bool = False
    fixable: tuple[str, ...] = ("ALL",)
    unfixable: tuple[str, ...] = ()
    extend_safe_fixes: tuple[str, ...] = ()
    extend_unsafe_fixes: tuple[str, ...] = ()
    severity: tuple[tuple[str, Severity], ...] = ()
    min_severity: Severity = "advice"
    exit_on: Severity = "warning"
    extension: tuple[tuple[str, str], ...] = ()
    output_format: str = "text"
    target_torch: str | None = None
    rules: tuple[str, ...] = ()
    knowledge: Tables = ()
    baseline: str | None = None
    cache_dir: str | None = None
    # The nearest configuration file, and where each value that is not a default was set: option name -> places.
    file: Path | None = None
    # The folders of `rules` that are not executed, and why they are not, where the user did not leave them out.
    unexecuted: tuple[str, ...] = ()
    refusal: str = ""
    origins: tuple[tuple[str, tuple[Origin, ...]], ...] = ()

    def ignored_in(self, path: Path) -> tuple[str, ...]:
        """The words of `per-file-ignores` that hold for a file."""
        return tuple(word for pattern, words in self.per_file_ignores if matches((pattern,), path) for word in words)

    def excludes(self, path: Path, *, folder: bool = False) -> bool:
        """Whether a file or folder is not to be linted."""
        return matches(self.exclude, path, folder=folder) or matches(self.extend_exclude, path, folder=folder)

    def origin(self, option: str) -> tuple[Origin, ...]:
        """Where an option's value was set; nothing for a default."""
        return dict(self.origins).get(option, ())
