"""The gradient of a parameter that a model keeps as an attribute is changed in place, cleared and read as those of its parts are."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
import torch
from torch import nn
import torch.distributed as dist

class Light(nn.Module):
    def __init__(self, base):
        super().__init__()
        self.base = nn.Parameter(base.clone().detach(), requires_grad=True)

    def forward(self, x):
        return (x * self.base).sum()

def fit(loader, factor, materials):
    light = Light(torch.rand(3))
    optimizer = torch.optim.Adam(light.parameters())
    for x in loader:
        {top}
        loss = light(x)
        loss.backward(){backward}
        {change}
        {bottom}
        {end}

fit(load(), 2, lookup())
"""
CHANGES = [
    "light.base.grad *= 64",
    "light.base.grad /= factor",
    "light.base.grad.mul_(factor)",
    "light.base.grad = factor * light.base.grad",
    "dist.all_reduce(light.base.grad)",
    "if light.base.grad is not None: light.base.grad *= 64",
    'materials["wood"].encoder.params.grad /= 8.0',
]


@pytest.mark.parametrize("change", CHANGES)
def test_cleared_too_late(change: str) -> None:
    assert_marked(
        PROGRAM.format(top="pass", backward="", change=change, bottom="optimizer.zero_grad()  # expect: LL101", end="optimizer.step()")
    )


@pytest.mark.parametrize("change", CHANGES)
def test_never_cleared(change: str) -> None:
    assert_marked(PROGRAM.format(top="pass", backward="  # expect: LL102", change=change, bottom="optimizer.step()", end="pass"))


@pytest.mark.parametrize("change", CHANGES)
def test_in_order(change: str) -> None:
    assert_marked(PROGRAM.format(top="optimizer.zero_grad()", backward="", change=change, bottom="optimizer.step()", end="pass"))


@pytest.mark.parametrize("change", CHANGES[:3] + CHANGES[5:])
def test_no_step(change: str) -> None:
    assert_marked(PROGRAM.format(top="optimizer.zero_grad()", backward="  # expect: LL106", change=change, bottom="pass", end="pass"))


@pytest.mark.parametrize("change", ["light.base.grad = None", "light.base.grad.zero_()"])
def test_cleared_by_hand(change: str) -> None:
    assert_marked(PROGRAM.format(top="pass", backward="", change="optimizer.step()", bottom=change, end="pass"))


@pytest.mark.parametrize("change", ["light.base.data -= 0.1 * light.base.grad", "x.grad *= 2; show(x.grad)", "keep(light.base.grad)"])
def test_used_by_hand(change: str) -> None:
    assert_marked(PROGRAM.format(top="optimizer.zero_grad()", backward="", change=change, bottom="pass", end="pass"))


def test_optimizers_that_the_branches_of_one_condition_build() -> None:
    assert_marked("""
        import torch
        from torch import nn

        def fit(shape, paint, loader, args):
            if args.fused:
                first = torch.optim.AdamW(shape.parameters())
                second = torch.optim.AdamW(paint.parameters())
            else:
                first = torch.optim.Adam(shape.parameters())
                second = torch.optim.Adam(paint.parameters())
            for x in loader:
                first.zero_grad()
                second.zero_grad()
                loss = paint(shape(x)).sum()
                loss.backward()  # expect: LL106
                first.step()

        loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(4, 2)), shuffle=True)
        if args.coarse:
            fit(nn.Linear(2, 2), nn.Linear(2, 2), loader, args)
        else:
            fit(nn.Linear(2, 2), nn.Linear(2, 2), loader, args)
    """)
