"""A loop over the positions of a short sequence, `for i in range(len(parts))`, knows in each turn which of them it works on."""

from __future__ import annotations

import pytest

from programs import assert_marked

AGENT = """
import torch
from torch import nn

class Agent:
    NAMES = ("net", "optimizer")

    def __init__(self, loader):
        self.net, self.optimizer, self.loader = None, None, loader
        net = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
        self.set(net, torch.optim.SGD(net.parameters(), lr=0.1))

    def set(self, net=None, optimizer=None):
        parts = [net, optimizer]
        {loop}

    def update(self):
        for x, y in self.loader:
            loss = (self.net(x) - y).pow(2).mean()
            {update}
            self.optimizer.step()
"""
LATE = "loss.backward(); self.optimizer.zero_grad()  # expect: LL101"
EARLY = "self.optimizer.zero_grad(); loss.backward()"
LOOPS = {
    "as many as the parts are": """for i in range(len(parts)):
            if parts[i] is not None:
                setattr(self, self.NAMES[i], parts[i])""",
    "a number": """for i in range(2):
            setattr(self, self.NAMES[i], parts[i])""",
    "by another name": """for number in range(len(self.NAMES)):
            part = parts[number]
            setattr(self, self.NAMES[number], part)""",
}


@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS)
def test_attributes_set_by_position(loop: str) -> None:
    program = AGENT.replace("{loop}", loop)
    assert_marked(program.replace("{update}", LATE))
    assert_marked(program.replace("{update}", EARLY))


MODELS = """
import torch
from torch import nn

models = [nn.Linear(4, 4), nn.Linear(4, 4)]
optimizers = [torch.optim.SGD(model.parameters(), lr=0.1) for model in models]
for epoch in range(3):
    for x, y in loader:
        for i in range(len(models)):
            loss = (models[i](x) - y).pow(2).mean()
            optimizers[i].zero_grad()
            loss.backward()
            optimizers[i].step()
"""


def test_models_by_position() -> None:
    assert_marked(MODELS)


def test_epochs_with_a_rate_each_are_a_loop() -> None:
    assert_marked("""
import torch
from torch import nn

rates = [0.1, 0.01, 0.001]
model = nn.Linear(4, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    for group in optimizer.param_groups:
        group["lr"] = rates[epoch]
    for x, y in loader:
        loss = (model(x) - y).pow(2).mean()
        loss.backward()  # expect: LL102
        optimizer.step()
""")
