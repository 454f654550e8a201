"""What a program builds in a branch is used by the ways alone that have built it: what it is in before that is no state of it (LL302)."""

from __future__ import annotations

import pytest

import looplint

MODELS = """\
import sys
import torch
from torch import nn
from data import loader, valid, make


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5))

    def forward(self, x):
        return self.layers(x)


class Other(Net):
    pass


"""
PROGRAM = """\
{build}
optimizer = torch.optim.Adam(net.parameters())
for x, y in loader:
    optimizer.zero_grad()
    nn.functional.cross_entropy(net(x), y).backward()
    optimizer.step()
hits = 0
{switch}
with torch.no_grad():
    for x, y in valid:
        hits += (net(x).argmax(1) == y).sum().item()
print(hits)
"""
BUILT = {
    "one of several, by a chain without an end": "if sys.argv[1] == 'net':\n    net = Net()\nelif sys.argv[1] == 'other':\n    net = Other()",
    "under a condition": "if sys.argv[1] == 'net':\n    net = Net()",
    "in a try": "try:\n    net = Net()\nexcept RuntimeError:\n    print('no model')",
    "by a match": "match sys.argv[1]:\n    case 'net':\n        net = Net()\n    case 'other':\n        net = Other()",
    "in a loop": "for name in sys.argv[1:]:\n    if name == 'net':\n        net = Net()",
}
FUNCTIONS = {
    "script": "{}",
    "function": "def main():\n{}",
    "function that is called": "def main():\n{}\n\n\nmain()",
}


def found(build: str, function: str = "{}", *, switch: str = "") -> list[str]:
    text = PROGRAM.format(build=build, switch=switch)
    if function != "{}":
        text = "".join(f"    {line}\n" for line in text.splitlines())
    return [f.code for f in looplint.lint(MODELS + function.format(text), isolated=True) if f.code == "LL302"]


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
@pytest.mark.parametrize("build", BUILT.values(), ids=BUILT)
def test_what_is_used_has_been_built(build: str, function: str) -> None:
    assert found(build, function) == ["LL302"]


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
@pytest.mark.parametrize("build", BUILT.values(), ids=BUILT)
def test_what_is_right_is_quiet(build: str, function: str) -> None:
    assert found(build, function, switch="net.eval()") == []


def test_what_comes_from_out_of_sight_on_another_way_may_be_in_any_mode() -> None:
    assert found("if sys.argv[1] == 'net':\n    net = Net()\nelse:\n    net = make()") == []


def test_what_is_kept_may_have_been_built_and_switched_before() -> None:
    text = """\
class Program:
    net = None

    def setup(self):
        self.net = Net()
        self.optimizer = torch.optim.Adam(self.net.parameters())
        self.net.eval()

    def fit(self):
        if sys.argv[1] == 'anew':
            self.net = Net()
            self.optimizer = torch.optim.Adam(self.net.parameters())
        for x, y in loader:
            self.optimizer.zero_grad()
            nn.functional.cross_entropy(self.net(x), y).backward()
            self.optimizer.step()

    def validate(self):
        if sys.argv[1] == 'anew':
            self.net = Net()
        hits = 0
        with torch.no_grad():
            for x, y in valid:
                hits += (self.net(x).argmax(1) == y).sum().item()
        print(hits)
"""
    assert [f.code for f in looplint.lint(MODELS + text, isolated=True) if f.code == "LL302"] == []
