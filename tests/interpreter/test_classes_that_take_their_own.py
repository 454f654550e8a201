"""A parameter that is said to be of the very class whose constructor gets it is not built again and again."""

from __future__ import annotations

import pytest

from tests.programs import assert_marked

PROGRAM = """
import torch


{classes}


class Trainer:
    def __init__(self, model: torch.nn.Module, reducer: Reducer, optimizer: torch.optim.Optimizer):
        self.model = model
        self.reducer = reducer
        self.optimizer = optimizer

    def train(self, loader):
        for x, y in loader:
            loss = self.reducer(torch.nn.functional.mse_loss(self.model(x), y))
            loss.backward()
            self.optimizer.zero_grad()  # expect: LL101
            self.optimizer.step()
"""
ITSELF = """
class Reducer:
    def __init__(self, default: "Reducer" = None):
        self.default = default
        self.names = [str(k) for k in range(3)]

    def __call__(self, loss):
        return loss * 2
"""
ANOTHER_OF_ITS_BASE = """
class Base:
    def __init__(self, inner: "Reducer", outer: "Base"):
        self.inner, self.outer = inner, outer
        self.names = [str(k) for k in range(3)]


class Reducer(Base):
    def __call__(self, loss):
        return loss * 2
"""
EACH_OTHER = """
class Log:
    def __init__(self, reducer: "Reducer"):
        self.reducer = reducer


class Reducer:
    def __init__(self, log: Log, again: "Reducer"):
        self.log, self.again = log, again

    def __call__(self, loss):
        return loss * 2
"""


@pytest.mark.parametrize("classes", [ITSELF, ANOTHER_OF_ITS_BASE, EACH_OTHER])
def test_a_class_that_takes_one_of_its_own(classes: str) -> None:
    assert_marked(PROGRAM.format(classes=classes))
