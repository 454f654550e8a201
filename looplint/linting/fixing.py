"""Applying repairs: round after round, each proved on the text it leads to, until nothing is left that can be repaired."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from looplint.dataclass import dataclass, field, replace
from looplint.finding import Edit, Finding, Fix, Location
from looplint.linting.edits import apply_edits, diff, lines_of
from looplint.linting.files import Gathered, LintResult, Progress, coverage_of, findings_of, gather, judge_all, run
from looplint.linting.results import FileResult
from looplint.linting.selection import Selection, Selections
from looplint.linting.unused import CODE as UNUSED
from looplint.sources.cells import in_cells
from looplint.sources.reading import Source, display_name, read_source, with_text

if TYPE_CHECKING:
    from looplint.linting.cache import Cache
    from looplint.settings.configuration import Configurations

# Each round applies what does not touch each other; a file that still changes after so many is left as it is then.
_MOST_ROUNDS = 10
Answer = Literal["yes", "no", "all", "quit"]
# A finding's rule, file and place.
_Place = tuple[str, str, Location]
# Asked of each repair that holds, with the diff of what it changes.
Ask = Callable[[Finding, str], Answer]


@dataclass(frozen=True, slots=True)
class Applied:
    """A repair that was made: which, where the finding stood when it was made, and what was done."""

    code: str
    name: str
    filename: str
    location: Location
    message: str
    cell: int | None = None


@dataclass(frozen=True, slots=True)
class FixResult:
    """What repairing gave: the files with their new text, the repairs made, and what is left.

    `stdin` is standard input as it is now, changed or not. `linted` holds the findings that remain; those that could have been repaired and were not say why.
    `found` are the findings from before any repair.
    """

    changed: tuple[tuple[Source, Source], ...]
    stdin: Source | None
    applied: tuple[Applied, ...]
    linted: LintResult
    found: tuple[Finding, ...]

    def left(self, unwritten: Container[str]) -> tuple[Finding, ...]:
        """What there is to be found where some of the changed files could not be written: in those, what was there before."""
        findings = [f for f in self.linted.findings if f.filename not in unwritten]
        findings += [f for f in self.found if f.filename in unwritten]
        return tuple(sorted(findings, key=lambda f: f.sort_key))


def fix_paths(
    paths: Sequence[str],
    selection: Selection | None = None,
    *,
    configurations: Configurations | None = None,
    cache: Cache | None = None,
    unsafe: bool = False,
    jobs: int | None = None,
    progress: Progress | None = None,
    ask: Ask | None = None,
) -> FixResult:
    """Lint files and folders and repair what can be repaired, in memory: nothing is written.

    Args:
        paths: what the user named; "-" is standard input.
        selection: which rules to ask, and thus what to repair, in files without settings of their own.
        configurations: finds the settings of each file; no configuration file is read where it is not given.
        cache: what earlier runs found; everything is analysed where it is not given.
        unsafe: whether unsafe repairs are made too.
        jobs: how many processes lint.
        progress: called with the number of files linted and of all.
        ask: says of each repair whether it is made; all are where it is not given.

    Raises:
        UserError: a configuration is wrong, or names a rule that does not exist.
    """
    selections = Selections(paths, selection, configurations)
    return fix_gathered(gather(paths, selections), selections, cache=cache, unsafe=unsafe, jobs=jobs, progress=progress, ask=ask)


def fix_gathered(
    gathered: Gathered,
    selections: Selections,
    *,
    cache: Cache | None = None,
    unsafe: bool = False,
    jobs: int | None = None,
    progress: Progress | None = None,
    ask: Ask | None = None,
) -> FixResult:
    """Repair what was gathered, with the selections it was gathered with; the rest is as for `fix_paths`."""
    results = run(gathered.sources, selections, jobs, progress, cache)
    session = Session(list(gathered.sources), results, selections, unsafe, gathered.files, jobs)
    found = tuple(in_cells(session.remaining(), session.current))
    if ask is None or session.ask_for_each(selections.reports, ask):
        session.work(selections.reports)
    problems = [*gathered.problems, *(p for r in session.results for p in r.problems)]
    findings = tuple(in_cells(session.remaining(), session.current))
    coverage = coverage_of(session.results, session.current)
    linted = LintResult(findings, tuple(dict.fromkeys(problems)), gathered.checked, coverage=coverage)
    stdin = next((s for s in session.current if s.path is None), None)
    return FixResult(tuple(session.changed()), stdin, tuple(session.applied), linted, found)


def withhold(
    selections: Selections, files: Sequence[Path], sources: Sequence[Source], results: Sequence[FileResult], jobs: int | None
) -> list[FileResult]:
    """What was found, without the safe repairs that would not be made because they do not hold: these findings say why."""
    session = Session(list(sources), list(results), selections, False, files, jobs)
    safe = [f for result in results for f in result.findings if f.fix is not None and f.fix.applicability == "safe"]
    fingerprints = {finding: session.fingerprint(finding) for finding in safe}
    session.work(selections.reports)

    def without(finding: Finding) -> Finding:
        reason = session.refused.get(fingerprints[finding]) if finding in fingerprints else None
        return replace(finding, fix=None, unrepaired=reason) if reason else finding

    return [replace(result, findings=tuple(map(without, result.findings))) for result in results]


class _Proof(NamedTuple):
    """Repairs that hold: the files and their results with these repairs made."""

    findings: Sequence[Finding]
    sources: list[Source]
    results: list[FileResult]


@dataclass(slots=True)
class Session:
    """The files of one run while they are repaired."""

    sources: list[Source]
    results: list[FileResult]
    selections: Selections
    unsafe: bool
    given: Sequence[Path]
    jobs: int | None = None
    applied: list[Applied] = field(default_factory=list)
    refused: dict[tuple[str, str, str], str] = field(default_factory=dict)
    # What the user does not want repaired: a finding by its line's text, and which of those it is.
    declined: set[tuple[tuple[str, str, str], int]] = field(default_factory=set)
    current: list[Source] = field(init=False)
    # The files that are changed for what is found from others: nothing is reported of them by themselves, before the repairs or after.
    unjudged: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.current = list(self.sources)

    def work(self, among: Callable[[Finding], bool] = lambda _: True) -> None:
        """Make all repairs that are wanted and hold, of the findings that are to be looked at."""
        for _ in range(_MOST_ROUNDS):
            chosen = self._choose(among)
            if not chosen:
                return
            if len(chosen) > 1 and self._try(chosen) is None:
                continue
            groups = _by_files(chosen)
            for group in groups:
                self._work_on(group, tried=len(groups) == 1)

    def _work_on(self, group: Sequence[Finding], *, tried: bool) -> None:
        """Make the repairs that reach into the same files: all, where they hold together and were not tried yet, or the first that holds by itself."""
        left = {_place(finding) for finding in self._findings(self.results)}
        if any(_place(finding) not in left for finding in group):
            return  # the repairs of other files have changed what is found here
        if len(group) > 1 and not tried and self._try(group) is None:
            return
        for finding in group:
            reason = self._try([finding])
            if reason is None:
                return  # the places of the others may have moved
            self.refused[self.fingerprint(finding)] = reason

    def ask_for_each(self, among: Callable[[Finding], bool], ask: Ask) -> bool:
        """Ask of each repair that holds whether it is made, and make it at once.

        Returns:
            Whether all that are left are to be made without being asked for.
        """
        while (offered := next(self._repairable(among), None)) is not None:
            finding, number = offered
            proof = self._prove([finding])
            if isinstance(proof, str):
                self.refused[self.fingerprint(finding)] = proof
                continue
            changes = "".join(diff(old, new) for old, new in zip(self.current, proof.sources, strict=True) if old.text != new.text)
            answer = ask(next(iter(in_cells([finding], self.current))), changes)
            if answer == "quit":
                return False
            if answer == "no":
                self.declined.add((self.fingerprint(finding), number))
                continue
            self._keep(proof)
            if answer == "all":
                return True
        return False

    def changed(self) -> Iterator[tuple[Source, Source]]:
        return ((old, new) for old, new in zip(self.sources, self.current, strict=True) if old.text != new.text)

    def remaining(self) -> Iterator[Finding]:
        for finding in self._findings(self.results):
            reason = self.refused.get(self.fingerprint(finding))
            yield replace(finding, fix=None, unrepaired=reason) if reason else finding

    def _findings(self, results: Sequence[FileResult]) -> list[Finding]:
        return findings_of(results, self.current, self.selections, self.given)

    def make(self, finding: Finding) -> str | None:
        """Make one repair, be it safe or not, or say why it does not hold."""
        if not all(self._may_change(e.filename) for e in (finding.fix.edits if finding.fix else ())):
            return "its place is in a file that is not among the files to repair"
        return self._try([finding])

    def _choose(self, among: Callable[[Finding], bool]) -> list[Finding]:
        """The repairs of this round: those of the run's own files that reach into no place another one reaches into."""
        taken: dict[str, list[tuple[Location, Location]]] = {}
        chosen = []
        for finding, _ in self._repairable(among):
            reach = _reach(finding)
            if any(a <= end and start <= b for name, start, end in reach for a, b in taken.get(name, ())):
                continue
            for name, start, end in reach:
                taken.setdefault(name, []).append((start, end))
            chosen.append(finding)
        return chosen

    def _repairable(self, among: Callable[[Finding], bool]) -> Iterator[tuple[Finding, int]]:
        """What can be repaired and is to be, each with how many findings like it stand before it."""
        seen: Counter[tuple[str, str, str]] = Counter()
        for finding in self._findings(self.results):
            fingerprint = self.fingerprint(finding)
            number = seen[fingerprint]
            seen[fingerprint] += 1
            if finding.fix is None or not among(finding) or not self._wanted(finding.fix):
                continue
            if fingerprint in self.refused or (fingerprint, number) in self.declined:
                continue
            if not all(self._may_change(e.filename) for e in finding.fix.edits):
                self.refused[fingerprint] = "its place is in a file that is not among the files to repair"
                continue
            yield finding, number

    def _may_change(self, filename: str) -> bool:
        """Whether a file was given to be repaired; one with nothing to analyse in it comes in here."""
        if any(s.display == filename for s in self.current):
            return True
        path = next((p for p in self.given if display_name(p) == filename), None)
        if path is None:
            return False
        source = read_source(path)
        self.unjudged.add(source.display)
        self.sources.append(source)
        self.current.append(source)
        self.results.append(FileResult((), (), frozenset()))
        return True

    def _wanted(self, fix: Fix) -> bool:
        return fix.applicability == "safe" or (self.unsafe and fix.applicability == "unsafe")

    def _try(self, findings: Sequence[Finding]) -> str | None:
        """Apply repairs and keep them if they hold.

        Returns:
            None, or the reason why nothing was changed.
        """
        proof = self._prove(findings)
        if isinstance(proof, str):
            return proof
        self._keep(proof)
        return None

    def _keep(self, proof: _Proof) -> None:
        placed = in_cells(proof.findings, self.current)
        self.applied += [Applied(f.code, f.name, f.filename, f.location, f.fix.message, f.cell) for f in placed if f.fix]
        self.current, self.results = proof.sources, proof.results

    def _prove(self, findings: Sequence[Finding]) -> _Proof | str:
        """Whether repairs hold: the text parses, the findings are gone, and no rule reports anything new; or the reason why they do not."""
        edits: dict[str, list[Edit]] = {}
        for finding in findings:
            for edit in finding.fix.edits if finding.fix else ():
                edits.setdefault(edit.filename, []).append(edit)
        try:
            after = [with_text(s, apply_edits(s.text, edits[s.display])) if s.display in edits else s for s in self.current]
        except ValueError as error:
            return str(error)
        again = [n for n, result in enumerate(self.results) if self.current[n].display in edits or _reads(result, edits)]
        repaired_places = set(map(_place, findings))
        found_in = [next((n for n in again if place in map(_place, self.results[n].findings)), again[0]) for place in repaired_places]
        results = list(self.results)
        # One source in which each was found comes first: where it is found there still, the others need not be judged.
        for numbers in (sorted(set(found_in)), [n for n in again if n not in found_in]):
            refusal = self._judge_again(numbers, after, results, repaired_places)
            if refusal is not None:
                return refusal
        before, now = (
            Counter(f.code for f in self._findings(self.results)),
            Counter(f.code for f in findings_of(results, after, self.selections, self.given)),
        )
        repaired = Counter(f.code for f in findings)
        # A repair may cure what a comment silenced; that the comment is left over is no harm of its doing.
        risen = sorted(code for code in now if now[code] > before[code] - repaired[code] and (code != UNUSED or repaired[code]))
        if any(now[code] > before[code] for code in risen):
            return f"the repair would bring {', '.join(code for code in risen if now[code] > before[code])}"
        if risen:
            return "the repair does not make the finding go away"
        return _Proof(findings, after, results)

    def _judge_again(
        self, numbers: Sequence[int], after: Sequence[Source], results: list[FileResult], repaired: Container[_Place]
    ) -> str | None:
        """Judge some sources as they are after repairs, into `results`; or the reason why the repairs do not hold in one of them."""
        overlay = {source.path: source for source in after if source.path is not None}
        work = [(after[n], self.selections.of_source(after[n])) for n in numbers]
        for number, result in zip(numbers, judge_all(work, self.jobs, overlay=overlay), strict=True):
            unjudged = after[number].display in self.unjudged
            results[number] = FileResult((), result.problems, frozenset()) if unjudged else result
            problems = set(result.problems) - set(self.results[number].problems)
            if problems:
                return f"the repaired file cannot be analysed: {min(p.message for p in problems)}"
            found = Counter(f.code for f in self.results[number].findings)
            cured = Counter(f.code for f in self.results[number].findings if _place(f) in repaired)
            if any(
                count > found[code] - cured[code]
                for code, count in Counter(f.code for f in results[number].findings).items()
                if cured[code]
            ):
                return "the repair does not make the finding go away"
        return None

    def fingerprint(self, finding: Finding) -> tuple[str, str, str]:
        """A finding by its line's text, which stays when other lines move."""
        source = next((s for s in self.current if s.display == finding.filename), None)
        lines = lines_of(source.text) if source else ()
        row = finding.location.row
        return finding.code, finding.filename, lines[row - 1].strip() if 0 < row <= len(lines) else str(row)


def _place(finding: Finding) -> _Place:
    return finding.code, finding.filename, finding.location


def _by_files(findings: Iterable[Finding]) -> list[list[Finding]]:
    """Findings in groups, so that the repairs of different groups reach into no file in common."""
    groups: list[tuple[set[str], list[Finding]]] = []
    for finding in findings:
        files = {e.filename for e in finding.fix.edits} if finding.fix else set()
        near = [group for group in groups if not files.isdisjoint(group[0])]
        groups = [group for group in groups if group not in near]
        groups.append((files.union(*(g[0] for g in near)), [*(f for g in near for f in g[1]), finding]))
    return [group for _, group in groups]


def _reach(finding: Finding) -> list[tuple[str, Location, Location]]:
    """Per file, the first and last place that a finding's repair touches; an import that is inserted touches nothing that another repair does."""
    edits = [e for e in finding.fix.edits if not _inserts_import(e)] if finding.fix else []
    files = dict.fromkeys(e.filename for e in edits)
    return [(n, min(e.location for e in edits if e.filename == n), max(e.end_location for e in edits if e.filename == n)) for n in files]


def _inserts_import(edit: Edit) -> bool:
    return edit.location == edit.end_location and edit.content.startswith(("import ", "from ")) and edit.content.count("\n") == 1


def _reads(result: FileResult, files: Iterable[str]) -> bool:
    """Whether a file's findings came out of one of the changed files."""
    names = set(files)
    return any(f.filename in names for f in result.findings) or any(place.partition("::")[0] in names for place in result.followed)
