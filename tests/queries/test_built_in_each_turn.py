"""What each epoch builds anew has no state at its beginning in any run: a resumed one lacks nothing (LL802, LL805)."""

from __future__ import annotations

import pytest

import looplint
from programs import assert_marked

ADAM = """
import torch
from torch import nn, optim


def build(net, rate):
    return optim.Adam(net.parameters(), lr=rate)


def one_epoch(net, opt, loader):
    for x, y in loader:
        opt.zero_grad()
        nn.functional.mse_loss(net(x), y).backward()
        opt.step()


def train(net: nn.Module, loader, resume, epochs, name):
    first, opt = 0, None
    if resume:
        checkpoint = torch.load(resume, map_location="cpu")
        net.load_state_dict(checkpoint["net"]){mark}
        first = checkpoint["epoch"]
    for epoch in range(first, epochs):
        {built}
        {epoch}
"""
WHOLE = """one_epoch(net, opt, loader)
        torch.save({"net": net.state_dict(), "epoch": epoch + 1}, "last.pt")"""
WITHIN = """for x, y in loader:
            opt.zero_grad()
            nn.functional.mse_loss(net(x), y).backward()
            opt.step()
            torch.save({"net": net.state_dict(), "epoch": epoch}, "last.pt")"""
ANEW = {
    "in the loop": "opt = optim.Adam(net.parameters(), lr=0.1 if epoch < 80 else 0.01)",
    "by a function": "opt = build(net, 0.1 / (epoch + 1))",
    "in branches of an option": """if name == "adam":
            opt = optim.Adam(net.parameters())
        else:
            opt = optim.RMSprop(net.parameters())""",
}
ONCE = {
    "where there is none": "if opt is None:\n            opt = optim.Adam(net.parameters())",
    "at times": "if epoch in (first, 30, 60):\n            opt = optim.Adam(net.parameters())",
}
SCHEDULE = """
import torch
from torch import nn, optim


def train(net: nn.Module, loader, resume, epochs):
    opt = optim.Adam(net.parameters())
    {outside}
    first = 0
    if resume:
        checkpoint = torch.load(resume, map_location="cpu")
        net.load_state_dict(checkpoint["net"])
        opt.load_state_dict(checkpoint["opt"])
        first = checkpoint["epoch"]
    for epoch in range(first, epochs):
        {inside}
        for x, y in loader:
            opt.zero_grad()
            nn.functional.mse_loss(net(x), y).backward()
            opt.step()
            schedule.step()
        torch.save({{"net": net.state_dict(), "opt": opt.state_dict(), "epoch": epoch + 1}}, "last.pt")
"""
CYCLE = "schedule = optim.lr_scheduler.OneCycleLR(opt, 0.1, total_steps=len(loader))"


@pytest.mark.parametrize("built", ANEW.values(), ids=ANEW)
def test_anew_in_each_epoch(built: str) -> None:
    assert_marked(ADAM.format(built=built, epoch=WHOLE, mark=""))


@pytest.mark.parametrize("built", ONCE.values(), ids=ONCE)
def test_not_in_each_epoch(built: str) -> None:
    assert_marked(ADAM.format(built=built, epoch=WHOLE, mark="  # expect: LL802"))


def test_saved_in_the_middle_of_one() -> None:
    assert_marked(ADAM.format(built=ANEW["in the loop"], epoch=WITHIN, mark="  # expect: LL802"))


def test_a_schedule_of_each_epoch() -> None:
    def found(outside: str, inside: str) -> list[str]:
        text = SCHEDULE.format(outside=outside, inside=inside)
        return [f.code for f in looplint.lint(text, isolated=True, select=["LL805"])]

    assert found(outside="pass", inside=CYCLE) == []
    assert found(outside=CYCLE, inside="pass") == ["LL805"]
