"""An abstract method of what is handed in is that of some class out of sight: it does what its name says, and not what its body does."""

from __future__ import annotations

import pytest

from programs import assert_marked

SETUP = """
        from abc import ABC, abstractmethod
        import abc
        class Strategy(ABC):
            @abstractmethod
            def backward(self, loss, model):
                pass
            @abc.abstractmethod
            def place(self, model):
                ...
            def finish(self, model):
                pass
        class Trainer:
            def __init__(self, model, strategy: Strategy, loader):
                self.model, self.strategy, self.loader = model, strategy, loader
                self.opt = torch.optim.Adam(model.parameters())
"""
PROGRAMS = {
    "sends the loss backward": """
            def fit(self):
                for x, y in self.loader:
                    self.strategy.backward(nn.functional.mse_loss(self.model(x), y), self.model)
                    self.opt.step()
                    self.opt.zero_grad()
    """,
    "sends the loss backward, and its gradients are cleared": """
            def fit(self):
                for x, y in self.loader:
                    self.strategy.backward(nn.functional.mse_loss(self.model(x), y), None)
                    self.opt.zero_grad()  # expect: LL101
                    self.opt.step()
    """,
    "is trained on in eval mode": """
            def fit(self, epochs, valid):
                for epoch in range(epochs):
                    for x, y in self.loader:
                        self.opt.zero_grad()
                        loss = nn.functional.mse_loss(self.model(x), y)  # expect: LL301
                        self.strategy.backward(loss, None)
                        self.opt.step()
                    self.model.eval()
                    with torch.no_grad():
                        for x, y in valid:
                            print(nn.functional.mse_loss(self.model(x), y).item())
    """,
    "gives back a model": """
            def fit(self):
                model = self.strategy.place(self.model)
                opt = torch.optim.Adam(model.parameters())
                for x, y in self.loader:
                    opt.zero_grad()
                    nn.functional.mse_loss(model(x), y).backward()
                    opt.step()
    """,
    "a method that subclasses may leave as it is": """
            def fit(self, epochs):
                for epoch in range(epochs):
                    for x, y in self.loader:
                        nn.functional.mse_loss(self.model(x), y).backward()  # expect: LL102
                        self.opt.step()
                    self.strategy.finish(self.model)
    """,
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_abstract_methods(program: str) -> None:
    assert_marked(SETUP + program)
