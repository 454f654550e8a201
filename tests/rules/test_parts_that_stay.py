"""A part that is given back to its module, compiled or changed in place, has the parameters that the optimizer took; a new one has not."""

from __future__ import annotations

import pytest

from programs import assert_marked

START = """
class Block(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.encoder = nn.Linear(size, size)
        self.layers = nn.ModuleList([nn.Linear(size, size) for _ in range(4)])

    def forward(self, x):
        x = self.encoder(x)
        for layer in self.layers:
            x = layer(x)
        return x


class Other(Block):
    pass


class Net(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.backbone = Block(2) if kind == "block" else Other(2)
        self.head = nn.Linear(2, 1)

    def forward(self, x):
        return self.head(self.backbone(x))


def train(kind, loader):
    model = Net(kind)
    optimizer = torch.optim.AdamW(model.parameters())
"""
END = """
    for x in loader:
        optimizer.zero_grad()
        model(x).mean().backward()
        optimizer.step()
"""
CHANGES = {
    "compiled": "model.head = torch.compile(model.head)",
    "compiled, of one of two classes": "backbone = model.backbone\n    backbone.encoder = torch.compile(backbone.encoder)",
    "moved": 'model.head = model.head.to("cpu")',
    "kept in a name meanwhile": "head = model.head\n    head.requires_grad_(True)\n    model.head = head",
    "an item": "for i in range(4):\n        model.backbone.layers[i] = torch.compile(model.backbone.layers[i])",
    "two that change places": "model.head, model.backbone.encoder = model.backbone.encoder, model.head",
    "new": "model.head = nn.Linear(2, 1)  # expect: LL502",
    "new, and compiled": "model.head = torch.compile(nn.Linear(2, 1))  # expect: LL502",
    "new, in each turn": "for i in range(4):\n        model.backbone.layers[i] = nn.Linear(2, 2)  # expect: LL502",
}


@pytest.mark.parametrize("name", CHANGES)
def test_parts_given_back(name: str) -> None:
    assert_marked(f"{START}    {CHANGES[name]}\n{END}")
