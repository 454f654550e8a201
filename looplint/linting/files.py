"""Linting many files: find, read, filter, analyse, and put the results together."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from looplint.dataclass import dataclass, replace
from looplint.finding import SEVERITIES, Call, Finding, Fix, Problem, Severity, reaches
from looplint.linting.coverage import Coverage, FoundLoop, merged
from looplint.linting.launchers import launchers
from looplint.linting.results import FileResult
from looplint.linting.selection import Selection, Selections
from looplint.linting.shards import Shard, callers
from looplint.regex import regex
from looplint.sources import import_roots
from looplint.sources.cells import in_cells
from looplint.sources.discovery import discover
from looplint.sources.reading import Source, SourceError, could_contain_loop, programs_of, read_source, shown_as, text_of, texts_of

if TYPE_CHECKING:
    from looplint.linting.cache import Cache
    from looplint.linting.catalogue import Rule
    from looplint.settings.configuration import Configurations
    from looplint.syntax.project import Overlay

_FILES_WORTH_A_POOL = 12
_IMPORTS = regex(rb"^[ \t]*(?:from|import)[ \t]+(?!(?:os|sys|re|json|math|typing)\b)\.*\w", re.MULTILINE)
Progress = Callable[[int, int], None]
# Selections, all files, the sources judged, what was found in them, and how many processes may judge them; gives what is to be offered of it.
Prove = Callable[[Selections, Sequence[Path], Sequence[Source], Sequence[FileResult], int | None], list[FileResult]]


@dataclass(frozen=True)
class LintResult:
    """What a run gave: findings and problems in a stable order, how many files were looked at, and what else its reader should know."""

    findings: tuple[Finding, ...]
    problems: tuple[Problem, ...]
    checked: int
    remarks: tuple[str, ...] = ()
    coverage: Coverage = Coverage()
    # The least severity that makes a run fail.
    exit_on: Severity = "warning"
    # What is wrong with the files themselves, and keeps nothing from being linted.
    warnings: tuple[str, ...] = ()

    def fails(self, finding: Finding) -> bool:
        """Whether a finding makes the run fail: by its severity, or as its rule was selected by its own code or name."""
        return finding.selected_by_name or reaches(finding.severity, self.exit_on)

    @property
    def failed(self) -> bool:
        return any(map(self.fails, self.findings))

    @property
    def advice(self) -> list[Finding]:
        """Findings that are reported in one line for each cause: advice that does not make the run fail."""
        return [f for f in self.findings if f.severity == "advice" and not self.fails(f)]


def lint_paths(
    paths: Sequence[str],
    selection: Selection | None = None,
    *,
    configurations: Configurations | None = None,
    cache: Cache | None = None,
    shard: Shard | None = None,
    prove: Prove | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> LintResult:
    """Lint files and folders.

    Args:
        paths: what the user named; "-" is standard input.
        selection: which rules to ask, of files without settings of their own; the default rules where it is not given.
        configurations: finds the settings of each file; no configuration file is read where it is not given.
        cache: what earlier runs found; everything is analysed where it is not given.
        shard: the part of the files to lint; all where it is not given.
        prove: takes out of what was found the repairs that are not to be offered, as `looplint.linting.fixing.withhold` does.
        jobs: how many processes; chosen by the number of files where it is None.
        progress: called with the number of files done and of all.

    Returns:
        All findings that no comment and no setting silences, and everything that could not be read.

    Raises:
        UserError: a configuration is wrong, or names a rule that does not exist.
    """
    selections = Selections(paths, selection, configurations)
    return lint_gathered(gather(paths, selections), selections, cache=cache, shard=shard, prove=prove, jobs=jobs, progress=progress)


def lint_gathered(
    gathered: Gathered,
    selections: Selections,
    *,
    cache: Cache | None = None,
    shard: Shard | None = None,
    prove: Prove | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> LintResult:
    """Lint what was gathered, with the selections it was gathered with; the rest is as for `lint_paths`."""

    def analyse(sources: Sequence[Source]) -> list[FileResult]:
        results = run(sources, selections, jobs, progress, cache)
        return results if prove is None else prove(selections, gathered.files, sources, results, jobs)

    if shard is not None:
        return _lint_part(gathered, shard, selections, analyse)
    return concluded(analyse(gathered.sources), gathered, selections)


def concluded(results: Sequence[FileResult], gathered: Gathered, selections: Selections) -> LintResult:
    """What the results of all gathered sources say together, wherever each was judged."""
    problems = [*gathered.problems, *(p for r in results for p in r.problems)]
    findings = in_cells(findings_of(results, gathered.sources, selections, gathered.files), gathered.sources)
    coverage, warnings = coverage_of(results, gathered.sources), tuple(selections.without_effect(gathered.sources))
    return LintResult(tuple(findings), tuple(dict.fromkeys(problems)), gathered.checked, coverage=coverage, warnings=warnings)


def _lint_part(gathered: Gathered, shard: Shard, selections: Selections, run: Callable[[Sequence[Source]], list[FileResult]]) -> LintResult:
    """Lint the files of one part. Files of other parts are followed where what they call is judged here; findings in them are not reported."""
    own = [source for source in gathered.sources if shard.holds(source.display)]
    results = run(own)
    others = [source for source in gathered.sources if not shard.holds(source.display)]
    elsewhere = [replace(r, problems=()) for r in run(callers(merge(results), others, gathered.files))]
    problems = [*(p for p in gathered.problems if shard.holds(p.filename)), *(p for r in results for p in r.problems)]
    # Whether a comment silences anything is known only where all files are looked at.
    findings = in_cells(
        unsilenced(selections.shown(_weighed(merge(results, elsewhere), selections, gathered.sources, gathered.files)), own), own
    )
    checked = sum(shard.holds(shown_as(str(file))) for file in gathered.files)
    return LintResult(tuple(findings), tuple(dict.fromkeys(problems)), checked, coverage=coverage_of([*results, *elsewhere], own))


def coverage_of(results: Iterable[FileResult], sources: Iterable[Source]) -> Coverage:
    """How many of the training loops in some sources were judged."""
    return merged((loop for result in results for loop in result.loops), sources)


@dataclass(frozen=True)
class Gathered:
    """The files worth analysing, what could not be read, and all that were looked at."""

    sources: tuple[Source, ...]
    problems: tuple[Problem, ...]
    files: tuple[Path, ...]

    @property
    def checked(self) -> int:
        return len(self.files)


def gather(paths: Sequence[str], selections: Selections) -> Gathered:
    """Find and read the files that can be about training.

    Raises:
        UserError: a configuration that holds for one of them, or for the current folder, is wrong.
    """
    selections.of_source(None)
    discovered = discover(paths, selections.configurations.of_folder)
    problems = list(discovered.problems)
    candidates: list[Source] = []
    others: list[Source] = []
    for path in discovered.files:
        try:
            source = read_source(path, selections.language_of(path))
        except SourceError as error:
            problems.append(error.problem)
            continue
        for program in programs_of(source):
            if program.path is None or worth_analysing(program, selections, named=program.display in selections.named):
                candidates.append(program)
                problems.extend(program.problems)
                continue
            others.append(program)
            if program.problems and could_contain_loop(program.raw):
                # What could not be read may be the loop itself.
                problems.extend(program.problems)
    candidates += launchers(candidates, others)
    for candidate in candidates:
        selections.of_source(candidate)
    return Gathered(tuple(candidates), (*selections.refused, *problems), discovered.files)


def worth_analysing(source: Source, selections: Selections, *, named: bool) -> bool:
    """Whether something can be reported in a source. One that was named itself may hold nothing of a loop and still be the program that runs one."""
    return could_contain_loop(source.code) or (named and _IMPORTS.search(source.code) is not None) or selections.may_hold_unused(source)


def run(
    sources: Sequence[Source], selections: Selections, jobs: int | None, progress: Progress | None, cache: Cache | None = None
) -> list[FileResult]:
    """Analyse sources, each in its own way, in several processes where they are many; what the cache still knows is not analysed."""
    work = [(source, selections.of_source(source)) for source in sources]
    known = [cache.get(*each) if cache else None for each in work]
    left = [each for each, result in zip(work, known, strict=True) if result is None]
    fresh = iter(judge_all(left, jobs, progress))
    results = []
    for (source, selection), result in zip(work, known, strict=True):
        if result is None:
            result = next(fresh)
            if cache:
                cache.put(source, selection, result)
        results.append(result)
    return results


def judge_all(
    work: Sequence[tuple[Source, Selection]], jobs: int | None, progress: Progress | None = None, overlay: Overlay | None = None
) -> list[FileResult]:
    """Judge sources, in several processes where they are many; `overlay` has the files of the project that are not as they are on the disk."""
    if not work:
        return []
    workers = min(jobs or (os.cpu_count() or 1), len(work))
    if workers > 1 and (jobs or len(work) >= _FILES_WORTH_A_POOL):
        return _in_processes(work, workers, progress, overlay)
    results = []
    for number, (source, selection) in enumerate(work, 1):
        results.append(judge(source, selection, overlay))
        if progress:
            progress(number, len(work))
    return results


def _in_processes(
    work: Sequence[tuple[Source, Selection]], workers: int, progress: Progress | None, overlay: Overlay | None
) -> list[FileResult]:
    for selection in dict.fromkeys(selection for _, selection in work):
        rules_of(selection)  # what is wrong with a rule is reported here, and forked processes find it loaded
    results: list[FileResult] = []

    def add(result: FileResult) -> None:
        results.append(result)
        if progress:
            progress(len(results), len(work))

    while len(results) < len(work):
        left = work[len(results) :]
        if _judge_in_pool(left, workers, overlay, add):
            break
        # A process has died, and with it the pool. Those that it may have been at are judged by a process each, the others by a new pool.
        for one in work[len(results) :][: 2 * workers + 1]:
            if not _judge_in_pool([one], 1, overlay, add):
                add(
                    FileResult(
                        (),
                        (Problem(one[0].display, "the process that analysed it died; exclude the file, and please report it"),),
                        frozenset(),
                    )
                )
    return results


def _judge_in_pool(
    work: Sequence[tuple[Source, Selection]], workers: int, overlay: Overlay | None, add: Callable[[FileResult], None]
) -> bool:
    """Judge sources in processes and hand over the results, in order and as far as there are any; whether no process died."""
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    # The overlay may be the whole project: a process gets it once, not with each source.
    with ProcessPoolExecutor(workers, initializer=_take, initargs=(overlay,)) as pool:
        try:
            for future in [pool.submit(_judge_with_taken, source, selection) for source, selection in work]:
                add(future.result())
        except BrokenProcessPool:
            return False
    return True


_taken: Overlay | None = None


def _take(overlay: Overlay | None) -> None:
    global _taken
    _taken = overlay


def _judge_with_taken(source: Source, selection: Selection) -> FileResult:
    return judge(source, selection, _taken)


@lru_cache(maxsize=16)
def rules_of(selection: Selection) -> tuple[Rule, ...]:
    """The rules of a selection, loaded once in each process, or since `forget`."""
    return tuple(selection.rules())


def forget() -> None:
    """Read the file system, and the rules that are not the project's, again from now on; for processes that lint more than once."""
    import_roots.forget()
    rules_of.cache_clear()


def judge(source: Source, selection: Selection, overlay: Overlay | None = None) -> FileResult:
    """Analyse one source with the rules and the knowledge of its settings."""
    from looplint.knowledge import lookup

    lookup.use(selection.knowledge)
    return analyse(source, rules_of(selection), overlay, selection.target_torch)


def analyse(source: Source, rules: Sequence[Rule], overlay: Overlay | None = None, target_torch: str | None = None) -> FileResult:
    """Analyse one source; a bug of looplint's own becomes a problem that names the file."""
    from looplint.linting.analysis import analyse_file

    try:
        result = analyse_file(source, rules, overlay, target_torch)
        return _unrepaired(result, source.display) if source.language == "markdown" else result
    except MemoryError:
        return FileResult((), (Problem(source.display, "needs more memory than is available"),), frozenset())
    except Exception as error:  # noqa: BLE001 - reported, never hidden
        message = f"internal error ({type(error).__name__}: {error}); please report it"
        return FileResult((), (Problem(source.display, message),), frozenset())


def _unrepaired(result: FileResult, filename: str) -> FileResult:
    """Findings of a document without their repairs: what would be written is a part of the document only."""
    return replace(result, findings=tuple(f.with_fix(None) if f.filename == filename else f for f in result.findings))


def merge(results: Iterable[FileResult], elsewhere: Sequence[FileResult] = ()) -> list[Finding]:
    """Put the findings of all files together.

    A function that one file only defines is judged by itself there, and with its real objects where another file calls it: the caller knows better,
    unless a loop that the function leads to is judged in its own file and with no caller's objects, or more of it is certain there than with any of these,
    or the rule needs a whole program and no caller's was followed to its end, or a call that leads to the finding is too large for all of these.
    What is found from several functions stands where it does for one of them.
    A repair is only as safe as each file takes it for.
    What is found in files `elsewhere` is not put to the others, and tells as much of them.
    """
    results = [*results, *elsewhere]
    own_results = len(results) - len(elsewhere)
    # The functions that callers followed, and the rules that none of these could answer.
    followed: dict[str, frozenset[str]] = {}
    # The calls in them that none of these callers followed.
    left: dict[str, frozenset[Call]] = {}
    for result in results:
        calls = frozenset(result.left)
        for root in result.followed:
            followed[root] = followed.get(root, result.unanswered) & result.unanswered
            left[root] = left.get(root, calls) & calls
    judged = [[loop for loop in result.loops if loop.judged] for result in results]
    by_callers: dict[tuple[str, tuple[str, int]], set[int]] = {}
    for result, loops in zip(results, judged):
        for root, loop in product(result.followed, loops):
            by_callers.setdefault((root, _loop(loop)), set()).update(loop.certain)
    kept: dict[tuple[str, str, int, int], Finding] = {}
    doubted: set[Fix] = set()
    for number, (result, loops) in enumerate(zip(results, judged)):
        own = {root for loop in loops for root in loop.roots if not _known_as_well(loop, by_callers.get((root, _loop(loop))))}
        for finding in result.findings:
            if any(
                root not in followed or root in own or finding.code in followed[root] or _is_behind(finding, left[root])
                for root in finding.roots
            ):
                place = finding.code, finding.filename, finding.location.row, finding.location.column
                if finding.fix is not None and finding.fix.applicability == "unsafe":
                    doubted.add(finding.fix)
                if number < own_results:
                    kept[place] = min(kept.get(place, finding), finding, key=lambda f: SEVERITIES.index(f.severity))
    return sorted((_doubted(f, doubted) for f in kept.values()), key=lambda f: f.sort_key)


def _doubted(finding: Finding, doubted: set[Fix]) -> Finding:
    """A finding whose repair is unsafe where one of some unsafe ones is the same."""
    unsafe = replace(finding.fix, applicability="unsafe") if finding.fix is not None else None
    return finding.with_fix(unsafe) if unsafe in doubted else finding


def _is_behind(finding: Finding, left: frozenset[Call]) -> bool:
    """Whether one of some calls is on a way to a finding."""
    return any(not left.isdisjoint(way) for way in finding.ways)


def _known_as_well(loop: FoundLoop, by_callers: set[int] | None) -> bool:
    """Whether callers judge a loop too, and are certain of all that is certain of it in its own file."""
    return by_callers is not None and by_callers.issuperset(loop.certain)


def _loop(loop: FoundLoop) -> tuple[str, int]:
    return loop.filename, loop.number


def findings_of(
    results: Iterable[FileResult], sources: Iterable[Source], selections: Selections, files: Iterable[Path] = ()
) -> list[Finding]:
    """The findings of all files that no comment and no setting silences, and the comments that silence nothing, where the rule on them is selected.

    Args:
        results: what judging the sources gave.
        sources: what was judged.
        selections: the settings.
        files: all files of the run, of which some were not worth judging.
    """
    results, sources = list(results), list(sources)
    found = _weighed(merge(results), selections, sources, files)
    shown = list(unsilenced(selections.shown(found), sources))
    # What could not be analysed may hold what a comment silences.
    unused = [] if any(r.problems for r in results) else list(selections.shown(selections.unused(sources, found)))
    return sorted([*shown, *unused], key=lambda f: f.sort_key) if unused else shown


def _weighed(findings: list[Finding], selections: Selections, sources: Iterable[Source], files: Iterable[Path]) -> list[Finding]:
    """What the other files of a run tell of some findings: those without the ones on graphs that are not recorded, and what no run comes to as advice."""
    if any(finding.of_graphs for finding in findings):
        from looplint.linting.called_elsewhere import recorded

        findings = list(recorded(findings, sources, files))
    if selections.folders and any(all(finding.roots) for finding in findings):
        from looplint.linting.never_called import weighed

        findings = list(weighed(findings, selections.folders))
    return findings


def unsilenced(findings: Iterable[Finding], sources: Iterable[Source]) -> Iterable[Finding]:
    """The findings that no comment silences, each with the row on which one would."""
    from looplint.linting.suppression import Suppressions, comment_row

    texts = texts_of(sources)
    parsed: dict[str, Suppressions] = {}
    for finding in findings:
        names = finding.files
        for name in names:
            if name not in parsed:
                texts[name] = texts.get(name) or text_of(Path(name))
                parsed[name] = Suppressions.parse(texts[name])
        if not any(parsed[name].silences(finding, name) for name in names):
            row = comment_row(texts[finding.filename], finding.location.row)
            yield finding if row == finding.noqa_row else replace(finding, noqa_row=row)
