"""`no_grad` stands outside of what a function calls that nothing has come to: that may train through it."""

from __future__ import annotations

import pytest

import looplint

HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n\n"
METHOD = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def refine(self, x):
        for _ in range(3):
            x = self.layer(x)
        return x

    def forward(self, x, y):
        return F.mse_loss(self.refine(x), y)

    def sample(self, x):
        x = self.refine(x)
        return x.argmax(-1).tolist()


model = Net()
model.eval()
for x in torch.randn(8, 4, 3):
    print(model.sample(x))
"""
FUNCTION = """
def encode(model, x):
    for _ in range(3):
        x = model(x)
    return x


def train_step(model, optimizer, x, y):
    optimizer.zero_grad()
    F.mse_loss(encode(model, x), y).backward()
    optimizer.step()


def test(model, data):
    model.eval()
    return [encode(model, x).argmax(-1).tolist() for x in data]


model = nn.Linear(3, 3)
print(test(model, torch.randn(8, 4, 3)))
"""
THROUGH_ANOTHER = METHOD.replace(
    "return F.mse_loss(self.refine(x), y)",
    "return self.loss(x, y)\n\n    def loss(self, x, y):\n        return F.mse_loss(self.refine(x), y)",
)


def _repaired(program: str) -> str:
    return looplint.fix(HEAD + program, isolated=True, unsafe=True, select=["LL303"]).text


@pytest.mark.parametrize(
    ("program", "switched_off"),
    [
        (METHOD, "@torch.no_grad()\n    def sample("),
        (THROUGH_ANOTHER, "@torch.no_grad()\n    def sample("),
        (FUNCTION, "@torch.no_grad()\ndef test("),
    ],
    ids=["method", "through another", "function"],
)
def test_it_stands_outside(program: str, switched_off: str) -> None:
    repaired = _repaired(program)
    assert switched_off in repaired
    assert repaired.count("no_grad") == 1
