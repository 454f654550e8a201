"""`looplint new-rule`: the file it writes is a rule that reports its bad example and not its good one."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import looplint
from looplint.commands.cli import cli
from looplint.errors import UserError
from looplint.linting.catalogue import load

pytestmark = pytest.mark.usefixtures("own_rules_allowed")


def start(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["new-rule", *arguments])


def test_the_rule_works_as_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert start("unclipped-step", "--code", "ACME101", "--folder", "lint/rules").exit_code == 0
    (tmp_path / "looplint.toml").write_text('rules = ["lint/rules"]\n')
    [rule] = load(Path("lint/rules"))
    assert (rule.code, rule.name, rule.default) == ("ACME101", "unclipped-step", True)
    shown = CliRunner().invoke(cli, ["rule", "ACME101"]).output
    assert shown == f"# unclipped-step (ACME101, error)\n\n{rule.doc}\n\n"
    ours = load()[0].doc
    assert re.findall(r"^## (.+)$", rule.doc, re.MULTILINE) == re.findall(r"^## (.+)$", ours, re.MULTILINE)
    bad, good = re.findall(r"```python\n(.*?)```", rule.doc, re.DOTALL)
    [found] = looplint.lint(bad, filename="train.py")
    assert (found.code, found.message) == (
        "ACME101",
        "opt steps with gradients that nothing has clipped: one large batch may undo many; clip before it",
    )
    assert [note.message for note in found.related] == ["they are computed here"]
    assert looplint.lint(good, filename="train.py") == []


def test_a_rule_of_ones_own_asks_for_a_repair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    start("unclipped-step", "--code", "ACME101", "--folder", "lint/rules")
    path = tmp_path / "lint/rules/unclipped_step.py"
    text = path.read_text().replace("import Automaton,", "import Automaton, Clip, MoveBeforeStep,")
    text = text.replace(
        "                yield",
        "                clip = next(e for e in program.of(Clip) if program.touches(e, optimizer))\n                yield",
    )
    repair = "MoveBeforeStep(clip=clip, step=visit.event, optimizer=optimizer)"
    path.write_text(text.replace('"they are computed here"))', f'"they are computed here"), repair={repair})'))
    (tmp_path / "looplint.toml").write_text('rules = ["lint/rules"]\nselect = ["ACME101"]\n')
    clip, backward, step = "    nn.utils.clip_grad_norm_(net.parameters(), 1.0)\n", "    loss.backward()\n", "    opt.step()\n"
    head = "import torch\nfrom torch import nn\n\nnet = nn.Linear(4, 1)\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\nfor x in data:\n    opt.zero_grad()\n    loss = net(x).sum()\n"
    (tmp_path / "train.py").write_text(head + clip + backward + step)
    assert looplint.fix(tmp_path / "train.py").text == head + backward + clip + step


@pytest.mark.slow
def test_scripts_are_started_where_there_are_scripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fixtures").mkdir()
    assert start("unclipped-step", "--code", "ACME101").output.count("Wrote ") == 3
    (tmp_path / "looplint.toml").write_text('rules = ["rules"]\nselect = ["ACME101"]\n')
    broken = tmp_path / "fixtures/unclipped_step/plain.py"
    [found] = looplint.lint(broken)
    assert broken.read_text().splitlines()[found.location.row - 1].endswith("# expect: ACME101")
    assert looplint.lint(broken.with_suffix(".expert.py")) == []
    for script in (broken, broken.with_suffix(".expert.py")):
        subprocess.run([sys.executable, str(script)], check=True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("Unclipped Step", "--code", "ACME101"), "unclipped step"),
        (("unclipped-step", "--code", "acme"), "'acme' is not a valid code"),
        (("missing-zero-grad", "--code", "ACME101"), "LL102 missing-zero-grad already exists"),
        (("unclipped-step", "--code", "LL102"), "LL102 missing-zero-grad already exists"),
    ],
    ids=["name", "code", "name taken", "code taken"],
)
def test_what_cannot_be_a_rule_is_not_written(
    arguments: tuple[str, ...], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = start(*arguments)
    assert isinstance(result.exception, UserError) and said in str(result.exception)
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules/unclipped_step.py").write_text("mine\n")
    result = start("unclipped-step", "--code", "ACME101")
    assert "already exists" in str(result.exception)
    assert (tmp_path / "rules/unclipped_step.py").read_text() == "mine\n"
