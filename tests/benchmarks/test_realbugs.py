"""Real bugs: the list is whole, and a bug is found in the commit before its repair and gone after it."""

from __future__ import annotations

import subprocess
from pathlib import Path

from benchmarks.realbugs.__main__ import Outcome, ask, facts, function_at, rows_of, table
from benchmarks.realbugs.bugs import Bug, read
from looplint.linting.catalogue import load

BROKEN = """\
import torch
from torch import nn


def train(net: nn.Module, data):
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for x, y in data:
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        opt.step()


def other():
    return 1
"""
REPAIRED = BROKEN.replace("        loss.backward()", "        opt.zero_grad()\n        loss.backward()")


def _git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    return subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


def _mirror(folder: Path, *versions: str) -> str:
    """A repository of which each version is a commit; gives the last one."""
    work = folder / "owner+name" / "repo"
    work.mkdir(parents=True)
    _git(work, "init", "--quiet")
    for version in versions:
        (work / "train.py").write_text(version)
        _git(work, "add", ".")
        _git(work, "commit", "--quiet", "-m", "a version")
    return _git(work, "rev-parse", "HEAD")


def test_what_is_listed_is_whole() -> None:
    bugs = read()
    assert len(bugs) >= 150
    assert len({(b.commit, b.path, b.row) for b in bugs}) == len(bugs)
    codes = {rule.code for rule in load()}
    assert all(b.rules <= codes and len(b.commit) == 40 and b.row > 0 and b.evidence for b in bugs)


def test_a_bug_is_found_before_its_repair_and_the_repair_is_silent(tmp_path: Path) -> None:
    commit = _mirror(tmp_path, BROKEN, REPAIRED)
    bug = Bug("owner/name", commit, "train.py", 9, "missing-zero-grad", frozenset({"LL102"}), "gradients add up")
    assert ask(bug, tmp_path, 60) == Outcome(bug, found=True, silent=True)
    another = Bug("owner/name", commit, "train.py", 14, "missing-no-grad", frozenset({"LL303"}), "")
    assert ask(another, tmp_path, 60) == Outcome(another, found=False, silent=True)


def test_a_rule_that_is_opt_in_is_selected_for_its_bugs(tmp_path: Path) -> None:
    printing = BROKEN.replace("        opt.step()", "        opt.zero_grad()\n        print(loss)\n        opt.step()")
    commit = _mirror(tmp_path, printing, printing.replace("print(loss)", "print(loss.item())"))
    bug = Bug("owner/name", commit, "train.py", 11, "formatted-tensor", frozenset({"LL403"}), "a tensor is printed")
    outcome = ask(bug, tmp_path, 60)
    assert outcome == Outcome(bug, found=True, silent=True)
    assert "LL403 is opt-in" in table([outcome])


def test_a_repair_that_repairs_nothing_is_not_silent(tmp_path: Path) -> None:
    commit = _mirror(tmp_path, BROKEN, BROKEN + "\n\nlast = 1\n")
    bug = Bug("owner/name", commit, "train.py", 9, "missing-zero-grad", frozenset({"LL102"}), "")
    assert ask(bug, tmp_path, 60) == Outcome(bug, found=True, silent=False)


def test_what_cannot_be_asked_is_said(tmp_path: Path) -> None:
    commit = _mirror(tmp_path, "print 1\n", REPAIRED)
    old = ask(Bug("owner/name", commit, "train.py", 1, "a", frozenset({"LL102"}), ""), tmp_path, 60)
    gone = ask(Bug("owner/else", commit, "train.py", 1, "a", frozenset({"LL102"}), ""), tmp_path, 60)
    none = ask(Bug("owner/name", commit, "other.py", 1, "b", frozenset(), ""), tmp_path, 60)
    assert [o.unread.partition(":")[0] for o in (old, gone, none)] == ["SyntaxError", "UserError", ""]
    assert facts([old, gone, none]) == {
        "repositories": 2,
        "bugs": 3,
        "claimed": 2,
        "unread": 2,
        "found": 0,
        "gone": 0,
        "silent": 0,
        "not_in_the_text": 0,
    }
    assert "no rule claims it" in table([old, gone, none])


def test_a_missed_bug_may_have_a_reason_in_the_text() -> None:
    missed, found = (Bug("owner/name", "", "a.py", 1, "a", frozenset({"LL303"}), "", "the caller decides") for _ in range(2))
    outcomes = [Outcome(missed, silent=True), Outcome(found, found=True, silent=True)]
    assert facts(outcomes)["not_in_the_text"] == 1
    assert "1 cannot be told for certain from the text" in table(outcomes)


def test_functions_are_found_by_row_and_by_name() -> None:
    name, rows = function_at(BROKEN, 9)
    assert (name, rows) == (".train", range(5, 11))
    assert rows_of(REPAIRED, name) == range(5, 12)
    assert rows_of(BROKEN, ".gone") == range(1, BROKEN.count("\n") + 2)
