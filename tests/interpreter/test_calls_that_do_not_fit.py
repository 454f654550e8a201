"""A call that does not fit the function which it names ends in a TypeError: what stands behind it is not run, as behind a `raise`."""

from __future__ import annotations

from pathlib import Path

import pytest

import looplint

PROGRAM = """\
import functools
import torch
from torch import nn
from helpers import scored


def score(net, x, y, *, scale=1.0):
    return scale * nn.functional.mse_loss(net(x), y)


def logged(net, *values, **more):
    print(net, values, more)


@functools.partial(functools.partial, print)
def wrapped(net):
    return net


@torch.no_grad()
def looked(net, x):
    return net(x)


class Trainer:
    def __init__(self, net, rate):
        self.net = net
        self.rate = rate

    def report(self, value, step=0):
        print(value, step, self.rate)

    @staticmethod
    def text(value):
        return str(value)


class Quiet(Trainer):
    pass


class Pair(nn.Module):
    def forward(self, left, right, *, weight=1.0):
        return (left - right) * weight


class Weighted(Pair):
    pass


class Slow(Trainer):
    __init__ = functools.partialmethod(Trainer.__init__, rate=0.1)


class Halved(Pair):
    forward = functools.partialmethod(Pair.forward, weight=0.5)


class Called(Pair):
    def __call__(self, batch):
        return super().__call__(*batch)


net = nn.Sequential(nn.Linear(4, 8), nn.Dropout(), nn.Linear(8, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
trainer = Trainer(net, 0.1)
pair, weighted, called = Pair(), Weighted(), Called()
for x, y in loader:
    opt.zero_grad()
    loss = nn.functional.mse_loss(net(x), y)
    loss.backward()
    opt.step()
net.eval()
total = 0
for x, y in valid:
    LINE
    total += nn.functional.mse_loss(net(x), y).item()
print(total)
"""
NOT_FITTING = [
    "score(net, x)",
    "score(net, x, y, 2.0)",
    "value = score(net, x, y, size=2)",
    "score(x=x, y=y)",
    "looked(net)",
    "scored(net)",
    "logged()",
    "trainer.report()",
    "trainer.report(1, 2, 3)",
    "trainer.report(value=1, at=2)",
    "trainer.text()",
    "Trainer(net)",
    "Quiet(net, 0.1, 1)",
    "if len(x) > 0: score(net, x)\n    else: score(net, y)",
    "print([score(net, each) for each in (x, y)])",
    "pair(x)",
    "weighted(x, y, 0.5)",
    "print(weighted(x, y, size=2))",
    "Pair()((x, y))",
    "nn.DataParallel(pair)(x)",
]
FITTING = [
    "score(net, x, y)",
    "score(net, x, y=y, scale=2.0)",
    "score(*(net, x, y))",
    "score(net, *batch)",
    "score(net, **dict(x=x, y=y))",
    "logged(net, 1, 2, size=3)",
    "wrapped()",
    "looked(net, x)",
    "scored(net, x)",
    "trainer.report(1)",
    "trainer.text(1)",
    "Trainer.report(trainer, 1)",
    "Trainer(net, rate=0.1)",
    "Quiet(net, 0.1)",
    "Slow(net)",
    "Halved()(x, y)",
    "if len(x) > 90: score(net, x)",
    "wanted and score(net, x)",
    "value = score(net, x) if wanted else 0",
    "lambda: score(net, x)",
    "try:\n        score(net, x)\n    except TypeError:\n        pass",
    "trainer.report = print\n    trainer.report()",
    "score = print\n    score()",
    "pair(x, y, weight=0.5)",
    "weighted(right=x, left=y)",
    "called((x, y))",
    "pair.forward = print\n    pair(x)",
    "pair.register_forward_pre_hook(lambda module, args: (*args, x))\n    pair(x)",
    "(pair if len(x) else net)(x)",
]


def _codes(folder: Path, text: str) -> list[str]:
    (folder / "helpers.py").write_text("def scored(net, x, size=1):\n    return net(x).sum() * size\n")
    path = folder / "script.py"
    path.write_text(text)
    return [f.code for f in looplint.lint(path, isolated=True)]


@pytest.mark.parametrize("line", NOT_FITTING)
def test_nothing_follows(tmp_path: Path, line: str) -> None:
    assert "LL303" not in _codes(tmp_path, PROGRAM.replace("LINE", line))


@pytest.mark.parametrize("line", FITTING)
def test_the_pass_goes_on(tmp_path: Path, line: str) -> None:
    assert "LL303" in _codes(tmp_path, PROGRAM.replace("LINE", line))


TRAINING = """\
import torch
from torch import nn


class Trainer:
    def __init__(self, net):
        self.net = net
        self.opt = torch.optim.SGD(net.parameters(), lr=0.1)

    def report(self, loss):
        print(loss.item())

    def fit(self, loader):
        for x, y in loader:
            self.opt.zero_grad()
            loss = nn.functional.mse_loss(self.net(x), y)
            loss.backward()
            self.report(CALL)
            self.opt.step()
        self.net.eval()
        for x, y in loader:
            self.report(nn.functional.mse_loss(self.net(x), y))
"""
BELOW = """

class Loud(Trainer):
    def report(self, loss, step=0):
        print(step, loss.item())
"""


def test_what_stands_behind_is_not_missed(tmp_path: Path) -> None:
    """That a step behind the call is never made says nothing of the loop, once the call is mended."""
    assert _codes(tmp_path, TRAINING.replace("CALL", "loss, 3")) == []
    assert _codes(tmp_path, TRAINING.replace("CALL", "loss")) == ["LL303"]


def test_a_subclass_may_take_it(tmp_path: Path) -> None:
    assert _codes(tmp_path, TRAINING.replace("CALL", "loss, 3") + BELOW) == ["LL303"]


def test_a_call_in_other_code_hides_nothing(tmp_path: Path) -> None:
    """A call that does not fit in what nothing of training leads to says nothing about steps that are missing."""
    broken = "\n\ndef other(path):\n    print(path, encoded())\n\n\ndef encoded(path):\n    return str(path)\n"
    without = TRAINING.replace("CALL", "loss").replace("            self.opt.step()\n", "")
    assert _codes(tmp_path, without + broken) == ["LL106", "LL303"]


LOST = """\
import torch
from torch import nn


def report(net, loss):
    print(loss.item())


def train(net, loader, epochs):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(epochs):
        for x, y in loader:
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            LOST
        report(net)
        BEHIND
"""
TRAINING_BEHIND = [
    "optimizer.step()",
    "adapt(net, loader)",
    "run(adapt)",
    "loss_scaler(loss, optimizer)",
    "if epoch > 3: optimizer.step()",
    "report(net, optimizer.step())",
]
OTHER_CODE_BEHIND = ["torch.save(net.state_dict(), 'net.pt')", "print(loss.item()); report(net, loss)", "pass"]


def test_a_call_behind_all_steps_hides_no_missing_one(tmp_path: Path) -> None:
    """What a loop lacks is known where nothing of it stands behind the call that ends in an error."""
    for behind in OTHER_CODE_BEHIND:
        text = LOST.replace("BEHIND", behind)
        assert "LL106" in _codes(tmp_path, text.replace("LOST", "loss.backward()"))
        assert "LL107" in _codes(tmp_path, text.replace("LOST", "optimizer.step()"))
        assert _codes(tmp_path, text.replace("LOST", "loss.backward(); optimizer.step()")) == []


@pytest.mark.parametrize("behind", TRAINING_BEHIND)
def test_what_may_step_behind_such_a_call(tmp_path: Path, behind: str) -> None:
    adapt = "\n\ndef adapt(net, loader):\n    opt = torch.optim.SGD(net.parameters(), lr=1)\n    net(next(loader)).sum().backward()\n    opt.step()\n"
    text = (LOST + adapt).replace("BEHIND", behind).replace("LOST", "loss.backward()")
    assert "LL106" not in _codes(tmp_path, text)


def test_the_caller_of_what_ends_so(tmp_path: Path) -> None:
    main = "\n\ndef main(net, loader):\n    train(net, loader, 3)\n    BEHIND\n"
    text = (LOST + main).replace("BEHIND", "pass", 1).replace("LOST", "loss.backward()")
    assert "LL106" in _codes(tmp_path, text.replace("BEHIND", "print(net)"))
    assert "LL106" not in _codes(tmp_path, text.replace("BEHIND", "train(net, loader, 1)"))


LOSS_OUT_OF_PLACE = """\
net.load_state_dict(torch.load("net.pt"))
for epoch in range(9):
    net.train()
    for x, y in DataLoader(data, shuffle=True):
        opt.zero_grad()
        out = net(x)
        loss = pair(out)
        loss.backward()
        opt.step()
"""


def test_what_goes_backward_behind_it_is_not_missed(tmp_path: Path) -> None:
    """A pass that ends in a call in error is no validation: what it would send backward is not known."""
    head = PROGRAM[: PROGRAM.index("for x, y in loader")]
    assert _codes(tmp_path, "from torch.utils.data import DataLoader\n" + head + LOSS_OUT_OF_PLACE) == []
