"""A class that puts a hook on itself may mean to pass it over when its own methods call `forward` (LL504)."""

from __future__ import annotations

import pytest

import looplint

HEAD = """\
import torch
from torch import nn

def keep(module, inputs, output):
    module.x, module.y = inputs[0], output

class Explained(nn.Module):
    def __init__(self):
        super().__init__()
        {}

class Add(Explained):
    def forward(self, x):
        return x + 1
    def explain(self, r):
        z = self.forward(self.x)
        (c,) = torch.autograd.grad(z, self.x, r / z)
        return self.x * c
"""
OF_THEIR_OWN = ["self.register_forward_hook(keep)", "if self.training:\n            self.register_forward_hook(keep)", "self.watch()\n    def watch(self):\n        self.handle = self.register_forward_hook(keep)"]  # fmt: skip


def found(text: str) -> list[str]:
    return [f.severity for f in looplint.lint(text, isolated=True) if f.code == "LL504"]


@pytest.mark.parametrize("hook", OF_THEIR_OWN)
def test_a_method_may_pass_over_the_hook_of_its_own_class(hook: str) -> None:
    assert found(HEAD.format(hook) + "\nadd = Add()\nadd(torch.ones(2, requires_grad=True))\nprint(add.explain(torch.ones(2)))\n") == []


def test_others_pass_it_over_by_mistake() -> None:
    text = HEAD.format(OF_THEIR_OWN[0]).replace("z = self.forward(self.x)", "z = self(self.x)")
    assert found(text + "\nadd = Add()\nprint(add.forward(torch.ones(2)))\n") == ["error"]


def test_a_hook_that_others_register_is_passed_over_by_mistake() -> None:
    assert found(
        HEAD.format("pass") + "\nadd = Add()\nadd.register_forward_hook(keep)\nadd(torch.ones(2))\nprint(add.explain(torch.ones(2)))\n"
    ) == ["error"]
