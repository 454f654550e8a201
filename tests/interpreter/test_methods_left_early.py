"""A method that left early at each call, for what its object had not got yet, is followed with what the other methods have made since."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
from copy import deepcopy

class Base:
    def __init__(self, net: nn.Module):
        self.net = net
        self.optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

    def train(self, task, loader):
        self.train_loop(task, loader)
        self.finish(task)

    def train_loop(self, task, loader):
        for epoch in range(10):
            self.train_epoch(task, loader)

    def finish(self, task):
        pass

    def train_epoch(self, task, loader):
        for x, y in loader:
            self.optimizer.zero_grad()
            nn.functional.cross_entropy(self.net(x), y).backward()
            self.optimizer.step()


class Distilling(Base):
    def __init__(self, net, options):
        super().__init__(net)
        self.options = options
        self.teacher = {begun}

    def train_loop(self, task, loader):
        super().train_loop(task, loader)
        print(task)

    def finish(self, task):
        {made}

    def train_epoch(self, task, loader):
        if {test}:
            return super().train_epoch(task, loader)
        for x, y in loader:
            {clear}
            outputs = self.net(x)
            loss = nn.functional.cross_entropy(outputs, y) + nn.functional.mse_loss(outputs, self.options(x))
            loss.backward(){mark}
            self.optimizer.step()
"""
KNOWN = {"begun": "None", "made": "self.teacher = deepcopy(self.net)", "test": "self.teacher is None", "clear": "pass"}
MARK = "  # expect: LL102"
FOLLOWED = {
    "a model that is kept at the end": {},
    "asked by its truth": {"test": "not self.teacher"},
    "beside another condition": {"test": "task == 0 or self.teacher is None"},
}


@pytest.mark.parametrize("parts", FOLLOWED.values(), ids=FOLLOWED.keys())
def test_what_comes_behind_the_return_is_judged(parts: dict[str, str]) -> None:
    assert_marked(PROGRAM.format(**{**KNOWN, **parts}, mark=MARK))


def test_nothing_is_said_where_it_is_right() -> None:
    assert_marked(PROGRAM.format(**{**KNOWN, "clear": "self.optimizer.zero_grad()"}, mark=""))


def test_what_its_caller_does_around_it_is_done() -> None:
    assert_marked("""
        from copy import deepcopy
        class Trainer:
            def __init__(self, net: nn.Module):
                self.net = net
                self.teacher = None
                self.optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            def fit(self, loader):
                self.net.train()
                for x, y in loader:
                    self.optimizer.zero_grad()
                    nn.functional.cross_entropy(self.net(x), y).backward()
                    self.distill(x)
                    self.optimizer.step()
            def finish(self):
                self.teacher = deepcopy(self.net)
            def distill(self, x):
                if self.teacher is None:
                    return
                for part in x.chunk(2):
                    (nn.functional.mse_loss(self.net(part), self.teacher(part).detach()) / 2).backward()
        """)
