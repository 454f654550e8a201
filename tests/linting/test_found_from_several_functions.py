"""What is found from several functions of a file stands where it does for one of them: a caller who follows another knows nothing of that one."""

from __future__ import annotations

from pathlib import Path

import pytest

import looplint

WORKER = """\
import torch
from torch import nn, optim


class Worker:
    def __init__(self, train, test):
        self.net = nn.Linear(8, 2)
        self.opt = optim.SGD(self.net.parameters(), lr=0.1)
        self.train, self.test = train, test

    def validate(self):
        right = 0
        for x, y in self.test:
            right += (self.net(x).argmax(1) == y).float().mean()
        return right

    def score(self, others):
        return [self.validate(), *others]

    def fit(self, epochs):
        for epoch in range(epochs):
            self.net.train()
            for x, y in self.train:
                self.opt.zero_grad()
                nn.functional.cross_entropy(self.net(x), y).backward()
                self.opt.step()
            self.net.eval()
            {guard}
                print(self.validate())
"""
FUNCTIONS = """\
import torch
from torch import nn, optim


def validate(net, loader):
    right = 0
    for x, y in loader:
        right += (net(x).argmax(1) == y).float().mean()
    return right


def score(net, loader):
    net.eval()
    return validate(net, loader)


def fit(net, opt, train, test):
    for epoch in range(9):
        net.train()
        for x, y in train:
            opt.zero_grad()
            nn.functional.cross_entropy(net(x), y).backward()
            opt.step()
        net.eval()
        {guard}
            print(validate(net, test))
"""
OF_WORKERS = """\
import torch
from worker import Worker

worker = Worker(train, test)
{calls}
"""
OF_FUNCTIONS = """\
import torch
import worker
from torch import nn, optim

net = nn.Linear(8, 2)
opt = optim.SGD(net.parameters(), lr=0.1)
{calls}
"""
SCORED = {
    "class": "with torch.no_grad():\n    print(worker.score([]))",
    "functions": "with torch.no_grad():\n    print(worker.score(net, test))",
}
ONCE = {"class": "print(worker.score([]))", "functions": "print(worker.score(net, test))"}
FITTED = {"class": "worker.fit(9)", "functions": "worker.fit(net, opt, train, test)"}


@pytest.mark.parametrize(
    ("calls", "guard", "found"),
    [
        pytest.param([ONCE], "if epoch:", 1, id="the other way is followed"),
        pytest.param([SCORED], "if epoch:", 1, id="without gradients"),
        pytest.param([SCORED], "with torch.no_grad():", 0, id="each way is without"),
        pytest.param([FITTED, SCORED], "if epoch:", 1, id="both are followed"),
        pytest.param([FITTED, SCORED], "with torch.no_grad():", 0, id="both are followed, each without"),
    ],
)
@pytest.mark.parametrize("form", SCORED)
def test_a_caller_hides_what_it_follows_alone(tmp_path: Path, form: str, calls: list[dict[str, str]], guard: str, found: int) -> None:
    text, main = (WORKER, OF_WORKERS) if form == "class" else (FUNCTIONS, OF_FUNCTIONS)
    (tmp_path / "worker.py").write_text(text.replace("{guard}", guard))
    (tmp_path / "main.py").write_text(main.format(calls="\n".join(each[form] for each in calls)))
    codes = [f.code for f in looplint.lint(tmp_path, isolated=True) if f.code == "LL303"]
    assert codes == ["LL303"] * found
