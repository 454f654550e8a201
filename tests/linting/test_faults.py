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
    (folder / "rules" / "no_step.py").write_text(FAULTY_REPAIR.replace("import Program", "import Program, Repair"))
    done = looplint_text(".", "--output-format", "concise", cwd=folder)
    assert done.returncode == 2 and [line.split(" ")[2] for line in done.stdout.splitlines()] == ["LL102", "ACME1"]
    assert done.stderr == "error: train.py: internal error in the repair of ACME1 (KeyError: 'key'); please report it\n"
    assert "not repaired: an internal error" in looplint_text(".", "--select", "ACME1", cwd=folder).stdout


def test_a_fault_of_a_repair_keeps_no_other_from_being_made(folder: Path) -> None:
    (folder / "rules" / "no_step.py").write_text(FAULTY_REPAIR.replace("import Program", "import Program, Repair"))
    done = looplint_text(".", "--fix", cwd=folder)
    assert done.returncode == 2 and "opt.zero_grad()" in (folder / "train.py").read_text()
