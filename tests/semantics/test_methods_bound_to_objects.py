"""A function that `types.MethodType` binds to an object is called with it: an engine puts its own step in the place of an optimizer's."""

from __future__ import annotations

import pytest

from tests.programs import assert_marked

PROGRAM = """
import types
import torch
from torch import nn, optim


class Engine:
    def __init__(self, module):
        self.module = module

    def attach(self, optimizer):
        def own_step(_self, **kwargs):
            {options}
            _self.engine.step(**kwargs)
            {kept}

        optimizer.engine = self
        optimizer.original_step = optimizer.step
        optimizer.step = {bound}

    def step(self, loss):
        loss.mean().backward(){mark}


def main(loader):
    net = nn.Linear(2, 2)
    optimizer = optim.Adam(net.parameters(), lr=0.1)
    Engine(net).attach(optimizer)
    for epoch in range(4):
        for x, y in loader:
            {clear}
            loss = nn.functional.mse_loss(net(x), y, reduction="none")
            optimizer.step(loss=loss)


main(torch.utils.data.DataLoader(items, shuffle=True))
"""
BOUND = {
    "a closure that nobody gives": {
        "options": 'closure = kwargs.pop("closure", None)',
        "kept": "_self.original_step(closure=closure)",
        "bound": "types.MethodType(own_step, optimizer)",
    },
    "the object of the frame": {
        "options": 'closure = kwargs.get("closure", None)',
        "kept": "optimizer.original_step(closure)",
        "bound": "types.MethodType(own_step, optimizer)",
    },
    "under a name": {
        "options": "pass",
        "kept": "_self.original_step()",
        "bound": "(lambda function, owner: types.MethodType(function, owner))(own_step, optimizer)",
    },
    "of one that is there": {
        "options": "closure = None",
        "kept": "_self.original_step(closure)",
        "bound": "types.MethodType(own_step, self and optimizer)",
    },
}
LEFT = {
    "a closure that anybody may have left": {
        "options": "kwargs = options()",
        "kept": '_self.original_step(closure=kwargs.pop("closure", None))',
    },
}


@pytest.mark.parametrize("case", BOUND)
def test_nothing_is_cleared_for_the_step(case: str) -> None:
    assert_marked(PROGRAM.format(**BOUND[case], clear="pass", mark="  # expect: LL102"))


@pytest.mark.parametrize("case", BOUND)
def test_each_turn_is_cleared(case: str) -> None:
    assert_marked(PROGRAM.format(**BOUND[case], clear="optimizer.zero_grad()", mark=""))


@pytest.mark.parametrize("case", LEFT)
def test_a_closure_may_clear(case: str) -> None:
    assert_marked(PROGRAM.format(**LEFT[case], bound="types.MethodType(own_step, optimizer)", clear="pass", mark=""))
