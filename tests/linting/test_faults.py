"""A rule or a repair with a bug is named, and hides nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import looplint_text
from programs import BROKEN, RULE

pytestmark = pytest.mark.usefixtures("own_rules_allowed")

FAULTY_RULE = RULE.replace("    for event in", "    program.nonsense\n    for event in")
FAULTY_REPAIR = RULE.replace('"a step is made here")', '"a step is made here", repair=Nothing())').replace(
    "\ndef check",
    "\nclass Nothing(Repair):\n    def plan(self, p: object) -> object:\n        return {}['key']\n\n\ndef check",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "rules").mkdir()
    (tmp_path / "looplint.toml").write_text('rules = ["rules"]\n')
    (tmp_path / "train.py").write_text(BROKEN)
    return tmp_path


def test_a_fault_of_a_rule_is_a_problem_and_the_others_report(folder: Path) -> None:
    (folder / "rules" / "no_step.py").write_text(FAULTY_RULE)
    done = looplint_text(".", "--output-format", "concise", cwd=folder)
    assert done.returncode == 2 and [line.split(" ")[2] for line in done.stdout.splitlines()] == ["LL102"]
    row = 1 + FAULTY_RULE[: FAULTY_RULE.index("program.nonsense")].count("\n")
    said = (
        f"error: train.py: the rule ACME1 failed at rules/no_step.py:{row}: AttributeError: 'Program' object has no attribute 'nonsense'\n"
    )
    assert done.stderr == said


def test_a_misspelt_state_is_a_fault_with_its_place(folder: Path) -> None:
    automaton = 'A = Automaton(start="empty", arrows={("*", "backward"): "filled"})\n\n\ndef check'
    text = RULE.replace("def check", automaton).replace("import Program", "import Automaton, Program")
    loop = "    for event in [v.event for o in program.optimizers for v in program.run(A, o) if v.always('filed')]:\n"
    (folder / "rules" / "no_step.py").write_text(text.replace("    for event in program.of(Step):\n", loop))
    done = looplint_text(".", "--output-format", "concise", cwd=folder)
    assert done.returncode == 2
    assert (
        "the rule ACME1 failed at rules/no_step.py:17: ValueError: the automaton has no state 'filed'; its states are empty, filled"
        in done.stderr
    )


def test_a_fault_of_a_repair_is_a_problem_and_its_finding_stands(folder: Path) -> None:
    text = FAULTY_REPAIR.replace("import Program", "import Program, Repair")
    (folder / "rules" / "no_step.py").write_text(text)
    done = looplint_text(".", "--output-format", "concise", cwd=folder)
    assert done.returncode == 2 and [line.split(" ")[2] for line in done.stdout.splitlines()] == ["LL102", "ACME1"]
    place = f"rules/no_step.py:{_row(text, 'return {}')}"
    assert done.stderr == f"error: train.py: the repair of ACME1 failed at {place}: Nothing: KeyError: 'key'\n"
    assert "not repaired: planning the repair failed" in looplint_text(".", "--select", "ACME1", cwd=folder).stdout


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_repair_that_is_given_what_it_cannot_use_is_named_where_it_is_asked_for(folder: Path, wrapped: bool) -> None:
    text = RULE.replace('"a step is made here")', '"a step is made here", repair=MoveBeforeStep(clip=None, step=event, optimizer=None))')
    text = text.replace("import Program", "import MoveBeforeStep, Program")
    if wrapped:
        text = (
            text.replace("def check(", "def each(") + "\n\ndef check(program: Program) -> Iterator[Report]:\n    yield from each(program)\n"
        )
    (folder / "rules" / "no_step.py").write_text(text)
    done = looplint_text(".", "--output-format", "concise", cwd=folder)
    place = f"rules/no_step.py:{_row(text, 'yield from' if wrapped else 'yield')}"
    assert done.returncode == 2 and f"the repair of ACME1 failed at {place}: MoveBeforeStep: AttributeError: " in done.stderr


def test_a_fault_of_a_repair_of_the_project_is_its_own(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("looplint.linting.analysis.fix_of", lambda *_: {}["key"])
    done = looplint_text(".", "--output-format", "concise", cwd=folder)
    assert done.returncode == 2 and "internal error in the repair of LL102 (KeyError: 'key'); please report it" in done.stderr


AUTOMATON = """\
A = Automaton(
    start="empty",
    arrows={
        ("*", "clear"): "empty",
        ("*", "backward:scaled"): "filled",
        ("filled", "clip"): "clipped",
        ("*", "step"): "applied",
    },
    reads=frozenset({"update"}),
)
"""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"filled", "clip"', '"filed", "clip"', "an arrow starts in the state 'filed', to which none leads; the others are applied, "),
        ('"backward:scaled"): "filled"', '"backward:scaled"): "fild"', "an arrow starts in the state 'filled', to which none leads"),
        ('start="empty"', 'start="emty"', "the automaton starts in 'emty', which is in none of its arrows; did you mean 'empty'?"),
        ('"step"', '"stepp"', "there is no event 'stepp'; did you mean 'step'?"),
        ('"step"', '"qqq"', "there is no event 'qqq'; the events are construct, clear, forward"),
        ('"step"', '"loader"', "automata do not see 'loader', which is a remark; ask program.of() for it"),
        ("backward:scaled", "backward:scald", "the event 'backward' has no variant 'scald'; its variants: scaled"),
        ('"clear"', '"clear:half"', "the event 'clear' has no variant 'half'; its variants: none"),
        ('{"update"}', '{"udpate"}', "there is no event 'udpate'; did you mean 'update'?"),
    ],
)
def test_what_an_automaton_misspells_is_an_error_with_its_line(folder: Path, old: str, new: str, said: str) -> None:
    assert AUTOMATON.count(old) == 1
    text = RULE.replace("def check", f"{AUTOMATON}\n\ndef check").replace("import Program", "import Automaton, Program")
    rule = folder / "rules" / "no_step.py"
    rule.write_text(text)
    assert looplint_text(".", cwd=folder).returncode == 1
    rule.write_text(text.replace(old, new))
    done = looplint_text(".", cwd=folder)
    row = _row(text, '("filled", "clip")' if "'filled'" in said.partition(",")[0] else old)
    assert done.returncode == 2 and f"{rule}:{row}: {said}" in done.stderr


@pytest.mark.parametrize(
    "condition",
    ['event.kind == "stepp"', '"stepp" != event.kind', 'event.kind in ("step", "stepp")', "v.event.kind == 'stepp'"],
)
def test_a_misspelt_kind_that_is_compared_is_an_error_with_its_line(folder: Path, condition: str) -> None:
    text = RULE.replace("        yield", f"        if {condition}:\n            pass\n        yield")
    rule = folder / "rules" / "no_step.py"
    rule.write_text(text)
    done = looplint_text(".", cwd=folder)
    assert done.returncode == 2 and f"{rule}:{_row(text, condition)}: there is no event 'stepp'; did you mean 'step'?" in done.stderr


def test_a_misspelt_kind_in_a_case_is_an_error(folder: Path) -> None:
    text = RULE.replace(
        "        yield", '        match event.kind:\n            case "clear" | "stepp":\n                continue\n        yield'
    )
    (folder / "rules" / "no_step.py").write_text(text)
    assert f"no_step.py:{_row(text, 'case')}: there is no event 'stepp'" in looplint_text(".", cwd=folder).stderr


def test_a_rule_that_fails_when_it_is_loaded_is_named_with_its_line(folder: Path) -> None:
    text = RULE.replace('CODE = "ACME1"', 'CODE = "ACME1"\nWORDS = {}["key"]')
    (folder / "rules" / "no_step.py").write_text(text)
    done = looplint_text(".", cwd=folder)
    assert done.returncode == 2
    assert f"no_step.py:{_row(text, 'WORDS')}: the rule cannot be loaded: KeyError: 'key'" in done.stderr


def _row(text: str, part: str) -> int:
    return 1 + text[: text.index(part)].count("\n")


def test_a_fault_of_a_repair_keeps_no_other_from_being_made(folder: Path) -> None:
    (folder / "rules" / "no_step.py").write_text(FAULTY_REPAIR.replace("import Program", "import Program, Repair"))
    done = looplint_text(".", "--fix", cwd=folder)
    assert done.returncode == 2 and "opt.zero_grad()" in (folder / "train.py").read_text()
