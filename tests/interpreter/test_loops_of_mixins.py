"""A training loop that a mixin has is followed on an object of the class that puts it together with what the mixin calls."""

from __future__ import annotations

from textwrap import dedent

import pytest

from programs import assert_marked

BASE = """
class Epocher:
    def __init__(self, *, model: nn.Module, optimizer: torch.optim.Optimizer, loader):
        self.model = model
        self.optimizer = optimizer
        self.loader = loader
    def forward_pass(self, x):
        return self.model(x)
    def loss_of(self, out, y):
        return nn.functional.mse_loss(out, y)
"""
PROGRAMS = {
    "a graph that is kept for nothing": """
        class Pretraining:
            optimizer: torch.optim.Optimizer
            def run(self):
                for x, y in self.loader:
                    loss = self.loss_of(self.forward_pass(x), y)
                    self.optimizer.zero_grad()
                    loss.backward(retain_graph=True)  # expect: LL110
                    self.optimizer.step()
        class PretrainEpocher(Pretraining, Epocher):
            pass
        """,
    "nothing goes backward": """
        class Pretraining:
            optimizer: torch.optim.Optimizer
            def run(self):
                for x, y in self.loader:
                    loss = self.loss_of(self.forward_pass(x), y)
                    self.optimizer.zero_grad()
                    self.optimizer.step()  # expect: LL107
        class PretrainEpocher(Pretraining, Epocher):
            def describe(self):
                return "pretraining"
        """,
    "two classes with one mixin": """
        class Pretraining:
            optimizer: torch.optim.Optimizer
            def __init__(self, *, scale=1.0, **kwargs):
                super().__init__(**kwargs)
                self.scale = scale
            def run(self):
                losses = []
                for x, y in self.loader:
                    loss = self.loss_of(self.forward_pass(x), y)
                    self.optimizer.zero_grad()
                    loss.backward()
                    self.optimizer.step()
                    losses.append(loss)  # expect: LL401
                return [float(loss) for loss in losses]
        class First(Pretraining, Epocher):
            pass
        class Second(Pretraining, Epocher):
            def loss_of(self, out, y):
                return nn.functional.l1_loss(out, y)
        """,
    "the class beside it goes backward": """
        class Backward(Epocher):
            def update(self, x, y):
                loss = self.loss_of(self.forward_pass(x), y)
                loss.backward()
        class Pretraining:
            optimizer: torch.optim.Optimizer
            def run(self):
                for x, y in self.loader:
                    self.optimizer.zero_grad()
                    self.update(x, y)
                    self.optimizer.step()
        class PretrainEpocher(Pretraining, Backward):
            pass
        """,
    "the class beside it clears": """
        class Clearing(Epocher):
            def begin(self):
                self.optimizer.zero_grad()
        class Pretraining:
            optimizer: torch.optim.Optimizer
            def run(self):
                for x, y in self.loader:
                    self.begin()
                    self.loss_of(self.forward_pass(x), y).backward()
                    self.optimizer.step()
        class PretrainEpocher(Pretraining, Clearing):
            pass
        """,
    "the class beside it clears, for a loop that another method calls": """
        class Clearing(Epocher):
            def begin(self):
                self.optimizer.zero_grad()
        class Pretraining:
            optimizer: torch.optim.Optimizer
            def run(self):
                self.model.train()
                return self.run_pretraining()
            def run_pretraining(self):
                for x, y in self.loader:
                    self.begin()
                    self.loss_of(self.forward_pass(x), y).backward()
                    self.optimizer.step()
        class PretrainEpocher(Pretraining, Clearing):
            pass
        """,
    "an eval mode that the class beside it leaves": """
        class Checked(Epocher):
            def check(self):
                self.model.eval()
                with torch.no_grad():
                    for x, y in self.held_out:
                        print(self.loss_of(self.model(x), y).item())
        class Pretraining:
            optimizer: torch.optim.Optimizer
            def run(self):
                self.model.train()
                for epoch in range(9):
                    self.run_epoch()
                    self.check()
            def run_epoch(self):
                for x, y in self.loader:
                    self.optimizer.zero_grad()
                    self.loss_of(self.model(x), y).backward()  # expect: LL301
                    self.optimizer.step()
        class PretrainEpocher(Pretraining, Checked):
            pass
        """,
    "what it calls is nowhere": """
        class Pretraining:
            optimizer: torch.optim.Optimizer
            def run(self):
                for x, y in self.loader:
                    self.optimizer.zero_grad()
                    loss = self.regularization(self.forward_pass(x), y)
                    self.optimizer.step()
        class PretrainEpocher(Pretraining, Epocher):
            pass
        """,
    "a class of it is built, and trained": """
        class Pretraining:
            def run(self):
                for x, y in self.loader:
                    loss = self.loss_of(self.forward_pass(x), y)
                    self.optimizer.zero_grad()
                    loss.backward()
                    self.optimizer.step()
        class PretrainEpocher(Pretraining, Epocher):
            pass
        def main(loader):
            model = nn.Linear(2, 1)
            PretrainEpocher(model=model, optimizer=torch.optim.SGD(model.parameters(), lr=0.1), loader=loader).run()
        """,
}


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in PROGRAMS.items()])
def test_what_a_mixin_calls_stands_beside_it(text: str) -> None:
    assert_marked(BASE + dedent(text))
