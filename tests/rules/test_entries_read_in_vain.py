"""LL806: an entry that a resumption asks its file for, and that nothing has which the program saves."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import argparse
import contextlib
import os
import torch
from torch import nn
from extras import others, convert

parser = argparse.ArgumentParser()
parser.add_argument("--resume", default="")
args = parser.parse_args()
net, teacher = nn.Linear(8, 2), nn.Linear(8, 2)
optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
start_epoch, best = 0, 0.0
if args.resume:
    checkpoint = torch.load(args.resume)
    {read}
    start_epoch = checkpoint["epoch"]

def save(epoch, best):
    {saved}

for epoch in range(start_epoch, 10):
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.mse_loss(net(x), y).backward()
        optimizer.step()
    save(epoch, best)
"""
READ = 'net.load_state_dict(checkpoint["net"])'
SAVED = 'torch.save({"state_dict": net.state_dict(), "epoch": epoch}, "last.pth")'


def found(read: str = READ, saved: str = SAVED, program: str = PROGRAM) -> list[looplint.Finding]:
    text = program.replace("{read}", read.replace("\n", "\n    ")).replace("{saved}", saved.replace("\n", "\n    "))
    return looplint.lint(text, isolated=True, select=["LL806"])


@pytest.mark.parametrize(
    "saved",
    [
        SAVED,
        'state = {"epoch": epoch}\nstate["state_dict"] = net.state_dict()\ntorch.save(state, "last.pth")',
        'torch.save(net.state_dict(), "best.pth")\ntorch.save(dict(state_dict=net.state_dict(), epoch=epoch), "last.pth")',
        'state = {"epoch": epoch, "state_dict": net.state_dict()}\nif best:\n    state["best"] = best\ntorch.save(state, "last.pth")',
        SAVED + '\ntorch.save(torch.zeros(3), "means.pth")',
    ],
)
def test_a_state_that_is_saved_under_another_key(saved: str) -> None:
    (finding,) = found(saved=saved)
    assert finding.severity == "error"
    assert finding.message == (
        'checkpoint["net"] is read from the file that training goes on from, and nothing that the program saves has that key: '
        'each resumption ends in a KeyError; read "state_dict", or save it under "net"'
    )
    assert finding.fix is not None
    assert finding.fix.applicability == "safe"


@pytest.mark.parametrize(
    ("read", "saved", "how"),
    [
        ('best = checkpoint["best"]', SAVED, 'save "best" too, or do not read it'),
        (
            'best = checkpoint["best_acc1"]',
            'torch.save({"state_dict": net.state_dict(), "best_acc": best, "epoch": epoch}, "last.pth")',
            'read "best_acc", or save it under "best_acc1"',
        ),
        ('teacher.load_state_dict(checkpoint["teacher"])', SAVED, 'save "teacher" too, or do not read it'),
    ],
    ids=["never saved", "spelled alike", "a state that nothing saves"],
)
def test_what_no_repair_is_known_for(read: str, saved: str, how: str) -> None:
    (finding,) = found(read, saved)
    assert finding.message.endswith(how)
    assert finding.fix is None
    assert finding.unrepaired


IN_A_CLASS = """\
import torch
from torch import nn

class Trainer:
    def __init__(self, model, loader):
        self.model = nn.Linear(8, 2)
        self.optimizer = torch.optim.Adam(self.model.parameters())
        self.loader, self.start_epoch = loader, 0

    def load(self, path):
        self.checkpoint = torch.load(path, map_location="cpu")
        self.start_epoch = self.checkpoint["epoch"]
        self.model.load_state_dict(self.checkpoint["model"])
        self.optimizer.load_state_dict(self.checkpoint["{read}"])

    def save(self, epoch):
        torch.save({"model": self.model.state_dict(), "optimizer": self.optimizer.state_dict(), "epoch": epoch}, "last.pth")

    def train(self):
        for epoch in range(self.start_epoch, 10):
            for x, y in self.loader:
                self.optimizer.zero_grad()
                nn.functional.mse_loss(self.model(x), y).backward()
                self.optimizer.step()
            self.save(epoch)
"""


def test_in_methods_that_nobody_calls() -> None:
    (finding,) = found("optim", "", IN_A_CLASS)
    assert finding.message.startswith('self.checkpoint["optim"]')
    assert found("optimizer", "", IN_A_CLASS) == []


RETURNED = """\
import torch
from torch import nn

def read_checkpoint(path):
    checkpoint = torch.load(path, map_location="cpu")
    return checkpoint

def write_checkpoint(state, path):
    torch.save(state, path)

def main(resume):
    net = nn.Linear(8, 2)
    optimizer = torch.optim.Adam(net.parameters())
    start_epoch = 0
    if resume:
        ckpt = read_checkpoint(resume)
        net.load_state_dict(ckpt["{read}"])
        start_epoch = ckpt["epoch"] + 1
    for epoch in range(start_epoch, 10):
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(net(x), y).backward()
            optimizer.step()
        write_checkpoint({"weights": net.state_dict(), "epoch": epoch}, "last.pth")
"""


def test_by_functions_that_read_and_write() -> None:
    (finding,) = found("model", "", RETURNED)
    assert finding.message.endswith('read "weights", or save it under "model"')
    assert found("weights", "", RETURNED) == []


MAY_BE_THERE = {
    "saved": 'net.load_state_dict(checkpoint["state_dict"])',
    "asked for": 'if "net" in checkpoint:\n    net.load_state_dict(checkpoint["net"])',
    "among the keys": 'if "net" in checkpoint.keys():\n    checkpoint["state_dict"] = checkpoint["net"]\nnet.load_state_dict(checkpoint["state_dict"])',
    "by a method": 'if checkpoint.get("net"):\n    net.load_state_dict(checkpoint["net"])',
    "or else another": 'net.load_state_dict(checkpoint["state_dict"] if "state_dict" in checkpoint else checkpoint["net"])',
    "and so on": 'found = "net_version" in checkpoint and checkpoint["net"]',
    "caught": 'try:\n    net.load_state_dict(checkpoint["net"])\nexcept KeyError:\n    pass',
    "caught with others": 'try:\n    net.load_state_dict(checkpoint["net"])\nexcept (OSError, KeyError):\n    pass',
    "caught with all": 'try:\n    net.load_state_dict(checkpoint["net"])\nexcept Exception as error:\n    print(error)',
    "where another is missing": 'try:\n    net.load_state_dict(checkpoint["state_dict"])\nexcept KeyError:\n    net.load_state_dict(checkpoint["net"])',
    "suppressed": 'with contextlib.suppress(KeyError):\n    net.load_state_dict(checkpoint["net"])',
    "put there": 'checkpoint["net"] = convert(checkpoint["state_dict"])\nnet.load_state_dict(checkpoint["net"])',
    "put there elsewhere": 'convert(checkpoint)\nnet.load_state_dict(checkpoint["net"])',
    "put there with others": 'checkpoint.update(others)\nnet.load_state_dict(checkpoint["net"])',
    "under an option": 'if args.old_format:\n    net.load_state_dict(checkpoint["net"])\nelse:\n    net.load_state_dict(checkpoint["state_dict"])',
    "an entry of an entry": 'print(checkpoint["state_dict"]["net"])',
    "of an entry with a name": 'options = checkpoint["state_dict"]\nprint(options["net"])',
    "of a converted file": 'checkpoint = convert(checkpoint)\nnet.load_state_dict(checkpoint["net"])',
    "of a file of another kind": 'weights = torch.load("weights.pth")\nnet.load_state_dict(weights["net"])',
}


@pytest.mark.parametrize("read", MAY_BE_THERE.values(), ids=MAY_BE_THERE)
def test_what_may_well_be_there(read: str) -> None:
    assert found(read) == []


UPGRADING = """\
def upgrade(state):
    state["net"] = state["state_dict"]
"""


def test_what_a_function_of_the_program_puts_there() -> None:
    assert found('upgrade(checkpoint)\nnet.load_state_dict(checkpoint["net"])', program=UPGRADING + PROGRAM) == []
    assert len(found('upgrade(optimizer)\nnet.load_state_dict(checkpoint["net"])', program=UPGRADING + PROGRAM)) == 1


RETURNING_EARLY = """\
def state_of(checkpoint):
    if "state_dict" in checkpoint:
        return checkpoint["state_dict"]
    return checkpoint["net"]
"""


def test_where_another_entry_is_returned_before() -> None:
    assert found("net.load_state_dict(state_of(checkpoint))", program=RETURNING_EARLY + PROGRAM) == []


STATE = '"state_dict": net.state_dict(), "epoch": epoch'
MAY_BE_SAVED = {
    "nothing": "pass",
    "keys that are not known": 'torch.save({**others, "epoch": epoch}, "last.pth")',
    "something else too": SAVED + '\ntorch.save(others, "other.pth")',
    "no other of the keys": 'torch.save({"weights": net.state_dict()}, "last.pth")',
    "the number alone": 'torch.save({"epoch": epoch, "loss": best}, "log.pth")',
    "in another file": SAVED + '\ntorch.save({"net": net.state_dict()}, "best.pth")',
    "under a condition": 'state = {"epoch": epoch}\nif args.resume:\n    state["net"] = net.state_dict()\ntorch.save(state, "last.pth")',
    "among others": f'state = {{{STATE}}}\nstate.update(others)\ntorch.save(state, "last.pth")',
    "by an operator": f'state = {{{STATE}}}\nstate |= others\ntorch.save(state, "last.pth")',
    "by both": f'torch.save({{{STATE}}} | others, "last.pth")',
    "by keys of a loop": f'state = {{{STATE}}}\nfor key in others:\n    state[key] = others[key]\ntorch.save(state, "last.pth")',
    "by a function": f'state = {{{STATE}}}\nconvert(state)\ntorch.save(state, "last.pth")',
    "by keywords": 'torch.save(dict(epoch=epoch, **others), "last.pth")',
    "out of sight": SAVED + '\nothers.save_checkpoint(net, "last.pth")',
    "by an object out of sight": SAVED + '\nconvert.save(net, "last.pth")',
}


@pytest.mark.parametrize("saved", MAY_BE_SAVED.values(), ids=MAY_BE_SAVED)
def test_what_may_well_be_saved(saved: str) -> None:
    assert found(saved=saved) == []


def test_weights_to_begin_with() -> None:
    assert found(program=PROGRAM.replace("start_epoch = checkpoint", "trained = checkpoint")) == []
    assert found(program=PROGRAM.replace("torch.load(args.resume)", 'torch.load("resnet50_imagenet.pth")')) == []


def test_the_repair_reads_what_is_saved_wherever_that_is_read() -> None:
    text = PROGRAM.replace("{read}", "net.load_state_dict(checkpoint['net'])").replace("{saved}", SAVED)
    fixed = looplint.fix(text, isolated=True, select=["LL806"])
    assert fixed.text == text.replace("checkpoint['net']", "checkpoint['state_dict']")
