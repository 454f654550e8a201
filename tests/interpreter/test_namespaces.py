"""What a program keeps in a namespace is what the namespace gives back, of whatever class it is."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
from argparse import Namespace
from collections.abc import Mapping
from types import SimpleNamespace

{cls}

def create(policy):
    optimizer = torch.optim.Adam(policy.parameters(), lr=0.1)
    return {made}

def train(data, loader):
    for x, y in loader:
        {clear}
        loss = nn.functional.mse_loss(data.policy(x), y)
        loss.backward(){mark}
        data.optimizer.step()

data = create(nn.Linear(3, 3))
for epoch in range(9):
    train(data, loader)
"""
KEYWORDS = "(policy=policy, optimizer=optimizer, stats=dict())"
OF_PYTHON = "def items(self):\n    return self.__dict__.items()\n\nclass Data(SimpleNamespace, Mapping):\n    items = items"
UPDATED = "class Data:\n    def __init__(self, **given):\n        self.__dict__.update(given)"
SET = "class Data:\n    def __init__(self, **given):\n        for name, value in given.items():\n            setattr(self, name, value)"
WAYS = {
    "a namespace": ("", f"SimpleNamespace{KEYWORDS}"),
    "a class of namespaces": (OF_PYTHON, f"Data{KEYWORDS}"),
    "a class of arguments": ("class Data(Namespace):\n    pass", f"Data{KEYWORDS}"),
    "its dict is updated": (UPDATED, f"Data{KEYWORDS}"),
    "each is set": (SET, f"Data{KEYWORDS}"),
}


@pytest.mark.parametrize(("cls", "made"), WAYS.values(), ids=WAYS)
def test_its_optimizer_is_known(cls: str, made: str) -> None:
    known = PROGRAM.replace("{cls}", cls).replace("{made}", made)
    assert_marked(known.replace("{clear}", "data.optimizer.zero_grad()").replace("{mark}", ""))
    assert_marked(known.replace("{clear}", "pass").replace("{mark}", "  # expect: LL102"))


def test_what_steps_from_one_out_of_sight_may_be_the_optimizer() -> None:
    program = (
        PROGRAM.replace("{cls}", "from lib import wrap")
        .replace("{mark}", "")
        .replace("{made}", "optimizer, wrap(policy=policy, optimizer=optimizer)")
    )
    program = program.replace("data = create", "optimizer, data = create").replace("{clear}", "optimizer.zero_grad()")
    assert_marked(program)
    assert_marked(program.replace("data.optimizer.step()", "pass").replace("loss.backward()", "loss.backward()  # expect: LL106"))
