"""An abstract method that does something does it where a subclass's own method calls it: `super().training_step(batch)`."""

from __future__ import annotations

import pytest

from programs import assert_marked

SETUP = """
        from abc import ABC, abstractmethod
        class Trainer(ABC):
            def __init__(self, model, loader, valid):
                self.model, self.loader, self.valid = model, loader, valid
                self.opt = torch.optim.Adam(model.parameters())
            @abstractmethod
            def backward(self, loss):
                loss.backward()
            @abstractmethod
            def clear(self):
                self.opt.zero_grad()
            @abstractmethod
            def step(self, batch):
                self.model.train()
                self.opt.zero_grad()
                self.backward(nn.functional.mse_loss(self.model(batch[0]), batch[1]))
                self.opt.step()
            @abstractmethod
            def finish(self):
                '''What is left to do.'''
        class Mine(Trainer):
            def backward(self, loss):
                super().backward(loss)
            def clear(self):
                super(Mine, self).clear()
            def step(self, batch):
                Trainer.step(self, batch)
            def finish(self):
                super().finish()
"""
PROGRAMS = {
    "a training step": """
            def fit(self):
                for epoch in range(9):
                    for batch in self.loader:
                        self.step(batch)
                    with torch.no_grad():
                        for x, y in self.valid:
                            print(nn.functional.mse_loss(self.model(x), y).item())  # expect: LL302
    """,
    "a backward": """
            def fit(self):
                for x, y in self.loader:
                    self.backward(nn.functional.mse_loss(self.model(x), y))
                    self.opt.zero_grad()  # expect: LL101
                    self.opt.step()
    """,
    "all is well": """
            def fit(self):
                for x, y in self.loader:
                    self.clear()
                    self.backward(nn.functional.mse_loss(self.model(x), y))
                    self.opt.step()
    """,
    "what does nothing may be that of another base": """
            def fit(self):
                for x, y in self.loader:
                    nn.functional.mse_loss(self.model(x), y).backward()
                    self.opt.step()
                    self.finish()
    """,
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_abstract_methods_that_a_subclass_adds_to(program: str) -> None:
    assert_marked(SETUP + program)
