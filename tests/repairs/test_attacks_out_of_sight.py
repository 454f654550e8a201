"""What code out of sight makes of a model may differentiate it, as attacks do: gradients stay on for its calls, and for these alone."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn, optim
import IMPORTED


def train(net, loader):
    opt = optim.SGD(net.parameters(), lr=0.1)
    for x, y in loader:
        opt.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        opt.step()


def evaluate_robustness(net, loader):
    attack = IMPORTED.MADE
    net.eval()
    right = 0
    for x, y in loader:
        x = attack(x, y)
        scores = net(x)
        right += (scores.argmax(1) == y).sum().item()
    return right


def main(loader, valid):
    net = nn.Linear(2, 2)
    train(net, loader)
    print(evaluate_robustness(net, valid))
"""
MADE = {
    "torchattacks": "PGD(net, eps=8 / 255, steps=10)",
    "autoattack": "AutoAttack(net, norm='Linf')",
    "ours": "Attack(net)",
    "captum.attr": "Saliency(net)",
}


@pytest.mark.parametrize("imported", MADE)
def test_the_call_of_the_model_alone_is_wrapped(imported: str) -> None:
    text = PROGRAM.replace("IMPORTED", imported).replace("MADE", MADE[imported])
    fixed = looplint.fix(text, select=["LL303"], isolated=True).text
    attacked, scored = "        x = attack(x, y)\n", "        scores = net(x)\n"
    assert "@torch.no_grad" not in fixed
    assert attacked in fixed
    assert f"        with torch.no_grad():\n    {scored}" in fixed


def test_known_attacks_are_no_passes_of_a_model() -> None:
    text = PROGRAM.replace("IMPORTED", "torchattacks").replace("MADE", MADE["torchattacks"])
    assert [(f.code, f.location.row) for f in looplint.lint(text, isolated=True)] == [("LL303", 20)]


def test_an_attack_that_another_function_trains_against() -> None:
    """Where something is trained on what an attack gives, the attack is taken for a module by its use."""
    text = PROGRAM.replace("IMPORTED", "torchattacks").replace("MADE", MADE["torchattacks"])
    trained = "    for x, y in loader:\n        opt.zero_grad()\n"
    text = text.replace(trained, "    attack = torchattacks.PGD(net)\n" + trained + "        x = attack(x, y)\n", 1)
    assert [(f.code, f.location.row) for f in looplint.lint(text, isolated=True)] == [("LL303", 22)]
