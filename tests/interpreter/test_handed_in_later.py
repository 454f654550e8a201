"""What a method that nobody calls is handed takes the place of what the constructor was given: the other methods go on with it."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAMS = {
    "the optimizer of a model that grows": """
        class Steps:
            def __init__(self, critic, optimizer, device):
                self.critic, self.optimizer, self.device = critic, optimizer, device

            def train(self, x, rounds):
                for _ in range(rounds):
                    loss = self.critic(x.to(self.device)).mean()
                    loss.backward()
                    self.optimizer.zero_grad()  # expect: LL101
                    self.optimizer.step()

            def grow(self, optimizer):
                self.optimizer = optimizer
        """,
    "an optimizer and its scheduler": """
        class Trainer:
            def __init__(self, model: nn.Module, optimizer, scheduler, loader):
                self.model, self.optimizer, self.scheduler, self.loader = model, optimizer, scheduler, loader

            def restart(self, optimizer, scheduler):
                self.optimizer, self.scheduler = optimizer, scheduler

            def epoch(self):
                for x, y in self.loader:
                    nn.functional.cross_entropy(self.model(x), y).backward()  # expect: LL102
                    self.optimizer.step()
                self.scheduler.step()
        """,
    "in the place of what the constructor has built": """
        class Trainer:
            def __init__(self, model: nn.Module, loader):
                self.model, self.loader = model, loader
                self.optimizer = torch.optim.Adam(model.parameters())

            def use(self, optimizer):
                self.optimizer = optimizer

            def epoch(self):
                for x, y in self.loader:
                    loss = nn.functional.cross_entropy(self.model(x), y)
                    self.optimizer.zero_grad()
                    self.optimizer.step()  # expect: LL105
                    loss.backward()
        """,
    "a method that goes on to train": """
        class Trainer:
            def __init__(self, model: nn.Module, optimizer, loader):
                self.model, self.loader, self.optimizer = model, loader, optimizer

            def epoch(self):
                for x, y in self.loader:
                    self.optimizer.zero_grad()
                    self.optimizer.step()  # expect: LL105
                    nn.functional.cross_entropy(self.model(x), y).backward()

            def phase(self, optimizer):
                self.optimizer = optimizer
                self.epoch()
        """,
    "the first stays in a list that clears": """
        class Trainer:
            def __init__(self, model: nn.Module, optimizer, loader):
                self.model, self.loader, self.optimizer = model, loader, optimizer
                self.all = [optimizer]

            def use(self, optimizer):
                self.optimizer = optimizer
                self.all.append(optimizer)

            def epoch(self):
                for x, y in self.loader:
                    for each in self.all:
                        each.zero_grad()
                    nn.functional.cross_entropy(self.model(x), y).backward()
                    self.optimizer.step()
        """,
    "the first goes on under another name": """
        class Trainer:
            def __init__(self, model: nn.Module, optimizer, loader):
                self.model, self.loader, self.optimizer = model, loader, optimizer

            def both(self, optimizer):
                first = self.optimizer
                self.optimizer = optimizer
                for x, y in self.loader:
                    first.zero_grad()
                    nn.functional.cross_entropy(self.model(x), y).backward()
                    self.optimizer.zero_grad()
                    first.step()
                    nn.functional.cross_entropy(self.model(x), y).backward()
                    self.optimizer.step()
        """,
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_what_a_method_is_handed_later_goes_on_in_the_place_of_the_first(program: str) -> None:
    assert_marked(program)
