"""LL303's repair switches gradients off for all who come to a forward: where code out of sight may call a function as well, in that function."""

from __future__ import annotations

import pytest

import looplint

HEAD = """\
import multiprocessing
import os

import torch
from torch import nn

net = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5))
net.load_state_dict(torch.load("w.pt"))
net.eval()
names = os.listdir(".")

"""
CALLABLE = """
class Saver:
    def __init__(self, model):
        self.model = model

    def __call__(self, name):
        out = self.model(torch.load(name))
        torch.save(out.detach().numpy(), name)

"""
FUNCTION = """
def save(name):
    out = net(torch.load(name))
    torch.save(out.detach().numpy(), name)

"""
METHOD = """
class Saver:
    def save(self, name):
        self.write(name)

    def write(self, name):
        out = net(torch.load(name))
        torch.save(out.detach().numpy(), name)


saver = Saver()
"""
WAYS = """
if os.environ.get("MANY"):
    with multiprocessing.Pool(4) as pool:
        for _ in pool.imap_unordered({given}, names):
            pass
else:
    for name in names:
        {called}(name)
"""
ONE_WAY = """
for name in names:
    {called}(name)
"""
APPLIED = """
def each(function, items):
    for item in items:
        function(item)


each({given}, names)
"""


@pytest.mark.parametrize(
    ("program", "wrapped"),
    [
        pytest.param(CALLABLE + WAYS.format(given="Saver(net)", called="Saver(net)"), "out = self.model(", id="an object that is called"),
        pytest.param(FUNCTION + WAYS.format(given="save", called="save"), "out = net(", id="a function"),
        pytest.param(METHOD + WAYS.format(given="saver.save", called="saver.save"), "self.write(name)", id="a method, for what it calls"),
        pytest.param(FUNCTION + WAYS.format(given="lambda name: save(name)", called="save"), "out = net(", id="a function that a lambda calls"),
        pytest.param(CALLABLE + ONE_WAY.format(called="Saver(net)"), "for name in names:", id="an object that nothing else calls"),
        pytest.param(FUNCTION + ONE_WAY.format(called="save"), "for name in names:", id="a function that nothing else calls"),
        pytest.param(FUNCTION + APPLIED.format(given="save"), "for item in items:", id="a function that is given to a function in sight"),
    ],
)  # fmt: skip
def test_where_gradients_are_switched_off(program: str, wrapped: str) -> None:
    repaired = looplint.fix(HEAD + program, isolated=True).text.splitlines()
    (at,) = [n for n, line in enumerate(repaired) if "torch.no_grad()" in line]
    assert repaired[at + 1].strip().startswith(wrapped)
