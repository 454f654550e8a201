"""What callers hand in together, in a dict or a list, is not detached where it is added up: another caller's may be numbers."""

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn


class Log:
    def __init__(self):
        self.sums = {{}}

    def add(self, losses):
        for {target} in {items}:
            self.sums[{key}] = self.sums.get({key}, 0)
            self.sums[{key}] += {value}


def train(model, loader):
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    log = Log()
    for x, y in loader:
        opt.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        opt.step()
        log.add({given})
"""


@pytest.mark.parametrize(
    ("target", "items", "key", "value", "given"),
    [
        ("name, value", "losses.items()", "name", "value", '{"loss": loss}'),
        ("n, value", "enumerate(losses)", "n", "value", "[loss]"),
        ("name", "losses", "name", "losses[name]", '{"loss": loss}'),
    ],
)
def test_it_is_left_to_the_callers(target: str, items: str, key: str, value: str, given: str) -> None:
    text = PROGRAM.format(target=target, items=items, key=key, value=value, given=given)
    found = [f for f in looplint.lint(text, isolated=True) if f.code == "LL402"]
    assert all(f.fix is None or f.fix.applicability == "unsafe" for f in found)


def test_it_is_said_why() -> None:
    text = PROGRAM.format(target="name, value", items="losses.items()", key="name", value="value", given='{"loss": loss}')
    (found,) = (f for f in looplint.lint(text, isolated=True) if f.code == "LL402")
    assert found.fix is None
    assert found.unrepaired == "it is among what callers pass in, and may be a number"
