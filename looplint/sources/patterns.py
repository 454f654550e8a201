"""Patterns of files as in a .gitignore, each with the folder it is relative to."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

# (folder, pattern); an empty folder means that the pattern is a bare name that is compared with the last part of a path alone.
Pattern = tuple[str, str]
_SPECIAL = frozenset("*?[]!/\\# ")


def matches(patterns: tuple[Pattern, ...], path: Path, *, folder: bool = False) -> bool:
    """Whether a file or folder is meant by any of the patterns, or stands in a folder that is.

    Args:
        patterns: what a configuration states.
        path: an absolute path, or one relative to the current folder.
        folder: whether the path is that of a folder.
    """
    if not patterns:
        return False
    names, specs = _compiled(patterns)
    if path.name in names.get("", ()):
        return True
    if not specs and not any(names):
        return False
    absolute = _real(path.parent.absolute()) / path.name
    for base, bare in names.items():
        if base and not bare.isdisjoint(_below(absolute, base)):
            return True
    for base, spec in specs:
        parts = _below(absolute, base)
        if parts and spec.match_file("/".join(parts) + ("/" if folder else "")):
            return True
    return False


@lru_cache(maxsize=4096)
def _real(folder: Path) -> Path:
    return folder.resolve()


def _below(path: Path, base: str) -> tuple[str, ...]:
    """The parts of a path below a folder, or none where it is not below it."""
    try:
        return path.relative_to(base).parts
    except ValueError:
        return ()


@lru_cache(maxsize=256)
def _compiled(patterns: tuple[Pattern, ...]) -> tuple[dict[str, frozenset[str]], list[tuple[str, GitIgnoreSpec]]]:
    """Bare names as sets, which is what nearly all patterns are, and the rest as gitignore rules, for which pathspec is imported."""
    names: dict[str, set[str]] = {}
    rest: dict[str, list[str]] = {}
    negated = {base for base, pattern in patterns if pattern.startswith("!")}
    for base, pattern in patterns:
        if base in negated or not _SPECIAL.isdisjoint(pattern):
            rest.setdefault(base, []).append(pattern)
        else:
            names.setdefault(base, set()).add(pattern)
    specs: list[tuple[str, GitIgnoreSpec]] = []
    if rest:
        from pathspec import GitIgnoreSpec

        specs = [(base, GitIgnoreSpec.from_lines(lines)) for base, lines in rest.items()]
    return {base: frozenset(words) for base, words in names.items()}, specs
