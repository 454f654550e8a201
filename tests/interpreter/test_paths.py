"""No path is lost: what stands behind a call, in an iterator or under a setting is code, and is judged."""

from __future__ import annotations

import pytest

import looplint

BEGIN = """\
import sys
import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset

loader = DataLoader(TensorDataset(torch.randn(64, 8), torch.randn(64, 1)), batch_size=16, shuffle=True)
net = nn.Linear(8, 1)
opt = optim.SGD(net.parameters(), lr=0.1)
mse = nn.functional.mse_loss
"""
LOOP = """\
for x, y in loader:
    loss = mse(net(x), y)
    loss.backward()  # LL102
    opt.step()
"""


def _indented(code: str, by: int = 4) -> str:
    return "".join(" " * by + line for line in code.splitlines(keepends=True))


def _said(code: str) -> set[tuple[str, int]]:
    return {(f.code, f.location.row) for f in looplint.lint(code)}


def _expected(code: str) -> set[tuple[str, int]]:
    rows = enumerate(code.splitlines(), 1)
    return {(word, row) for row, line in rows if "# LL" in line for word in line.partition("# ")[2].split()}


ITERATED = {
    "a generator that is sent into": "def cycle(it):\n    while True:\n        got = yield from it\n\nsource = cycle(loader)\nnext(source)\n",
    "a generator expression over one": "def forever():\n    while True:\n        yield from loader\n\nsource = ((x, y) for x, y in forever())\n",
    "a list of generators": "def forever(it):\n    while True:\n        for b in it:\n            yield b\n\nsource = [forever(loader)][0]\n",
    "an object whose iterator is a generator of another": "class Data:\n    def __iter__(self):\n        return self.items()\n    def items(self):\n        while True:\n            yield from loader\n\nsource = Data()\n",
    "a generator that calls itself": "def walk(it, depth):\n    while True:\n        yield from it if depth == 0 else walk(it, depth - 1)\n\nsource = walk(loader, 2)\n",
    "an iterator over itself": "class Wrapped:\n    def __init__(self, inner):\n        self.inner = inner\n    def __iter__(self):\n        return iter(self.inner)\n\nsource = loader\nfor _ in range(3):\n    source = Wrapped(source)\n",
}


@pytest.mark.parametrize("made", ITERATED.values(), ids=ITERATED)
def test_batches_come_from(made: str) -> None:
    code = BEGIN + made + LOOP.replace("in loader", "in source") + "    if loss < 0:\n        break\n"
    assert _said(code) == _expected(code)


BEHIND = {
    "an endless loop that an exception ends": "def serve():\n    while True:\n        print(next(it))\n\nit = iter(loader)\nserve()\n",
    "a method that is not implemented": "class Task:\n    def prepare(self):\n        raise NotImplementedError('prepare')\n\nTask().prepare()\n",
    "a property that is not implemented": "class Task:\n    @property\n    def size(self):\n        raise NotImplementedError\n\nsize = Task().size\n",
    "a factory that knows no such name": "def pick(name):\n    if name == 'a':\n        return 1\n    raise ValueError(name)\n\nchosen = pick('b')\n",
    "a constructor that is to be overridden": "class Task:\n    def __init__(self):\n        raise NotImplementedError\n\ntask = Task()\n",
}


@pytest.mark.parametrize("before", BEHIND.values(), ids=BEHIND)
def test_what_stands_behind(before: str) -> None:
    code = BEGIN + before + LOOP
    assert _said(code) == _expected(code)


SETTINGS = {
    "a number": "DEBUG = 1\nif not DEBUG:\n",
    "a text": "MODE = 'test'\nif MODE == 'train':\n",
    "an entry of a class": "class CFG:\n    train = False\n    seed = 1\n\nif CFG.train:\n",
    "an entry of an object": "class Config:\n    train = False\n\nconfig = Config()\nif config.train:\n",
    "one of two": "import os\nTRAIN = False\nif TRAIN or 'TRAIN' in os.environ:\n",
}


@pytest.mark.parametrize("switch", SETTINGS.values(), ids=SETTINGS)
def test_what_is_switched_off_by(switch: str) -> None:
    code = BEGIN + switch + _indented(LOOP)
    assert _said(code) == _expected(code)


DECIDED = {
    "a parameter": "def fit(train):\n    if train:\n" + _indented(LOOP, 8) + "\nfit(False)\n",
    "a name that is set again": "train = True\ntrain = False\nif train:\n" + _indented(LOOP),
    "a name that says whether something is there": "model = None\nif model is not None:\n" + _indented(LOOP),
    "one of the kinds that a program tells apart": "TRAIN, TEST = 'train', 'test'\n\ndef fit(mode):\n    if mode == TRAIN:\n"
    + _indented(LOOP, 8)
    + "\nfit('test')\n",
    "a guard": "def fail(text):\n    raise ValueError(text)\n\nfail('not here')\n" + LOOP,
    "an exit": "def stop():\n    sys.exit(1)\n\nstop()\n" + LOOP,
}


@pytest.mark.parametrize("code", DECIDED.values(), ids=DECIDED)
def test_what_the_program_itself_never_reaches_by(code: str) -> None:
    assert _said(BEGIN + code) == set()


REPEATED = {
    "a list": "losses = [train(b) for b in loader]\n",
    "a dictionary of two loops": "losses = {(e, i): train(b) for e in range(3) for i, b in enumerate(loader) if i < 3}\n",
    "a sum": "total = sum(train(b) for b in loader)\n",
    "map": "losses = list(map(train, loader))\n",
}


@pytest.mark.parametrize("text", REPEATED.values(), ids=REPEATED)
def test_training_in(text: str) -> None:
    code = BEGIN + (
        "schedule = optim.lr_scheduler.ExponentialLR(opt, 0.9)\n"
        "def train(batch):\n    x, y = batch\n    opt.zero_grad()\n    loss = mse(net(x), y)\n"
        "    loss.backward(retain_graph=True)  # LL110\n    opt.step()\n    return loss.item()\n\n"
    )
    code += "for epoch in range(3):\n" + _indented(text) + "    schedule.step()\n"
    assert _said(code) == _expected(code)


def test_losses_of_one_forward_in_a_list() -> None:
    code = BEGIN + (
        "for x, y in loader:\n    opt.zero_grad()\n    out = net(x)\n    losses = [mse(out, y) for _ in range(len(y))]\n"
        "    [loss.backward(retain_graph=True) for loss in losses]\n    opt.step()\n"
    )
    assert _said(code) == set()


def test_an_attribute_that_is_none_until_somebody_sets_it() -> None:
    code = BEGIN + (
        "class Base:\n    def __init__(self):\n        self.model = self.optimizer = None\n"
        "    def fit(self):\n        for x, y in loader:\n            loss = mse(self.model(x), y)\n"
        "            loss.backward()  # LL102\n            self.optimizer.step()\n"
    )
    assert _said(code) == _expected(code)


def test_the_attribute_of_a_library_object_may_be_none() -> None:
    code = (
        BEGIN
        + "sampler = loader.batch_sampler\n"
        + LOOP.replace("    opt.step()", "    if sampler.last is None:\n        opt.step()\n        opt.zero_grad()")
    )
    assert _said(code) == set()


def test_a_list_in_itself_is_followed_once() -> None:
    code = (
        BEGIN + "chain = [nn.Linear(8, 8)]\nfor _ in range(3):\n    chain = [chain, nn.Linear(8, 8)]\nmore = nn.ModuleList(chain)\n" + LOOP
    )
    assert _said(code) == _expected(code)


OPTIONS = """\
import argparse
import torch
from torch import nn, optim

parser = argparse.ArgumentParser()
parser.add_argument("--ema", action="store_true")
args = parser.parse_args()
"""
EPOCHS = """\
    opt = optim.SGD(net.parameters(), lr=0.1)
    state = {}
    for epoch in range(9):
        for x, y in loader:
            opt.zero_grad()
            nn.functional.mse_loss(net(x), y).backward()
            opt.step()
        if epoch % 3 == 0:
            state["epoch"] = epoch
            if args.ema:
                state["net"] = net.state_dict()  # TAKEN
            torch.save(state, "last.pt")
"""
FLAGS = {
    "given to a function": "def main(args, net, loader):\n" + EPOCHS + "\nmain(args, nn.Linear(2, 1), [])\n",
    "of the module": "def main(net, loader):\n" + EPOCHS + "\nmain(nn.Linear(2, 1), [])\n",
    "asked for in a function of its own": "def asked():\n    return parser.parse_args()\n\ndef main(args, net, loader):\n"
    + EPOCHS
    + "\nmain(asked(), nn.Linear(2, 1), [])\n",
}


@pytest.mark.parametrize("program", FLAGS.values(), ids=FLAGS)
def test_an_option_is_given_in_every_turn_or_in_none(program: str) -> None:
    assert _said(OPTIONS + program) == set()
    changing = OPTIONS + program.replace("        if epoch %", "        args.ema = epoch > 3\n        if epoch %")
    assert _said(changing.replace("TAKEN", "LL801")) == _expected(changing.replace("TAKEN", "LL801"))
    anew = changing.replace('state["epoch"] = epoch', 'state = {"epoch": epoch}')
    assert _said(anew) == set()


@pytest.mark.parametrize("body", ["pass", "...", '"""A subclass makes it."""', "raise NotImplementedError"])
def test_what_a_subclass_is_to_make(body: str) -> None:
    code = f"""\
from torch import nn

class Training:
    def __init__(self):
        self.model = self.make_model()
        self.optimizer = self.make_optimizer()

    def make_model(self):
        {body}

    def make_optimizer(self):
        {body}

    def fit(self, loader):
        for x, y in loader:
            loss = nn.functional.mse_loss(self.model(x), y)
            loss.backward()
            self.optimizer.zero_grad()  # LL101
            self.optimizer.step()
"""
    assert _said(code) == _expected(code)


@pytest.mark.parametrize("made", ["[None] * 1", "[None] * len(parts)", "2 * [None]", "[0, 0] * count"])
def test_losses_in_a_list_that_was_made_by_multiplication(made: str) -> None:
    code = f"""\
from torch import nn

def fit(net: nn.Module, opt, loader, count):
    for parts, y in loader:
        found = {made}
        for i, x in enumerate(parts):
            found[i] = nn.functional.mse_loss(net(x), y)  # LL102
        sum(found).backward()
        opt.step()
"""
    assert {code for code, _ in _said(code)} == {"LL102"}


IN_THE_OTHERS_PLACE = """\
def main(net, loader, best):
    opt = optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(9):
        for x, y in loader:
            opt.zero_grad()
            nn.functional.mse_loss(net(x), y).backward()
            opt.step()
        state = {"epoch": epoch}
        TAKING
        torch.save(state, "last.pt")
"""
TAKEN_IN_A_TRY = {
    "key": "try:\n            state['net'] = net.module.state_dict()\n        except AttributeError:\n            state['net'] = net.state_dict()",
    "entry of a list": (
        "state = [epoch, None]\n        try:\n            state[1] = net.module.state_dict()\n"
        "        except Exception:\n            state[1] = net.state_dict()"
    ),
    "name": "try:\n            state = net.module.state_dict()\n        except AttributeError:\n            state = net.state_dict()",
}


@pytest.mark.parametrize("taking", TAKEN_IN_A_TRY.values(), ids=TAKEN_IN_A_TRY)
def test_a_state_that_a_handler_takes_stands_in_the_place_of_that_of_its_try(taking: str) -> None:
    assert _said(OPTIONS + IN_THE_OTHERS_PLACE.replace("TAKING", taking)) == set()


def test_a_state_of_another_key_is_as_old_as_it_is() -> None:
    taking = "if epoch == best:\n            state['best'] = net.state_dict()  # LL801\n        state['net'] = net.state_dict()"
    kept = IN_THE_OTHERS_PLACE.replace('        state = {"epoch": epoch}\n', "").replace("    for epoch", "    state = {}\n    for epoch")
    program = OPTIONS + kept.replace("TAKING", taking)
    assert _said(program) == _expected(program)
