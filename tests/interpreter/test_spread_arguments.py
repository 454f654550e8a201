"""What comes through `*` and `**` of which names and number are not known has the graph that it has elsewhere: no parameter that it may come to is without it."""

from __future__ import annotations

import pytest

from tests.programs import assert_marked

PROGRAM = """
from dataclasses import dataclass
from losses import out_of_sight
from torch import optim


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(2, 2), nn.Linear(2, 2)

    def forward(self, x):
        {returned}


@dataclass
class Outputs:
    a: torch.Tensor
    b: torch.Tensor
    scale: float = 1.0


def of_both(a, b, scale=1.0):
    return (a.mean() + b.mean()) * scale


def of_the_second(a, b):
    return b.mean()


def of_options(a=None, b=None):
    return b.mean()


def of_the_rest(a, **others):
    return others["b"].mean()


def train(loader):
    net, head = Net(), nn.Linear(2, 2)
    optimizer = optim.SGD(net.parameters(), lr=0.1)
    net.train()
    for x, y in loader:
        {cleared}
        given = net(x)
        loss = {loss} * head(y).mean()
        loss.backward(){mark}
        optimizer.step()
"""
DICT = "return {name: part(x) for name, part in self.named_children()}"
LIST = "return [part(x) for part in self.children()]"
LOSSES = {
    "fields": (DICT, "Outputs(**given).b.mean()"),
    "parameters": (DICT, "of_both(**given)"),
    "one of the parameters": (DICT, "of_the_second(**given)"),
    "parameters with a default": (DICT, "of_options(**given)"),
    "what is left over": (DICT, "of_the_rest(**given)"),
    "entries of a new dict": (DICT, "dict(**given)['b'].mean()"),
    "code out of sight": (DICT, "out_of_sight(**given)"),
    "a dict of what it holds": (DICT, "of_both(**{name: value.float() for name, value in given.items()})"),
    "parameters by their place": (LIST, "of_both(*given)"),
    "the second by its place": (LIST, "of_the_second(*given)"),
    "fields by their place": (LIST, "Outputs(*given).b.mean()"),
    "code out of sight by places": (LIST, "out_of_sight(*given)"),
}


def _program(case: str, cleared: str, mark: str) -> str:
    returned, loss = LOSSES[case]
    return PROGRAM.format(returned=returned, loss=loss, cleared=cleared, mark=mark)


@pytest.mark.parametrize("case", LOSSES)
def test_the_loss_trains_the_model(case: str) -> None:
    assert_marked(_program(case, "optimizer.zero_grad()", ""))


@pytest.mark.parametrize("case", [case for case in LOSSES if "sight" not in case])
def test_its_loop_is_judged(case: str) -> None:
    assert_marked(_program(case, "pass", "  # expect: LL102"))
