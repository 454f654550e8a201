"""No repair leaves gradients off in the code that takes what a generator yields."""

import pytest

import looplint

HEAD = """\
import torch
from torch import nn

"""
CALLER = """

def main(loader):
    net = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.1))
    net.load_state_dict(torch.load("net.pt", map_location="cpu"))
    for best in predictions(net, loader):
        print(best)
"""
APART = """
def predictions(net, loader):
    net.eval()
    for x in loader:
        scores = net(x)
        best = scores.argmax(1).cpu().numpy()
        yield best
"""
TOGETHER = """
def predictions(net, loader):
    net.eval()
    for x in loader:
        yield net(x).argmax(1).cpu().numpy()
"""
FROM = """
def predictions(net, loader):
    net.eval()
    for x in loader:
        yield from net(x).argmax(1).cpu().numpy()
"""


def test_the_forward_alone_is_wrapped() -> None:
    fixed = looplint.fix(HEAD + APART + CALLER, isolated=True).text
    assert "        with torch.no_grad():\n            scores = net(x)\n        best" in fixed


@pytest.mark.parametrize("text", [TOGETHER, FROM])
def test_what_computes_and_yields_is_left(text: str) -> None:
    program = HEAD + text + CALLER
    (finding,) = (f for f in looplint.lint(program, isolated=True) if f.code == "LL303")
    assert finding.fix is None
