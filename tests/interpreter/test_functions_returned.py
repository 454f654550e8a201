"""A function that another one makes and returns is followed where nobody in sight calls either of them, as one is that stands in the file itself."""

from __future__ import annotations

import pytest

import looplint

MAKER = """\
import torch
from torch import nn


def make_evaluation(config, model):
    measure = nn.MSELoss()

    def evaluate(loader):
        model.eval()
        total = 0.0
        BODY
        return total

    RETURN
"""
PASS = """\
for x, y in loader:
            total += measure(model(x), y).item()"""
MEASURED = f"""\
with torch.no_grad():
            {PASS.replace(chr(10), chr(10) + "    ")}"""


def codes(body: str, returned: str, more: str = "") -> list[str]:
    return [f.code for f in looplint.lint(MAKER.replace("BODY", body).replace("RETURN", returned) + more, isolated=True)]


@pytest.mark.parametrize(
    "returned",
    [
        "return evaluate",
        "return model, evaluate",
        "return {'eval': evaluate}",
        "return [evaluate]",
        "return evaluate if config.eval else None",
    ],
)
def test_one_that_is_returned_is_followed(returned: str) -> None:
    assert codes(PASS, returned) == ["LL303"]
    assert codes(MEASURED, returned) == []


@pytest.mark.parametrize("returned", ["pass", "return model", "return {}"])
def test_one_that_nobody_gets_is_not(returned: str) -> None:
    assert codes(PASS, returned) == []


def test_one_that_is_called_is_followed_as_it_is_called() -> None:
    used = """
def main(config, model, loader):
    with torch.no_grad():
        print(make_evaluation(config, model)(loader))
"""
    assert codes(PASS, "return evaluate", used) == []


def test_what_a_method_returns_is_followed_with_what_it_was_made_with() -> None:
    text = """\
import torch
from torch import nn


class Engine:
    def __init__(self):
        self.model = nn.Linear(2, 1)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)

    def step(self):
        optimizer = self.optimizer

        def run(loader):
            for x, y in loader:
                CLEAR
                nn.functional.mse_loss(self.model(x), y).backward()
                optimizer.step()

        return run
"""
    assert [f.code for f in looplint.lint(text.replace("CLEAR", "pass"), isolated=True)] == ["LL102"]
    assert looplint.lint(text.replace("CLEAR", "optimizer.zero_grad()"), isolated=True) == []


def test_what_one_returns_may_go_backward_with_its_caller() -> None:
    text = """\
from torch import nn


def make_loss(train):
    def loss_of(model, batch):
        model.train() if train else model.eval()
        return nn.functional.mse_loss(model(batch), batch)

    return loss_of
"""
    assert looplint.lint(text, isolated=True) == []
