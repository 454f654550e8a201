"""Analysing the open documents: only those are analysed again that have changed or depend on a change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from looplint.finding import Finding, Problem
from looplint.linting.cache import digest_of_rules, holds
from looplint.linting.files import findings_of, forget, judge, worth_analysing
from looplint.linting.results import FileResult
from looplint.linting.selection import Selection, Selections
from looplint.server.documents import Snapshot
from looplint.settings.configuration import Configurations
from looplint.sources.cells import in_cells
from looplint.sources.reading import Source, programs_of
from looplint.sources.reads import digest
from looplint.sources.regular import read_regular


@dataclass(frozen=True, slots=True)
class PlacedFinding:
    """A finding as the analysis reports it, and with its places in the editor's documents: of a notebook, in its cells."""

    raw: Finding
    placed: Finding


@dataclass(frozen=True, slots=True)
class Checked:
    """The open documents with their findings. `programs` and `results` correspond, one by one."""

    snapshot: Snapshot
    selections: Selections
    programs: tuple[Source, ...]
    results: tuple[FileResult, ...]
    findings: tuple[PlacedFinding, ...]
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class _Known:
    text: str
    selection: Selection
    # What the files of its own rules held.
    rules: str
    result: FileResult


class Checker:
    """Analyses snapshots one after the other, and keeps results as long as nothing changes on which they depend."""

    def __init__(
        self, overrides: Mapping[str, Any] | None = None, configuration: str | None = None, allow_rules: bool | None = None
    ) -> None:
        """Prepare the analysis.

        Args:
            overrides: the editor's settings by the names of options; they override the configuration files.
            configuration: the one configuration file to use; without it those that apply to each file.
            allow_rules: whether project rules are executed; without it those that the user trusts.
        """
        self._overrides = dict(overrides or {})
        self._configuration = configuration
        self._allow_rules = allow_rules
        self._known: dict[tuple[str, int], _Known] = {}

    def check(self, snapshot: Snapshot, outdated: Callable[[], bool] = lambda: False) -> Checked | None:
        """Analyse the open documents.

        Args:
            snapshot: what is open.
            outdated: called between two files; an outdated analysis is given up.

        Returns:
            The findings, or None where the analysis was given up.

        Raises:
            UserError: a configuration is wrong.
        """
        forget()
        configurations = Configurations(file=self._configuration, overrides=self._overrides, allow_rules=self._allow_rules, reaching=False)
        selections = Selections(configurations=configurations)
        selections.of_source(None)
        programs = [
            p
            for s in snapshot.sources
            if not _left_out(s, configurations)
            for p in programs_of(s)
            if worth_analysing(p, selections, named=True)
        ]
        results = []
        kept: dict[tuple[str, int], _Known] = {}
        read = _Contents(snapshot)
        for number, program in enumerate(programs):
            if outdated():
                return None
            key = (program.display, sum(p.display == program.display for p in programs[:number]))
            kept[key] = self._judged(self._known.get(key), program, selections.of_source(program), read)
            self._known[key] = kept[key]
            results.append(kept[key].result)
        self._known = kept
        shown = {p.display for p in programs}
        raw = list(
            selections.reported(findings_of(results, [*programs, *(s for s in snapshot.sources if s.display not in shown)], selections))
        )
        placed = in_cells(raw, programs)
        problems = [*snapshot.problems, *(p for s in programs for p in s.problems), *(p for r in results for p in r.problems)]
        findings = tuple(PlacedFinding(*pair) for pair in zip(raw, placed, strict=True))
        return Checked(snapshot, selections, tuple(programs), tuple(results), findings, tuple(dict.fromkeys(problems)))

    def _judged(self, known: _Known | None, program: Source, selection: Selection, read: _Contents) -> _Known:
        rules = read.rules(selection)
        if known is not None and (known.text, known.selection, known.rules) == (program.text, selection, rules):
            reads = known.result.reads
            if reads is not None and holds(reads, read.digest):
                return known
        return _Known(program.text, selection, rules, judge(program, selection, read.overlay))


class _Contents:
    """The contents of files: the editor's where they are open, else those on the disk."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.overlay = {s.path: s for s in snapshot.sources if s.path is not None}
        self._digests: dict[str, str | None] = {}
        self._rules: dict[tuple[tuple[str, ...], ...], str] = {}

    def rules(self, selection: Selection) -> str:
        """What the own rules of a selection are when they are asked for first, which is before they are loaded."""
        folders = selection.rule_folders, selection.unexecuted
        if folders not in self._rules:
            self._rules[folders] = digest_of_rules(*folders)
        return self._rules[folders]

    def digest(self, path: str) -> str | None:
        if path not in self._digests:
            self._digests[path] = self._read(Path(path))
        return self._digests[path]

    def _read(self, path: Path) -> str | None:
        source = self.overlay.get(path.resolve())
        if source is not None:
            return digest(source.raw)
        try:
            return digest(read_regular(path))
        except OSError:
            return None


def _left_out(source: Source, configurations: Configurations) -> bool:
    """Whether the settings leave a file out; that it is open in an editor does not change that."""
    return source.path is not None and configurations.of_file(source.path).excludes(source.path)
