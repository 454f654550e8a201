"""A clear in the wrong place is removed, not moved, where another one follows the step already."""

from __future__ import annotations

from textwrap import dedent

import pytest

import looplint

PROGRAM = """
import torch
from accelerate import Accelerator
from torch import nn

def train(net: nn.Module, loader, scheduler):
    accelerator = Accelerator(gradient_accumulation_steps=4)
    opt = torch.optim.AdamW(net.parameters())
    net, opt, loader = accelerator.prepare(net, opt, loader)
    for x, y in loader:
        with accelerator.accumulate(net):
            opt.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            accelerator.backward(loss)
            opt.step()
            {behind}
"""


@pytest.mark.parametrize(
    "behind",
    ["opt.zero_grad(set_to_none=True)", "scheduler.step()\n            opt.zero_grad()", "print(loss.item())\n            opt.zero_grad()"],
)
def test_the_clear_behind_the_step_stays(behind: str) -> None:
    text = dedent(PROGRAM.format(behind=behind))
    fixed = looplint.fix(text).text
    assert fixed == text.replace("            opt.zero_grad()\n            loss", "            loss")


@pytest.mark.parametrize("behind", ["scheduler.step()", "if scheduler:\n                opt.zero_grad()"])
def test_a_clear_is_moved_where_none_always_follows(behind: str) -> None:
    text = dedent(PROGRAM.format(behind=behind))
    fixed = looplint.fix(text).text
    assert "opt.step()\n            opt.zero_grad()\n" in fixed
    assert fixed.count("zero_grad") == text.count("zero_grad")


ADVERSARIAL = """
import torch
from accelerate import Accelerator
from torch import nn

def train(net: nn.Module, judge: nn.Module, loader):
    accelerator = Accelerator(gradient_accumulation_steps=4)
    opt = torch.optim.AdamW(net.parameters())
    opt_judge = torch.optim.AdamW(judge.parameters())
    net, judge, opt, opt_judge, loader = accelerator.prepare(net, judge, opt, opt_judge, loader)
    for number, (x, y) in enumerate(loader):
        with accelerator.accumulate(net):
            if number % 2 == 0:
                opt_judge.zero_grad()
                loss = judge({judged}).mean() - judge(y).mean()
                accelerator.backward(loss)
                opt_judge.step()
                {behind}
            else:
                loss = nn.functional.mse_loss(net(x), y) - {adversarial}
                accelerator.backward(loss)
                opt.step()
                opt.zero_grad()
"""


@pytest.mark.parametrize("behind", ["opt_judge.zero_grad()", "pass"])
@pytest.mark.parametrize(("adversarial", "applicability"), [("judge(net(x)).mean()", "unsafe"), ("net(x).mean()", "safe")])
def test_what_another_branch_leaves_is_cleared_nowhere_else(behind: str, adversarial: str, applicability: str) -> None:
    text = dedent(ADVERSARIAL.format(behind=behind, adversarial=adversarial, judged="net(x).detach()"))
    found = [f for f in looplint.lint(text) if f.code == "LL101"]
    assert [f.fix and f.fix.applicability for f in found] == [applicability]


PHASES = """
import torch
from torch import nn

def train(net: nn.Module, loader, k: int):
    opt = torch.optim.AdamW(net.parameters())
    {first}
    for number, (x, y) in enumerate(loader):
        loss = nn.functional.mse_loss(net(x), y) / k
        loss.backward()
        if (number + 1) % k == 0:
            opt.zero_grad()
            opt.step()
"""
PRETRAINED = "for x, y in loader:\n        opt.zero_grad()\n        net(x).mean().backward()\n        opt.step()"


@pytest.mark.parametrize(
    ("first", "applicability"),
    [("pass", "safe"), (PRETRAINED, "unsafe"), ("opt.zero_grad()", "safe"), ("net(loader.first).mean().backward()", "unsafe")],
)
def test_what_an_earlier_loop_leaves_is_there_at_the_first_step(first: str, applicability: str) -> None:
    text = dedent(PHASES.format(first=first, number=0))
    found = [f for f in looplint.lint(text) if f.code == "LL101"]
    assert [f.fix and f.fix.applicability for f in found] == [applicability]
