"""What a caller hands in is an object of the loop, or a class that makes one: its use shows which."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAMS = {
    "the class of an optimizer is handed in, and its object takes its name": """
        class Trainer:
            def __init__(self, model, data):
                self.model, self.data = model, data
            def find_learning_rate(self, optimizer, iterations=10, **kwargs):
                optimizer = optimizer(self.model.parameters(), lr=0.1, **kwargs)
                for batch in DataLoader(self.data, batch_size=8, shuffle=True):
                    loss = self.model.forward_loss(batch)
                    loss.backward()
                    optimizer.zero_grad()  # expect: LL101
                    optimizer.step()
        """,
    "an optimizer or its class is handed in": """
        def fit(model, loader, optimizer=optim.SGD, **kwargs):
            if inspect.isclass(optimizer):
                optimizer = optimizer(model.parameters(), **kwargs)
            optimizer = cast(optim.Optimizer, optimizer)
            for batch in loader:
                loss = model.forward_loss(batch)
                loss.backward()
                optimizer.zero_grad()  # expect: LL101
                optimizer.step()
        """,
    "an optimizer is handed in, or built": """
        def fit(model: nn.Module, loader, optimizer=None):
            if optimizer is None:
                optimizer = optim.Adam(model.parameters())
            for x, y in loader:
                nn.functional.mse_loss(model(x), y).backward()  # expect: LL102
                optimizer.step()
        """,
    "the class of a model is handed in, and its object takes its name": """
        def fit(model, optimizer, loader):
            model = model(hidden=3)
            optimizer = optimizer(model.parameters())
            for x, y in loader:
                optimizer.zero_grad()
                optimizer.step()  # expect: LL105
                nn.functional.mse_loss(model(x), y).backward()
        """,
    "what is called to take its own place is called again": """
        def fit(model, optimizer, loader):
            loss = nn.MSELoss()
            for x, y in loader:
                x = x(1)
                optimizer.zero_grad()
                loss(model(x), y).backward()
                optimizer.step()
        """,
}


@pytest.mark.parametrize("program", [pytest.param(text, id=name) for name, text in PROGRAMS.items()])
def test_each_marked_line_is_reported_and_no_other(program: str) -> None:
    assert_marked(program)
