"""Which backwards are no training loops, for what they fill are gradients of inputs, and which are, though inputs ask for gradients."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from looplint.commands.cli import cli


def _said(folder: Path, text: str) -> str:
    (folder / "train.py").write_text(text)
    return CliRunner().invoke(cli, ["check", "--no-cache", "--isolated", str(folder)]).output


GUIDED = """\
import os
import torch
from torch import nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 2)

    def forward(self, x):
        return self.layer(x)


def train(loader):
    net = Net()
    optimizer = torch.optim.Adam(net.parameters())
    for x, y in loader:
        optimizer.zero_grad()
        F.cross_entropy(net(x), y).backward()
        optimizer.step()
    torch.save(net.state_dict(), "net.pt")


def steer(net, x, target):
{steering}


def sample(loader, x):
    train(loader)
    net = Net()
    net.load_state_dict(torch.load("net.pt", map_location="cpu"))
    net.eval()
    for _ in range(100):
        x = x - steer(net, x, 1)
    return x
"""
STEERING = {
    "through a frozen classifier": """\
    for p in net.parameters():
        p.requires_grad_(False)
    data = x.detach().requires_grad_(True)
    loss = -F.log_softmax(net(data), dim=-1)[:, target].mean()
    loss.backward()
    return data.grad.detach()
""",
    "by its sign, through one that is not": """\
    x = x.clone().detach()
    x.requires_grad = True
    loss = F.cross_entropy(net(x), target)
    loss.backward()
    return x.grad.sign()
""",
}


@pytest.mark.parametrize("name", STEERING)
def test_what_steers_a_sampler_is_no_training_loop(tmp_path: Path, name: str) -> None:
    assert "Judged 1 training loop in 1 file.\n" in _said(tmp_path, GUIDED.format(steering=STEERING[name]))


def test_gradients_that_nothing_takes_from_inputs_may_be_of_a_loop(tmp_path: Path) -> None:
    steering = "    loss = F.cross_entropy(net(x), target)\n    loss.backward()\n    return loss.detach()\n"
    assert "1 could not be followed" in _said(tmp_path, GUIDED.format(steering=steering))


ASKING = """\
import torch
from torch import nn
from torch.autograd import Variable


class Trainer:
    def __init__(self, net, lr):
        self.net = net
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=lr)

    def set_input(self, data):
        self.x, self.y = Variable(data["x"], requires_grad=True), data["y"]

    def back(self):
        self.loss = nn.functional.mse_loss(self.net(self.x), self.y)
        self.loss.mean().backward()

    def optimize(self, data):
        self.set_input(data)
        self.optimizer.zero_grad()
        self.back()
{step}
"""


@pytest.mark.parametrize(
    ("step", "said"),
    [("        self.optimizer.step()\n", True), ("        return self.x.grad\n", False)],
    ids=["steps", "takes the gradient of the input"],
)
def test_what_is_stepped_is_trained_though_its_inputs_ask_for_gradients(tmp_path: Path, step: str, said: bool) -> None:
    assert ("Judged 1 training loop in 1 file.\n" in _said(tmp_path, ASKING.format(step=step))) is said
