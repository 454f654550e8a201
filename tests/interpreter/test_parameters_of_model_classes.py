"""A parameter whose annotation names a model's class is a model, also where its methods alone are called: `model.forward(x)`, `model.loss(x, y)`."""

from __future__ import annotations

import pytest

from programs import assert_marked

_NET = """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = nn.Sequential(nn.Linear(3, 3), nn.Dropout())
                self.temperature = 1.0
            def forward(self, x):
                return self.body(x)
            def loss(self, x, y):
                return F.mse_loss(self.body(x), y)
            def scale(self, size):
                return size * self.temperature
"""
PROGRAMS = {
    "its forward is called directly, and nothing goes backward": _NET
    + """
        def train(model: Net, optimizer, loader):
            for x, y in loader:
                optimizer.zero_grad()
                loss = F.mse_loss(model.forward(x), y)
                optimizer.step()  # expect: LL107
        """,
    "its own method gives the loss, and nothing goes backward": _NET
    + """
        class Trainer:
            def fit(self, model: "Net", optimizer, loader):
                for x, y in loader:
                    optimizer.zero_grad()
                    loss = model.loss(x, y)
                    optimizer.step()  # expect: LL107
        """,
    "its losses are kept with their graphs": _NET
    + """
        def train(model: Net, optimizer, loader):
            total = 0
            for x, y in loader:
                optimizer.zero_grad()
                loss = model.loss(x, y)
                loss.backward()
                optimizer.step()
                total += loss  # expect: LL402
            return total
        """,
    "the loop is complete": _NET
    + """
        def train(model: Net, optimizer, loader):
            total = 0
            for x, y in loader:
                optimizer.zero_grad()
                loss = model.loss(x, y)
                loss.backward()
                optimizer.step()
                total += loss.item()
            return total
        """,
    "its class is handed in": _NET
    + """
        def train(model: type[Net], optimizer, loader):
            for x, y in loader:
                optimizer.zero_grad()
                size = model.scale(x)
                optimizer.step()
        """,
    "it is asked for a number": _NET
    + """
        def place(model: Net, optimizer, loader):
            for x, y in loader:
                optimizer.zero_grad()
                F.mse_loss(x * model.scale(3), y).backward()
                optimizer.step()
        """,
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_is_a_model(program: str) -> None:
    """Its class says what its methods compute."""
    assert_marked(program)
