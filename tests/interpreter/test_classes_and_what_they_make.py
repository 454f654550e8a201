"""An attribute that holds a class first, and then what it makes, is the object where a method of objects is called: on the class, the call would fail."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
from torch.optim import SGD, Adam, AdamW

class Trainer:
    def __init__(self, net, loader, kind="adam"):
        self.net = net
        self.loader = loader
        {chosen}
        {made}

    def train(self):
        self.net.train()
        for x, y in self.loader:
            {cleared}
            loss = nn.functional.mse_loss(self.net(x), y)
            loss.backward(){mark}
            self.opt.step()
"""
MADE = "self.opt = self.opt(self.net.parameters(), lr=1e-3)"
CHOSEN = {
    "one class": ("self.opt = AdamW", MADE),
    "a choice": ("self.opt = Adam if kind == 'adam' else SGD", MADE),
    "the class on a way of its own": (
        "if kind == 'adam':\n            cls = Adam\n        else:\n            cls = SGD; self.opt = SGD",
        "self.opt = cls(self.net.parameters(), lr=1e-3)",
    ),
    "branches": ("if kind == 'adam':\n            self.opt = Adam\n        else:\n            self.opt = SGD", MADE),
}


@pytest.mark.parametrize("case", CHOSEN)
def test_a_method_is_the_object_s(case: str) -> None:
    chosen, made = CHOSEN[case]
    assert_marked(PROGRAM.format(chosen=chosen, made=made, cleared="pass", mark="  # expect: LL102"))
    assert_marked(PROGRAM.format(chosen=chosen, made=made, cleared="self.opt.zero_grad()", mark=""))


def test_a_function_beside_it_may_be_called() -> None:
    chosen = "self.opt = make if kind == 'made' else None"
    made = "self.opt = self.opt or AdamW(self.net.parameters(), lr=1e-3)"
    assert_marked("from engine import make\n" + PROGRAM.format(chosen=chosen, made=made, cleared="pass", mark=""))
