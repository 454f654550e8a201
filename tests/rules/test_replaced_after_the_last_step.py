"""A parameter that is replaced when its optimizer has stepped for the last time is missed by no step."""

from __future__ import annotations

import pytest

import looplint
from programs import assert_marked

MODEL = """
import torch
from torch import nn, optim

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.mu = nn.Parameter(torch.rand(4, 2))

    def forward(self, x):
        return x @ self.mu

    def settle(self):
        self.mu = nn.Parameter(torch.rand(4, 2)){mark}

    def fit(self, batches, epochs):
        optimizer = optim.SGD(self.parameters(), lr=0.1)
        for epoch in range(epochs):
            for x in batches:
                optimizer.zero_grad()
                self(x).pow(2).mean().backward()
                optimizer.step()
            {in_the_loop}
        {after_the_loop}

{run}
"""
RUN = "model = Model()\nmodel.fit([torch.randn(8, 4) for _ in range(3)], 5)"


def _model(mark: str = "", in_the_loop: str = "pass", after_the_loop: str = "pass", run: str = RUN) -> str:
    blanks = {"mark": mark, "in_the_loop": in_the_loop, "after_the_loop": after_the_loop, "run": run}
    text = MODEL
    for blank, filling in blanks.items():
        text = text.replace("{" + blank + "}", filling)
    return text


def test_no_step_comes_after_it() -> None:
    assert_marked(_model(after_the_loop="self.settle()"))
    assert_marked(_model(run=f"{RUN}\nmodel.settle()"))


def test_each_fit_builds_its_own_optimizer() -> None:
    assert_marked(_model(after_the_loop="self.settle()", run=f"{RUN}\nmodel.fit([torch.randn(8, 4)], 5)"))


@pytest.mark.parametrize("when", ["self.settle()", "if epoch == 2: self.settle()"])
def test_steps_of_later_epochs_miss_it(when: str) -> None:
    assert_marked(_model("  # expect: LL502", in_the_loop=when))


STAGES = """\
from torch import nn, optim


def fit(net, opt, loader):
    for x, y in loader:
        opt.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        opt.step()


def main(net: nn.Module, stages, reset):
    for i, loader in enumerate(stages):
        BUILT
        fit(net, opt, loader)
        if reset:
            net.classifier = nn.Linear(2048, 10)
        BEHIND
"""


@pytest.mark.parametrize(
    ("built", "behind", "expected"),
    [
        ("opt = optim.SGD(net.parameters(), lr=0.1)", "print(i)", []),
        ("opt = optim.SGD(net.parameters(), lr=0.1 / (1 + i))", "print(i)", []),
        ("opt = optim.SGD(net.parameters(), lr=0.1)", "fit(net, opt, loader)", ["LL502"]),
        ("if i == 0:\n            opt = optim.SGD(net.parameters(), lr=0.1)", "print(i)", ["LL502"]),
    ],
)
def test_an_optimizer_that_each_turn_builds_anew_holds_the_new_part(built: str, behind: str, expected: list[str]) -> None:
    text = STAGES.replace("BUILT", built).replace("BEHIND", behind)
    assert [f.code for f in looplint.lint(text, isolated=True) if f.code == "LL502"] == expected
