"""What the constructor of a model sets to None, its caller sets where nothing in sight does: `model.optimizer = Adam(model.parameters())`."""

from __future__ import annotations

import pytest

from programs import assert_marked

LEARNER = """
class Learner(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.net = nn.Linear(3, classes)
        self.optimizer = None
        self.scaler = None
        self.mask = None

    def forward(self, x):
        return self.net(x)

    def train_on(self, loader):
        for x, y in loader:
            {body}
"""
CLEARED = "self.optimizer.zero_grad(); loss = nn.functional.cross_entropy(self(x), y); loss.backward(); self.optimizer.step()"
LOUD = {
    "no zero_grad": "loss = nn.functional.cross_entropy(self(x), y); loss.backward(); self.optimizer.step()  # expect: LL102",
    "zero_grad behind the backward": (
        "loss = nn.functional.cross_entropy(self(x), y); loss.backward(); self.optimizer.zero_grad(); self.optimizer.step()  # expect: LL101"
    ),
    "step before the backward": (
        "loss = nn.functional.cross_entropy(self(x), y); self.optimizer.zero_grad(); self.optimizer.step(); loss.backward()  # expect: LL105, LL101"
    ),
    "with a test of it": "assert self.optimizer is not None; nn.functional.cross_entropy(self(x), y).backward(); self.optimizer.step()  # expect: LL102",
}
SILENT = {
    "in order": LEARNER.format(body=CLEARED),
    "with a mask that may be set": LEARNER.format(
        body=CLEARED.replace("loss = ", "x = x if self.mask is None else x * self.mask; loss = ")
    ),
    "with a test of it": LEARNER.format(body="assert self.optimizer is not None; " + CLEARED),
    "that its caller steps": LEARNER.format(body="nn.functional.cross_entropy(self(x), y).backward()"),
}


@pytest.mark.parametrize("body", LOUD.values(), ids=LOUD)
def test_its_loops_are_judged(body: str) -> None:
    assert_marked(LEARNER.format(body=body))


@pytest.mark.parametrize("text", SILENT.values(), ids=SILENT)
def test_a_correct_loop_stays_silent(text: str) -> None:
    assert_marked(text)
