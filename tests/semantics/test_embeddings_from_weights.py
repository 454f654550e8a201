"""`nn.Embedding.from_pretrained(weights)` is a layer, which its moves change in place, and frozen unless it is told otherwise."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self, weights, cuda):
        super().__init__()
        self._embedding = MADE
        if cuda:
            self._embedding.cuda()
        self.head = nn.Linear(3, 4)

    def forward(self, x):
        return self.head(self._embedding(x))


def main(weights, loader):
    net = Tagger(weights, True)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for x, y in loader:
        opt.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        opt.step()
"""
MADE = {
    "frozen": "nn.Embedding.from_pretrained(weights)",
    "told so": "nn.Embedding.from_pretrained(weights, freeze=True)",
    "a bag": "nn.EmbeddingBag.from_pretrained(weights, True)",
    "trained": "nn.Embedding.from_pretrained(weights, freeze=False)",
}


def codes(made: str) -> list[str]:
    found = looplint.lint(PROGRAM.replace("MADE", made), isolated=True)
    return [f.code for f in found if f.severity != "advice"]


@pytest.mark.parametrize("made", MADE.values(), ids=MADE)
def test_its_moves_are_those_of_a_module(made: str) -> None:
    assert codes(made) == []


LOOKED_UP = """\
import torch
from torch import nn


def main(weights, loader, valid):
    embedding, head = MADE, nn.Linear(3, 4)
    opt = torch.optim.SGD([*embedding.parameters(), *head.parameters()], lr=0.1)
    for x, y in loader:
        opt.zero_grad()
        nn.functional.cross_entropy(head(embedding(x)), y).backward()
        opt.step()
    for x, y in valid:
        print((embedding(x).argmax(1) == y).sum().item())
"""


@pytest.mark.parametrize(("made", "expected"), [("frozen", []), ("told so", []), ("trained", ["LL303"])])
def test_what_it_gives_has_a_graph_where_it_is_trained(made: str, expected: list[str]) -> None:
    found = looplint.lint(LOOKED_UP.replace("MADE", MADE[made]), isolated=True)
    assert [f.code for f in found if f.code == "LL303"] == expected
