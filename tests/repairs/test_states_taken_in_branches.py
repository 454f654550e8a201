"""A state that several branches take is copied in all of them: one copy alone would leave the others as they are, and no longer found (LL801)."""

from __future__ import annotations

from pathlib import Path

import pytest

import looplint
from repaired_text import HEAD, fixed

SAVED = """\
def unwrapped(net):
    return net.module if spread else net


def fit(net, opt, loader, spread, better):
    kept = None
    for epoch in range(5):
        for x, y in loader:
            opt.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            opt.step()
        if better(epoch):
{takes}
{after}
"""
IN_AN_EXPRESSION = "            kept = net.module.state_dict() if spread else net.state_dict()"
IN_STATEMENTS = """\
            if spread:
                kept = net.module.state_dict()
            else:
                kept = net.state_dict()"""
IN_A_DICT = """\
            state = net.module.state_dict() if spread else net.state_dict()
            kept = {"net": state, "epoch": epoch}"""
OF_THREE = """\
            if spread:
                kept = net.module.state_dict()
            elif epoch > 3:
                kept = net.state_dict()
            else:
                kept = net.state_dict(keep_vars=False)"""
SAVES = '    torch.save(kept, "best.pt")'
RESTORES = "    net.load_state_dict(kept)"


@pytest.mark.parametrize("after", [SAVES, RESTORES], ids=["saved", "restored"])
@pytest.mark.parametrize("takes", [IN_AN_EXPRESSION, IN_STATEMENTS, IN_A_DICT, OF_THREE], ids=["expression", "statements", "dict", "three"])
def test_all_branches_that_take_a_state_are_one_finding_and_one_repair(tmp_path: Path, takes: str, after: str) -> None:
    if takes is IN_A_DICT:
        after = after.replace("load_state_dict(kept)", 'load_state_dict(kept["net"])')
    program = HEAD + SAVED.format(takes=takes, after=after)
    found = [f for f in looplint.lint(program, isolated=True) if f.code == "LL801"]
    assert len(found) == 1
    taken = takes.count("state_dict(")
    assert sum(note.message == "it is taken here too" for note in found[0].related) == taken - 1
    repaired = fixed(tmp_path / "loop.py", program.encode()).decode()
    assert repaired.count("copy.deepcopy(net.") == taken
    assert not any(f.code == "LL801" for f in looplint.lint(repaired, isolated=True))


def test_a_state_that_one_branch_takes_is_copied_there(tmp_path: Path) -> None:
    program = HEAD + SAVED.format(takes="            kept = net.state_dict()", after=SAVES)
    assert fixed(tmp_path / "loop.py", program.encode()).decode().count("copy.deepcopy(net.state_dict())") == 1


def test_states_of_two_models_are_two_findings() -> None:
    takes = '            kept = {"net": net.state_dict()}\n            other = head.state_dict()'
    program = HEAD + SAVED.format(takes=takes, after=SAVES + '\n    torch.save(other, "head.pt")').replace(
        "def fit(net, opt,", "def fit(net, head: nn.Module, opt,"
    ).replace("mse_loss(net(x)", "mse_loss(head(net(x))").replace(
        "    kept = None\n", "    kept = None\n    opt = torch.optim.SGD([*net.parameters(), *head.parameters()])\n"
    )
    assert sum(f.code == "LL801" for f in looplint.lint(program, isolated=True)) == 2
