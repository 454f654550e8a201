"""From a source to findings: parse, lower, follow, judge."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import GeneratorType
from typing import TYPE_CHECKING, NamedTuple

import libcst as cst

from looplint.dataclass import replace
from looplint.finding import SEVERITIES, Call, Certainty, Finding, Fix, Location, Problem, Related
from looplint.interpreter.endings import hide_training
from looplint.interpreter.interpreter import UNIT_TEST_FUEL, Interpreter
from looplint.interpreter.release import release
from looplint.interpreter.roots import follow, interpreter_of
from looplint.linting.catalogue import folder
from looplint.linting.coverage import FoundLoop
from looplint.linting.results import FileResult
from looplint.linting.unit_tests import is_unit_test
from looplint.queries.coverage import TrainingLoop, training_loops
from looplint.queries.program import Program
from looplint.regex import regex
from looplint.repairs.fixes import fix_of
from looplint.repairs.planner import Planner
from looplint.rule import Report
from looplint.semantics import composition
from looplint.sources.frameworks import of_another_framework
from looplint.sources.reading import Source, display_name
from looplint.syntax.bounds import TooDeep
from looplint.syntax.parsing import parsed
from looplint.syntax.positions import span
from looplint.syntax.project import ModuleInfo, Overlay, Project
from looplint.syntax.site import Site
from looplint.syntax.stack import deeply

if TYPE_CHECKING:
    from looplint.linting.catalogue import Rule


# In a text that could not be read: what is a call of these, outside of a comment.
_BACKWARD = regex(r"^[^#\n]*?(?P<call>\w+\.backward\()", re.MULTILINE)
_STEP = regex(r"^[^#\n]*?\w\.step\(", re.MULTILINE)
_TOO_DEEP = "is nested too deeply to be analysed; split the expression, or exclude the file"


class _Made(NamedTuple):
    """What a rule has reported, and the line of its file where it did."""

    rule: Rule
    report: Report
    row: int


class Unparsable(Exception):
    """A file that is no Python, as a problem with its place."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = replace(problem, unreadable=True)


def analyse_file(source: Source, rules: Sequence[Rule], overlay: Overlay | None = None, target_torch: str | None = None) -> FileResult:
    """Lint one source.

    Args:
        source: the file's text and name.
        rules: the rules to ask.
        overlay: files of the project that are to be taken as given here instead of from the disk.
        target_torch: the oldest version of PyTorch the code runs on; the current one where it is not given.

    Returns:
        The findings in every file of the project that was reached from this one, and the problems met.
    """
    try:
        return deeply(_analyse, source, rules, overlay, target_torch)
    except RecursionError:
        return FileResult((), (Problem(source.display, _TOO_DEEP, unreadable=True),), frozenset(), loops=_unread(source))


def _analyse(source: Source, rules: Sequence[Rule], overlay: Overlay | None, target_torch: str | None) -> FileResult:
    project = Project(overlay)
    try:
        program, info, interpreter = _program(source, project)
        if target_torch:
            program.target_torch = tuple(int(part) for part in target_torch.split("."))
    except Unparsable as error:
        return FileResult((), (error.problem,), frozenset(), project.reads(), _unread(source))
    if of_another_framework(source.code) or of_another_framework(*(module.source.code for module in project.modules)):
        release(interpreter)
        return FileResult((), (), frozenset(), project.reads())
    findings: list[Finding] = []
    made: list[_Made] = []
    problems: list[Problem] = []
    reads, tests = project.reads(), is_unit_test(info)
    # Behind a call that ends in an error may stand what they miss.
    whole = program.complete and not hide_training(interpreter)
    unanswered = frozenset(rule.code for rule in rules if rule.whole_program and not whole)
    for rule in rules:
        if rule.code in unanswered:
            continue
        try:
            reports = list(_made_by(rule, program))
            found = [_finding(rule, each.report, tests) for each in reports]
        except RecursionError:
            raise
        except Exception as error:  # noqa: BLE001 - a rule's bug is reported as one, and hides nothing else
            problems.append(Problem(info.filename, _fault(rule, error)))
            reads = None
            continue
        findings += found
        made += reports
    if any(each.report.repair for each in made):
        findings, faults = _with_fixes(program, findings, made)
        problems += faults
        reads = None if faults else reads
    loops = tuple(_found(loop) for loop in training_loops(program, info, project.modules))
    # A unit test calls a function with what is worth a test: that says less of the function than its own file does.
    followed = frozenset() if tests else frozenset(program.reached.elsewhere)
    left = tuple(_call(site) for node, site in program.reached.left.items() if node not in program.reached.entered)
    release(interpreter)
    return FileResult(_distinct(findings), tuple(problems), followed, reads, loops, unanswered, left)


def _unread(source: Source) -> tuple[FoundLoop, ...]:
    """What looks like a training loop in a text that could not be read, as one that is lost."""
    backward, step = _BACKWARD.search(source.text), _STEP.search(source.text)
    if backward is None or step is None:
        return ()
    row = source.text.count("\n", 0, backward.start("call")) + 1
    column = backward.start("call") - source.text.rfind("\n", 0, backward.start("call"))
    return (FoundLoop(source.display, 0, "", Location(row, column), "the file could not be read"),)


def _made_by(rule: Rule, program: Program) -> Iterator[_Made]:
    reports = rule.check(program)
    for report in reports:
        frame = reports.gi_frame if isinstance(reports, GeneratorType) else None
        yield _Made(rule, report, frame.f_lineno if frame is not None else 1)


def _fault(rule: Rule, error: Exception) -> str:
    """The problem of a rule that failed: of one of the user's own, where in its file."""
    what = f"{type(error).__name__}: {error}"
    if rule.path.parent == folder():
        return f"internal error in {rule.code} ({what}); please report it"
    return f"the rule {rule.code} failed at {display_name(rule.path)}:{_row(rule, error) or 1}: {what}"


def _fault_of_repair(made: _Made, error: Exception) -> str:
    """The same of a repair: of a rule of the user's own, where the repair fails in its file, else where the rule asks for it."""
    what, rule = f"{type(error).__name__}: {error}", made.rule
    if rule.path.parent == folder():
        return f"internal error in the repair of {rule.code} ({what}); please report it"
    place = f"{display_name(rule.path)}:{_row(rule, error) or made.row}"
    return f"the repair of {rule.code} failed at {place}: {type(made.report.repair).__name__}: {what}"


def _row(rule: Rule, error: Exception) -> int | None:
    """The last line of a rule's file that an exception has come through."""
    import traceback

    rows = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename) == rule.path]
    return rows[-1] if rows else None


def _found(loop: TrainingLoop) -> FoundLoop:
    # Places cost a walk over the whole file: they are computed where something is reported.
    location = span(loop.site)[0] if loop.reason else None
    return FoundLoop(
        loop.site.module.filename, loop.number, loop.function, location, loop.reason, loop.owner, roots=loop.roots, certain=loop.certain
    )


def _with_fixes(program: Program, findings: list[Finding], made_by_rules: list[_Made]) -> tuple[list[Finding], list[Problem]]:
    """The findings with the edits that would repair them, or with the reason why nothing would; and what went wrong in planning."""
    planner = Planner(program)
    fixed: list[Finding] = []
    faults: list[Problem] = []
    for finding, each in zip(findings, made_by_rules, strict=True):
        made: Fix | str | None = None
        report = each.report
        planner.given.clear()
        try:
            made = fix_of(report.repair, planner, finding.filename, finding.certainty == "every-path") if report.repair else None
        except RecursionError:
            raise
        except Exception as error:  # noqa: BLE001 - a repair's bug is reported as one, and its finding stands
            made = "planning the repair failed"
            faults.append(Problem(finding.filename, _fault_of_repair(each, error)))
        fixed.append(replace(finding, unrepaired=made) if isinstance(made, str) else finding.with_fix(made))
    return fixed, faults


def build_program(source: Source, project: Project | None = None) -> tuple[Program, ModuleInfo]:
    """Parse, lower and follow a source.

    Raises:
        Unparsable: the source is no Python, or is nested too deeply.
    """
    try:
        return deeply(_program, source, project)[:2]
    except RecursionError:
        raise Unparsable(Problem(source.display, _TOO_DEEP)) from None


def _program(source: Source, project: Project | None = None) -> tuple[Program, ModuleInfo, Interpreter]:
    info = ModuleInfo(source.place_of_imports, source.display, source)
    try:
        info.code = parsed(source.text)
        project = project or Project()
        project.add(info)
        composition.install()
        interpreter = interpreter_of(project, info)
        if is_unit_test(info) and ".backward(" not in source.text:
            interpreter.left = UNIT_TEST_FUEL
        complete = follow(interpreter)
    except cst.ParserSyntaxError as error:
        raise Unparsable(_syntax_error(source, error)) from None
    except TooDeep as error:
        cell, place = source.place(Location(error.row, 1))
        raise Unparsable(Problem(source.display, error.message, place, cell)) from None
    return Program(interpreter, info.filename, complete), info, interpreter


def _syntax_error(source: Source, error: cst.ParserSyntaxError) -> Problem:
    """Where a source is no Python, in the words of the running Python; in the parser's where Python would take it."""
    from looplint.sources.compiling import newer_syntax, refused, without_rows

    refusal = refused(source.text)
    newer = newer_syntax(source.text, refusal) if refusal is not None else ""
    if refusal is not None and not refusal.limit and not newer:
        message, location = refusal.message, refusal.location
    else:
        first = error.message.splitlines()[0]
        # Where the parser stopped; the place that its exception states is another.
        found = re.fullmatch(r"parser error: error at (\d+):(\d+): (.*)", first)
        location = _inside(source.text, *map(int, found.groups()[:2])) if found else Location(error.editor_line, error.editor_column)
        message = f"the parser, LibCST, cannot read this: {found[3] if found else first}"
        if refusal is not None and newer:
            # Where the text is no Python is the parser's to say: the running Python did not come so far.
            running = ".".join(map(str, sys.version_info[:2]))
            message += f" (in line {refusal.location.row} is syntax of Python {newer}, which Python {running}, on which looplint runs, does not know)"
    cell, place = source.place(location)
    return Problem(source.display, f"syntax error: {message if cell is None else without_rows(message)}", place, cell)


def _inside(text: str, row: int, column: int) -> Location:
    """A place of the parser's in a text: where the text ends too early, the parser names a row behind the last."""
    rows = text.splitlines() or [""]
    return Location(row, max(1, column)) if row <= len(rows) else Location(len(rows), max(1, len(rows[-1])))


def _finding(rule: Rule, report: Report, tests: bool) -> Finding:
    site = report.site or report.event.site
    start, end = span(site)
    severity = report.severity or rule.severity
    if severity not in SEVERITIES:
        raise ValueError(f"a severity is one of {', '.join(SEVERITIES)}")
    if tests or is_unit_test(site.module):
        severity = "advice"
    notes = [*((n, False) for n in report.notes), *((n, True) for n in report.also)]
    related = tuple(Related(n.message, n.site.module.filename, span(n.site)[0], same=same) for n, same in notes)
    certainty: Certainty = "every-path" if report.certainty == "every-path" else "some-path"
    return Finding(
        rule.code, rule.name, report.message, site.module.filename, start, end, certainty, related,
        noqa_row=start.row, roots=(report.event.root,), severity=severity, ways=(tuple(map(_call, report.event.calls)),),
        of_graphs=rule.of_graphs,
    )  # fmt: skip


def _call(site: Site) -> Call:
    start, end = span(site)
    return Call(site.module.filename, start.row, end.row)


def _distinct(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """One finding per rule and place: the first of the worst, as callers come before what they call, with the ways to all, the roots and the other places of all.

    One at a place that another has beside its own says nothing more, where nothing else leads to it.
    """
    kept: dict[tuple[str, str, Location], Finding] = {}
    for finding in findings:
        place = finding.code, finding.filename, finding.location
        first = kept.setdefault(place, finding)
        worst, other = (finding, first) if SEVERITIES.index(finding.severity) < SEVERITIES.index(first.severity) else (first, finding)
        beside = [r for r in other.related if r.same and r not in worst.related]
        if worst is not first or beside or not (set(other.ways).issubset(worst.ways) and set(other.roots).issubset(worst.roots)):
            ways, roots = dict.fromkeys((*first.ways, *finding.ways)), dict.fromkeys((*first.roots, *finding.roots))
            kept[place] = replace(worst, ways=tuple(ways), roots=tuple(roots), related=(*worst.related, *beside))
    wide = [f for f in kept.values() if any(r.same for r in f.related)]
    distinct = (f for f in kept.values() if not any(_says_all_of(other, f) for other in wide))
    return tuple(sorted(distinct, key=lambda f: f.sort_key))


def _says_all_of(one: Finding, other: Finding) -> bool:
    """Whether a finding has all places of another one among its own, and comes from all that this comes from."""
    known, asked = one.places, other.places
    return one.code == other.code and asked < known and set(other.roots) <= set(one.roots)
