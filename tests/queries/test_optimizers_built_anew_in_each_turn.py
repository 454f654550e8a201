"""An optimizer that is built anew in each turn finds the gradients of the turn before: they stay on the parameters (LL102)."""

from __future__ import annotations

from textwrap import indent

import pytest

import looplint
from programs import assert_marked

TURN = """\
opt = torch.optim.Adam(net.parameters(), lr=0.1)
loss = nn.functional.cross_entropy(net(x), y)
loss.backward()  # expect: LL102
opt.step()
"""
SILENT_TURN = TURN.replace("  # expect: LL102", "")


def turn(depth: int, text: str = TURN) -> str:
    return indent(text, "    " * depth)


LOUD = {
    "of a model that is given": "def train(net, loader):\n    for x, y in loader:\n" + turn(2),
    "of a model that is built": "net = nn.Linear(3, 4)\nfor x, y in torch.utils.data.DataLoader(data, shuffle=True):\n" + turn(1),
    "of each model of a list": "def train(nets, loader):\n    for x, y in loader:\n        for i, net in enumerate(nets):\n" + turn(3),
    "of each model of a list that is built": (
        "nets = [nn.Linear(3, 4) for _ in range(5)]\nfor x, y in torch.utils.data.DataLoader(data, shuffle=True):\n    for net in nets:\n"
        + turn(2)
    ),
}
SILENT = {
    "cleared": "def train(net, loader):\n    for x, y in loader:\n" + turn(2, SILENT_TURN.replace("loss =", "opt.zero_grad()\nloss =")),
    "cleared by the model": "def train(net, loader):\n    for x, y in loader:\n        net.zero_grad()\n" + turn(2, SILENT_TURN),
    "each model once": "def train(nets, x, y):\n    for net in nets:\n" + turn(2, SILENT_TURN),
    "each model once, by its place": "def train(nets, x, y):\n    for i in range(3):\n        net = nets[i]\n" + turn(2, SILENT_TURN),
    "each model once, of what holds it": "def train(clients, x, y):\n    for c in clients:\n        net = c.net\n" + turn(2, SILENT_TURN),
    "the models of groups": "def train(groups, x, y):\n    for g in groups:\n        for net in g.nets:\n" + turn(3, SILENT_TURN),
    "an iterator": "def train(nets, x, y):\n    it = iter(nets)\n    for r in range(3):\n        for net in it:\n" + turn(3, SILENT_TURN),
    "a copy": "def train(whole, x, y):\n    for i in range(3):\n        net = copy.deepcopy(whole)\n" + turn(2, SILENT_TURN),
    "a model of each turn": "for i in range(3):\n    net = nn.Linear(3, 4)\n" + turn(1, SILENT_TURN),
    "one that is made out of sight": "def train(make, x, y):\n    for i in range(3):\n        net = make()\n" + turn(2, SILENT_TURN),
    "the next one": "def train(net, x, y):\n    for i in range(3):\n" + turn(2, SILENT_TURN) + "        net = net.next\n",
    "one batch": "def train(net, loader):\n    for x, y in loader:\n" + turn(2, SILENT_TURN) + "        break\n",
}


@pytest.mark.parametrize("program", LOUD.values(), ids=LOUD)
def test_gradients_stay_on_the_parameters(program: str) -> None:
    assert_marked("import copy\n" + program)


@pytest.mark.parametrize("program", SILENT.values(), ids=SILENT)
def test_others_have_none(program: str) -> None:
    assert_marked("import copy\n" + program)


def test_no_clear_is_put_where_there_is_no_optimizer_yet() -> None:
    found = looplint.lint("import torch\nfrom torch import nn\n" + LOUD["of a model that is given"], isolated=True)
    assert [(f.code, f.fix) for f in found if f.code == "LL102"] == [("LL102", None)]
