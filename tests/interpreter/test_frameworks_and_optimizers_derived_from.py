"""What a class of the program is that derives from a Fabric or an Accelerator, or from an optimizer by way of a library that is not at hand."""

from __future__ import annotations

import pytest

from programs import assert_marked

FABRIC = """
import os
from accelerate import Accelerator
from lightning.fabric import Fabric

class Quiet({base}):
    def print(self, *args):
        if self.global_rank == 0:
            print(*args)
{method}
def train(fabric, model, optimizer, loader):
    model.train()
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        {backward}
        optimizer.step()

def main(loader):
    fabric = {built}
    model = nn.Linear(4, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model, optimizer = fabric.{setup}(model, optimizer)
    for _ in range(3):
        train(fabric, model, optimizer, loader)
"""
PLAIN = {"base": "Fabric", "method": "", "built": "Quiet()", "setup": "setup", "backward": "fabric.backward(loss)"}
RETAINED = "fabric.backward(loss, retain_graph=True)  # expect: LL110"
BY_ITS_OWN = """
    def backward(self, loss, **options):
        super().backward(loss, retain_graph=True)  # expect: LL110
"""
DERIVED = [
    {"backward": RETAINED},
    {"backward": RETAINED, "built": 'Quiet() if os.environ.get("JOB") else Fabric()'},
    {"backward": RETAINED, "base": "Accelerator", "setup": "prepare"},
    {"method": BY_ITS_OWN},
]

OPTIMIZER = """
from absent.stochastic import {imported}

class Own({base}):
    def __init__(self, params, lr=1e-3):
        super().__init__(params, dict(lr=lr))

    @torch.no_grad()
    def {method}(self, closure=None):
        for group in self.{groups}:
            for p in group["params"]:
                if p.grad is not None:
                    p.add_(p.grad, alpha=-group["lr"])
{more}
def main(loader):
    model = nn.Linear(4, 3)
    optimizer = Own(model.parameters(), lr=0.1)
    for x, y in loader:
        {clear}
        nn.functional.mse_loss(model(x), y).backward({retain})
        optimizer.step()
"""
STEPPED = {
    "imported": "Optimizer", "base": "Optimizer", "method": "step", "groups": "param_groups", "more": "",
    "clear": "optimizer.zero_grad()", "retain": "",
}  # fmt: skip
KEPT = "retain_graph=True)  # expect: LL110"


@pytest.mark.parametrize("form", DERIVED)
def test_a_class_that_derives_from_a_framework_s_is_one(form: dict[str, str]) -> None:
    assert_marked(FABRIC.format(**PLAIN | form))


@pytest.mark.parametrize(
    "form", [{}, {"built": 'Quiet() if os.environ.get("JOB") else Fabric()'}, {"base": "Accelerator", "setup": "prepare"}]
)
def test_a_loop_that_is_right_is_silent(form: dict[str, str]) -> None:
    assert_marked(FABRIC.format(**PLAIN | form))


@pytest.mark.parametrize("form", [{}, {"imported": "Optimizer as Lion", "base": "Lion"}, {"imported": "base", "base": "base.Stochastic"}])
def test_a_class_that_steps_the_groups_of_its_base_is_an_optimizer(form: dict[str, str]) -> None:
    program = OPTIMIZER.format(**STEPPED | form)
    assert_marked(program.replace("backward()", f"backward({KEPT}"))
    assert_marked(program)


def test_what_is_never_cleared_is_found() -> None:
    found = OPTIMIZER.format(**STEPPED | {"clear": "pass"})
    assert_marked(found.replace(".backward()", ".backward()  # expect: LL102"))


@pytest.mark.parametrize(
    "form",
    [
        {"groups": "groups"},
        {"more": "\n    def add(self, groups):\n        self.param_groups = groups\n"},
        {"method": "update"},
    ],
)
def test_a_class_that_has_groups_of_its_own_is_not_known_to_be_one(form: dict[str, str]) -> None:
    assert_marked(OPTIMIZER.format(**STEPPED | form | {"clear": "pass"}))
