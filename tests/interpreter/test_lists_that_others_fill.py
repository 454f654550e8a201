"""A list that an object keeps, and that is empty when the object is made, may have items in a method that nobody calls."""

from __future__ import annotations

from textwrap import dedent

import pytest

from looplint.linting.analysis import build_program
from looplint.queries.coverage import training_loops
from looplint.sources.reading import from_text
from programs import assert_marked

STRATEGY = """
class Strategy:
    def __init__(self, lr):
        self.model = nn.Linear(4, 2)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=lr)
        self.rewards, self.samples = [], []
        self.log_probs = list()

    def evaluate(self, sample):
        self.samples.append(sample)
        return self.model(sample)
"""
LOUD = {
    "as many as there are of others": """
            def update(self):
                if len(self.samples) != len(self.rewards):
                    raise ValueError("one reward for each")
                for sample, reward in zip(self.samples, self.rewards):
                    loss = (self.model(sample) * reward).sum()
                    loss.backward()  # expect: LL102
                    self.optimizer.step()
        """,
    "enough of them": """
            def learn(self, steps):
                if len(self.rewards) < 32:
                    return
                for _ in range(steps):
                    loss = self.model(self.draw()).sum()
                    loss.backward()  # expect: LL102
                    self.optimizer.step()
        """,
    "any at all": """
            def learn(self, steps):
                if not self.log_probs:
                    return None
                for sample in self.log_probs:
                    self.optimizer.zero_grad()
                    loss = self.model(sample).sum()
                    self.optimizer.step()  # expect: LL105
                    loss.backward()
        """,
    "through a method of its own": """
            def ready(self):
                return len(self.rewards) > 0

            def learn(self, loader):
                if not self.ready():
                    return
                for x in loader:
                    loss = self.model(x).sum()
                    loss.backward()  # expect: LL102
                    self.optimizer.step()
        """,
}
FILLED = """
class Trainer:
    def __init__(self, loader):
        self.loader, self.first, self.second = loader, nn.Linear(4, 2), nn.Linear(4, 2)
        self.optimizers = []
        self.optimizers.append(torch.optim.Adam(self.first.parameters()))
        self.optimizers.append(torch.optim.Adam(self.second.parameters()))

    def train(self):
        for x in self.loader:
            for optimizer in self.optimizers[:1] if LATE else self.optimizers:
                optimizer.zero_grad()
            (self.first(x) + self.second(x)).sum().backward()
            for optimizer in self.optimizers:
                optimizer.step()
"""


@pytest.mark.parametrize("method", [pytest.param(text, id=name) for name, text in LOUD.items()])
def test_a_method_that_nobody_calls_is_followed_behind_a_test_of_what_others_fill(method: str) -> None:
    indented = "\n".join(f"    {line}" if line else "" for line in dedent(method).splitlines())
    assert_marked(STRATEGY + indented)


def test_what_a_constructor_fills_is_known() -> None:
    text = FILLED.replace("self.optimizers[:1] if LATE else self.optimizers", "self.optimizers")
    assert_marked(text)
    program, info = build_program(from_text(f"import torch\nfrom torch import nn\n{text}", None, "train.py"))
    assert [loop.reason for loop in training_loops(program, info, [info])] == [""]


def test_who_builds_the_object_and_calls_the_method_is_believed() -> None:
    method = """
    def update(self):
        if not self.rewards:
            return
        for sample in self.samples:
            self.model(sample).sum().backward()
            self.optimizer.step()

Strategy(0.1).update()
"""
    assert_marked(STRATEGY + method)
