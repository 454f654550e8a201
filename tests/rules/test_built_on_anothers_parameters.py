"""An optimizer that was copied from another one, with the parameters of that: the order of its step is right (LL105, LL101), and a model has no optimizer (LL106)."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
import torch.nn.functional as F
from torch import nn, optim
{above}


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 1)

    def forward(self, x):
        return self.body(x)


class Agent:
    def __init__(self, loader):
        self.one, self.two, self.actor = Critic(), Critic(), nn.Linear(4, 4)
        self.opt1 = optim.Adam(self.one.parameters())
        self.opt2 = optim.Adam({held})
        self.opt3 = optim.Adam(self.actor.parameters())
        {built}
        self.loader = loader

    def run(self):
        for x, y in self.loader:
            loss1 = F.mse_loss(self.one(x), y)
            loss2 = F.mse_loss(self.two(x), y)
            self.opt1.zero_grad()
            loss1.backward()
            self.opt1.step()
            self.opt2.zero_grad()
            {before}
            self.opt2.step()
            {after}
            self.opt3.zero_grad()
            (-self.one(self.actor(x)).mean()).backward()
            self.opt3.step()


Agent(make()).run()
"""
LEFT_OUT = {
    "of the critic before": {"held": "self.one.parameters()"},
    "of the actor behind": {"held": "self.actor.parameters()"},
    "in a list": {"held": "list(self.one.parameters())"},
    "clipped": {
        "held": "self.one.parameters()",
        "before": "loss2.backward()\n            nn.utils.clip_grad_norm_(self.two.parameters(), 1.0)",
    },
}
OTHERWISE = {
    "its own": {"held": "self.two.parameters()"},
    "of both": {"held": "[*self.one.parameters(), *self.two.parameters()]"},
    "added later": {"held": "self.one.parameters()", "built": "self.opt2.add_param_group({'params': self.two.parameters()})"},
    "held by a fourth": {
        "held": "self.one.parameters()",
        "built": "self.opt4 = optim.SGD(self.two.parameters(), 0.1)",
        "after": "self.opt4.step(); self.opt4.zero_grad()",
    },
    "stepped by hand": {
        "held": "self.one.parameters()",
        "after": "for p in self.two.parameters():\n                p.data.add_(p.grad, alpha=-0.1)",
    },
    "stepped out of sight": {"held": "self.one.parameters()", "above": "from elsewhere import descend", "after": "descend(self.two)"},
}
OUT_OF_ORDER = {
    "its own": {"held": "self.two.parameters()", "before": "pass", "after": "loss2.backward()"},
    "behind a backward for an input": {
        "held": "self.two.parameters()",
        "before": "torch.autograd.grad(loss1, x)",
        "after": "loss2.backward()",
    },
}


def _codes(given: dict[str, str]) -> list[tuple[str, str]]:
    text = PROGRAM.format_map({"above": "", "built": "pass", "before": "loss2.backward()", "after": "pass"} | given)
    found = looplint.lint(text, select=["LL101", "LL105", "LL106", "LL107"], isolated=True)
    return [(f.code, text.splitlines()[f.location.row - 1].strip()) for f in found]


@pytest.mark.parametrize("given", LEFT_OUT.values(), ids=LEFT_OUT)
def test_a_model_has_no_optimizer(given: dict[str, str]) -> None:
    assert _codes(given) == [("LL106", "loss2.backward()")]


@pytest.mark.parametrize("given", OTHERWISE.values(), ids=OTHERWISE)
def test_it_is_stepped_otherwise(given: dict[str, str]) -> None:
    assert "LL106" not in {code for code, _ in _codes(given)}


@pytest.mark.parametrize("given", OUT_OF_ORDER.values(), ids=OUT_OF_ORDER)
def test_a_step_before_its_own_backward(given: dict[str, str]) -> None:
    assert _codes(given) == [("LL105", "self.opt2.step()")]


def test_what_is_said() -> None:
    text = PROGRAM.format_map(
        {"above": "", "built": "pass", "before": "loss2.backward()", "after": "pass", "held": "self.one.parameters()"}
    )
    (found,) = looplint.lint(text, select=["LL1"], isolated=True)
    assert found.message == (
        "no optimizer holds self.two, whose gradients are computed here: it never learns; self.opt2 holds what self.opt1 does: build it on self.two"
    )
    assert found.fix is None
    assert [n.location.row for n in found.related] == [20]


ALONE = """\
import torch.nn.functional as F
from torch import nn, optim


class Critic(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Linear(width, 1)

    def forward(self, x):
        return self.body(x)


class Agent:
    def __init__(self, width):
        self.one, self.two = Critic(width), Critic(width)
        self.opt1 = optim.Adam(self.one.parameters())
        self.opt2 = optim.Adam(self.one.parameters())

    def update(self, x, y):
        loss1, loss2 = F.mse_loss(self.one(x), y), F.mse_loss(self.two(x), y)
        self.opt1.zero_grad()
        loss1.backward()
        self.opt1.step()
        self.opt2.zero_grad()
        {before}
        self.opt2.step()
"""


@pytest.mark.parametrize(("before", "expected"), [("loss2.backward()", []), ("pass", ["LL101"])])
def test_gradients_of_another_model_are_cleared_rightly(before: str, expected: list[str]) -> None:
    found = looplint.lint(ALONE.format(before=before), select=["LL101", "LL105"], isolated=True)
    assert [f.code for f in found] == expected
