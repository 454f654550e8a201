"""What becomes of a program when it is repaired: what was done, whether the text holds, and how its run ends."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeAlias

from looplint.linting.files import lint_paths
from looplint.linting.fixing import FixResult, fix_paths
from looplint.linting.selection import Selection

Program: TypeAlias = tuple[tuple[str, bytes], ...]


class Ran(NamedTuple):
    """Whether a repaired program does what the right one does (None: a run cannot tell), how it ended, and whether the CPU stood in for CUDA."""

    same: bool | None
    ended: str
    stand_in: bool = False


# Runs the repaired program in a folder.
Verdict: TypeAlias = Callable[[Path], Ran]


@dataclass(frozen=True, slots=True)
class Subject:
    """What is repaired: a planted bug, or a fixture, with the rule that has to report it."""

    code: str
    base: str
    form: str
    line: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one subject.

    `repair` is the applicability that was needed ("safe", "unsafe"), "none" where nothing was repaired, or "unseen" where the rule did not report it.
    `reason` is what was done, or why nothing was; empty where the rule has no repair.
    `same` tells whether the repaired run does what the right one does; None where a run cannot tell. `stand_in`: the CPU stood in for CUDA.
    """

    code: str
    base: str
    form: str
    line: int
    repair: str
    reason: str = ""
    same: bool | None = None
    parses: bool = True
    idempotent: bool = True
    new_findings: tuple[str, ...] = ()
    outcome: str = ""
    stand_in: bool = False


@dataclass(frozen=True, slots=True)
class Checked:
    """What the linter makes of a program: whether it can read it, whether it would change it, and the codes that it reports."""

    parses: bool
    stable: bool
    codes: frozenset[str]


def program_in(folder: Path) -> Program:
    """All that tells one program from another: many repairs of one script lead to the same text, which is checked and run once."""
    return tuple((p.relative_to(folder).as_posix(), p.read_bytes()) for p in sorted(folder.rglob("*.py")))


class Texts:
    """Programs as the linter sees them, each looked at once."""

    def __init__(self) -> None:
        self._known: dict[tuple[Program, str, bool], Checked] = {}

    def checked(self, folder: Path, code: str, *, unsafe: bool) -> Checked:
        """A program as it is linted with the default rules and one more, and with safe or all repairs."""
        key = program_in(folder), code, unsafe
        if key not in self._known:
            found = _fixed(folder, code, unsafe=unsafe)
            self._known[key] = Checked(not found.linted.problems, not found.changed, frozenset(f.code for f in found.linted.findings))
        return self._known[key]


def outcome_of(
    subject: Subject, folder: Path, accepted: Collection[str], before: Collection[str], texts: Texts, verdict: Verdict | None
) -> Outcome:
    """Repair a program in place, safely if that does it, and say what came of it.

    Args:
        subject: what is repaired.
        folder: where the program lies; nothing else lies there.
        accepted: the codes under which the rule may report.
        before: the codes that the right program has as well.
        texts: what is known of programs.
        verdict: runs the repaired program; None where it is not to be run.
    """
    facts = {"code": subject.code, "base": subject.base, "form": subject.form, "line": subject.line}
    result, kind = _fixed(folder, subject.code, unsafe=False), "safe"
    if any(f.code in accepted and f.fix for f in result.linted.findings):
        result, kind = _fixed(folder, subject.code, unsafe=True), "unsafe"
    if not any(a.code in accepted for a in result.applied):
        left = next((f for f in result.linted.findings if f.code in accepted), None)
        return Outcome(**facts, repair="none" if left else "unseen", reason=left.unrepaired or "" if left else "")  # type: ignore[arg-type]
    for _, new in result.changed:
        assert new.path is not None
        new.path.write_bytes(new.raw)
    again = texts.checked(folder, subject.code, unsafe=kind == "unsafe")
    new_findings = again.codes - {*before, *accepted}
    if new_findings:  # those of the broken program, which the bug brought, are not the repair's
        new_findings -= _codes_before(result, folder, subject.code, texts)
    ran = Ran(None, "not run") if verdict is None else verdict(folder)
    messages = "; ".join(dict.fromkeys(a.message for a in result.applied))
    checks = {"parses": again.parses, "idempotent": again.stable, "new_findings": tuple(sorted(new_findings))}
    return Outcome(**facts, repair=kind, reason=messages, same=ran.same, outcome=ran.ended, stand_in=ran.stand_in, **checks)  # type: ignore[arg-type]


def _codes_before(result: FixResult, folder: Path, code: str, texts: Texts) -> frozenset[str]:
    """The codes that were reported before a repair; the folder is as it was, afterwards."""
    for old, _ in result.changed:
        assert old.path is not None
        old.path.write_bytes(old.raw)
    linted = lint_paths([str(folder)], Selection(extend_select=(code,)), jobs=1)
    for _, new in result.changed:
        assert new.path is not None
        new.path.write_bytes(new.raw)
    return frozenset(f.code for f in linted.findings)


def _fixed(folder: Path, code: str, *, unsafe: bool) -> FixResult:
    return fix_paths([str(folder)], Selection(extend_select=(code,)), unsafe=unsafe, jobs=1)
