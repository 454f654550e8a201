"""A sum that begins with a leaf made of a constant has the graphs of what is added; a leaf made of a value has none, whatever stands beside it."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
    import dataclasses
    import torch
    from torch import nn, optim
    import lib
    @dataclasses.dataclass
    class Out:
        value: torch.Tensor
        aside: torch.Tensor
    def fit(loader):
        net = nn.Linear(4, 1)
        optimizer = optim.SGD(net.parameters(), lr=0.1)
        for x, y in loader:
            optimizer.zero_grad()
            value, aside = {made}
            loss = {loss}
            loss.backward()
            optimizer.step(){mark}
"""
NOT_KNOWN = "dataclasses.astuple(Out(net(x), y))"
SUMS = {
    "a constant": (NOT_KNOWN, "torch.tensor(0.0, requires_grad=True) + value"),
    "zeros": (NOT_KNOWN, "torch.autograd.Variable(torch.zeros(1), requires_grad=True) + value"),
    "asked for afterwards": (NOT_KNOWN, "torch.zeros(1).requires_grad_() + value"),
}


@pytest.mark.parametrize(("made", "loss"), SUMS.values(), ids=SUMS)
def test_what_is_not_known_may_have_the_graph(made: str, loss: str) -> None:
    assert_marked(PROGRAM.format(made=made, loss=loss, mark=""))


VALUES = {
    "a variable beside a target": (
        "torch.autograd.Variable(net(x), requires_grad=True), lib.some()",
        "nn.functional.mse_loss(value, aside)",
    ),
    "a number": ("net(x).item(), lib.some()", "torch.tensor(value, requires_grad=True) - aside"),
    "a list": ("net(x), lib.some()", "torch.tensor(value.tolist(), requires_grad=True).mean() - aside"),
}


@pytest.mark.parametrize(("made", "loss"), VALUES.values(), ids=VALUES)
def test_what_is_made_of_a_value_has_none(made: str, loss: str) -> None:
    assert_marked(PROGRAM.format(made=made, loss=loss, mark="  # expect: LL107"))
