"""How each file of a run is judged: by its own settings, each of which is checked once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from looplint.dataclass import dataclass, replace
from looplint.finding import Finding, Location, Problem, reaches, written_place
from looplint.knowledge.own import Tables
from looplint.linting.catalogue import Entry, index
from looplint.linting.selectors import check_words, choose, closeness, names_alone, selects
from looplint.linting.suppression import without_effect
from looplint.linting.unused import CODE as UNUSED
from looplint.linting.unused import unused
from looplint.settings.configuration import Configurations
from looplint.settings.values import Settings
from looplint.sources.languages import Language, language_of
from looplint.sources.reading import Source, shown_as

if TYPE_CHECKING:
    from looplint.linting.catalogue import Rule


@dataclass(frozen=True)
class Selection:
    """What decides how a file is judged: the words that select rules, and what a project tells of itself. It crosses processes, rules do not."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    rule_folders: tuple[str, ...] = ()
    # Those of them whose rules are known by name, but not executed.
    unexecuted: tuple[str, ...] = ()
    knowledge: Tables = ()
    target_torch: str | None = None

    @classmethod
    def of(cls, settings: Settings) -> Selection:
        """The part of settings that decides what is found in a file."""
        return cls(
            settings.select,
            settings.ignore,
            settings.extend_select,
            settings.rules,
            settings.unexecuted,
            settings.knowledge,
            settings.target_torch,
        )

    def rules(self) -> list[Rule]:
        """The rules to ask, loaded.

        Raises:
            UserError: a word that selects nothing, or a file that is no rule.
        """
        from looplint.linting.catalogue import load_all

        chosen = self._chosen(index(self.rule_folders))
        entries = {entry.path for entry in chosen}
        # Whether a comment silences anything is known when all rules have run.
        everything = any(entry.code == UNUSED for entry in chosen)
        folders = [folder for folder in self.rule_folders if folder not in self.unexecuted]
        rules = load_all(folders, None if everything else entries)
        return rules if everything else [rule for rule in rules if rule.path in entries]

    def codes(self) -> frozenset[str]:
        """Their codes, without loading them."""
        return frozenset(entry.code for entry in self._chosen(index(self.rule_folders)) if not self.leaves(entry))

    def leaves(self, entry: Entry) -> bool:
        """Whether a rule is known, but not executed."""
        return str(entry.path.parent) in self.unexecuted

    def _chosen(self, entries: list[Entry]) -> list[Entry]:
        return choose(entries, select=self.select, ignore=self.ignore, extend_select=self.extend_select)


class Selections:
    """The selections of one run: which rules judge each file, and what is reported, by the settings of its folder."""

    def __init__(self, paths: Iterable[str] = (), selection: Selection | None = None, configurations: Configurations | None = None) -> None:
        """Prepare a run.

        Args:
            paths: what the user named, and thus wants to be looked at even where it is excluded.
            selection: how files without a configuration are judged; by the default rules where it is not given.
            configurations: finds the settings of each file; no configuration file is read where it is not given.
        """
        self.configurations = configurations or Configurations(isolated=True)
        self.named = frozenset(map(shown_as, paths))
        self.folders = tuple(Path(os.path.abspath(name)) for name in sorted(self.named) if os.path.isdir(name))
        self._default = selection or Selection()
        self._selections: dict[Settings, Selection] = {}
        self._codes: dict[Selection, frozenset[str]] = {}
        self._refused: dict[str, Settings] = {}

    def language_of(self, path: Path) -> Language | None:
        """What a file holds by the settings of its folder and its name; standard input is Python unless it was given a name."""
        if str(path) == "-":
            path = Path(shown_as("-"))
        return language_of(path, self.configurations.of_folder(path.parent).extension)

    def of_source(self, source: Source | None) -> Selection:
        """How a source is judged; None for what stands in the current folder.

        Raises:
            UserError: a word of its settings names no rule.
        """
        place = source.place_of_imports if source is not None else None
        return self._selection(self.configurations.of_folder(place.parent if place else Path.cwd()))

    @property
    def refused(self) -> list[Problem]:
        """What the configurations that were met ask for and are not trusted with: their own rules."""
        places = ((settings.origin("rules")[-1], settings.refusal) for settings in self._refused.values())
        return [Problem(place.place, why, Location(max(place.line, 1), 1)) for place, why in places]

    @property
    def refused_folders(self) -> tuple[str, ...]:
        """The folders of these rules."""
        return tuple(sorted({folder for settings in self._refused.values() for folder in settings.unexecuted}))

    def unused(self, sources: Iterable[Source], found: Sequence[Finding]) -> Iterator[Finding]:
        """The comments that silence nothing, in the sources whose settings ask for them.

        Args:
            sources: the files of the run.
            found: what all rules found in them, silenced or not.
        """
        for source in sources:
            selection = self.of_source(source)
            if UNUSED in self._codes[selection]:
                entries = index(selection.rule_folders)
                known = [(entry.code, entry.name) for entry in entries]
                unasked = [(entry.code, entry.name) for entry in entries if selection.leaves(entry)]
                reports = unused(source.display, source.text, [f for f in found if source.display in f.files], known, unasked)
                # A program in a document is a part of the file only, so nothing is written to it.
                yield from (f.with_fix(None) for f in reports) if source.language == "markdown" else reports

    def without_effect(self, sources: Iterable[Source]) -> Iterator[str]:
        """Remarks on comments that are meant to silence something, and do not: the place, and why."""
        for source in sources:
            if b"looplint" in source.code.lower():
                known = [(entry.code, entry.name) for entry in index(self.of_source(source).rule_folders)]
                for row, column, why in without_effect(source.text, known):
                    cell, location = source.place(Location(row, column))
                    yield f"{written_place(source.display, location, cell)}: {why}"

    def may_hold_unused(self, source: Source) -> bool:
        """Whether a file has to be read for its comments alone."""
        return any(m in source.code for m in (b"noqa", b"NOQA", b"looplint:")) and UNUSED in self._codes[self.of_source(source)]

    def shown(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """The findings that the settings of their files want, with repairs as those settings trust them and the severity that they give."""
        for finding in findings:
            path = Path(finding.filename)
            settings = self.configurations.of_file(path)
            if self._wants(finding, path, settings):
                yield self._weighed(_trusted(finding, settings), settings)

    def reported(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """Those of some findings that matter as much as the settings of their files ask."""
        return (finding for finding in findings if self.reports(finding))

    def reports(self, finding: Finding) -> bool:
        """Whether a finding matters as much as the settings of its file ask."""
        return reaches(finding.severity, self.configurations.of_file(Path(finding.filename)).min_severity)

    def _weighed(self, finding: Finding, settings: Settings) -> Finding:
        """A finding with the severity that the settings give its rule, where they do."""
        word = max(
            (word for word, _ in settings.severity if selects(word, finding)), key=lambda word: closeness(finding, (word,)), default=None
        )
        severity = dict(settings.severity)[word] if word is not None else finding.severity
        selection = self._selection(settings)
        by_name = any(names_alone(word, finding) for word in (*selection.select, *selection.extend_select))
        if severity == finding.severity and by_name == finding.selected_by_name:
            return finding
        return replace(finding, severity=severity, selected_by_name=by_name)

    def _wants(self, finding: Finding, path: Path, settings: Settings) -> bool:
        """A finding may stand in a file that was reached from one with other settings."""
        if any(selects(word, finding) for word in settings.ignored_in(path)):
            return False
        if settings.excludes(path) and (settings.force_exclude or finding.filename not in self.named):
            return False
        selection = self._selection(settings)
        return finding.code in self._codes[selection]

    def _selection(self, settings: Settings) -> Selection:
        if settings not in self._selections:
            selection = self._default if settings == Settings() else Selection.of(settings)
            if settings.origins:
                check_words(settings, index(selection.rule_folders))
            self._selections[settings] = selection
            self._codes[selection] = selection.codes()
            if settings.refusal:
                self._refused.setdefault(str(settings.origin("rules")[-1]), settings)
        return self._selections[settings]


def _trusted(finding: Finding, settings: Settings) -> Finding:
    """A finding with its repair as the settings trust it, or without."""
    if finding.fix is None:
        return finding
    if closeness(finding, settings.fixable) <= closeness(finding, settings.unfixable):
        return finding.with_fix(None)
    safe, unsafe = closeness(finding, settings.extend_safe_fixes), closeness(finding, settings.extend_unsafe_fixes)
    if finding.fix.applicability == "display-only" or safe == unsafe:
        return finding
    return finding.with_fix(replace(finding.fix, applicability="safe" if safe > unsafe else "unsafe"))
