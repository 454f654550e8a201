"""What a forward asks of `self.training` only to checkpoint its parts makes no difference between the modes: what it computes is the same."""

from __future__ import annotations

from textwrap import indent

import pytest

from programs import assert_marked

PROGRAM = """
from torch.utils import checkpoint as saving
from torch.utils.checkpoint import checkpoint

class Net(nn.Module):
    def __init__(self, saves):
        super().__init__()
        self.saves = saves
        self.blocks = nn.ModuleList([nn.Sequential(nn.Linear(8, 8), nn.LayerNorm(8)) for _ in range(3)])
        self.body = nn.Linear(8, 8)
        self.other = nn.Linear(8, 8)

    def inner(self, x):
        return self.body(x)

    def forward(self, x):
BODY
        return x

def main(data, test, saves):
    model = Net(saves)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(3):
        for x, y in data:
            opt.zero_grad()
            nn.functional.mse_loss(model(x), y).backward()
            opt.step()
        with torch.no_grad():
            for x, y in test:
                print(nn.functional.mse_loss(model(x), y).item())MARK
"""
ALIKE = {
    "in each turn": """
for block in self.blocks:
    if self.training and torch.is_grad_enabled():
        x = saving.checkpoint(block, x, use_reentrant=False)
    else:
        x = block(x)
""",
    "around the loop": """
if not (self.training and self.saves):
    for block in self.blocks:
        x = x + block(x)
else:
    for block in self.blocks:
        x = x + checkpoint(block, x)
""",
    "of a method, returned": """
if self.training and self.saves:
    return checkpoint(self.inner, x)
x = self.inner(x)
""",
    "under a name": """
saves = self.saves and self.training
for block in self.blocks:
    if saves:
        x = checkpoint(block, x)
    else:
        x = block(x)
""",
}
DIFFER = {
    "noise beside it": """
if self.training and self.saves:
    x = checkpoint(self.inner, x)
    x = x + torch.randn_like(x)
else:
    x = self.inner(x)
""",
    "of another part": """
if self.training:
    x = checkpoint(self.body, x)
else:
    x = self.other(x)
""",
    "under a name that is asked for more": """
saves = self.training
if saves:
    x = checkpoint(self.body, x)
else:
    x = self.body(x)
if saves:
    x = x + torch.randn_like(x)
""",
}


@pytest.mark.parametrize("body", ALIKE.values(), ids=ALIKE)
def test_the_modes_are_alike(body: str) -> None:
    assert_marked(PROGRAM.replace("BODY", indent(body, " " * 8)).replace("MARK", ""))


@pytest.mark.parametrize("body", DIFFER.values(), ids=DIFFER)
def test_the_modes_differ(body: str) -> None:
    assert_marked(PROGRAM.replace("BODY", indent(body, " " * 8)).replace("MARK", "  # expect: LL302"))
