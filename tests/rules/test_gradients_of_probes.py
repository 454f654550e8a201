"""LL106: the gradient of a leaf of zeros that is only measured is a statistic of a training, and not what its backwards are for."""

from __future__ import annotations

import pytest

from tests.programs import assert_marked

PROGRAM = """
import torch
from torch import nn


class Points:
    def __init__(self, points):
        self.xyz = nn.Parameter(points)
        self.moved = torch.zeros(len(points), 1)
        self.optimizer = torch.optim.Adam([self.xyz], lr=1e-3)

    def note(self, probe, seen):
        {note}


def render(points, view):
    probe = {probe}
    probe.retain_grad()
    return {{"picture": (points.xyz + probe) @ view, "probe": probe, "seen": points.xyz[:, 2] > 0}}


def train(points: Points, views, pictures, steps: int):
    for step in range(steps):
        found = render(points, views[step])
        loss = nn.functional.l1_loss(found["picture"], pictures[step])
        loss.backward(){mark}
        points.note(found["probe"], found["seen"])
        {update}
        points.optimizer.zero_grad()


train(Points(torch.rand(100, 3)), torch.rand(10, 3, 3), torch.rand(10, 100, 3), 10)
"""
ZEROS = "torch.zeros_like(points.xyz, requires_grad=True)"
NORM = "self.moved[seen] += torch.norm(probe.grad[seen, :2], dim=-1, keepdim=True)"
MARK = "  # expect: LL106"
MEASURED = {
    "a part of it": {"probe": f"{ZEROS} + 0", "note": NORM},
    "with a type of its own": {"probe": "torch.zeros_like(points.xyz, dtype=torch.float32, requires_grad=True)", "note": NORM},
    "by its method": {"probe": ZEROS, "note": "self.moved = max(self.moved, probe.grad[seen].norm(dim=-1).max())"},
    "scaled": {"probe": f"2 * {ZEROS}", "note": "print((probe.grad * 100).norm().item())"},
}
USED = {
    "what is measured is no probe": {"probe": "points.xyz.detach().clone().requires_grad_()", "note": NORM},
    "a picture that is looked at": {"probe": "torch.tensor(view, requires_grad=True)", "note": NORM},
    "it is kept": {"probe": ZEROS, "note": "self.moved = self.moved + probe.grad"},
    "it is followed": {"probe": ZEROS, "note": "self.xyz.data -= 0.1 * probe.grad / probe.grad.norm()"},
}


@pytest.mark.parametrize("case", MEASURED)
def test_what_is_measured_beside_a_training_is_no_use_of_it(case: str) -> None:
    assert_marked(PROGRAM.format(**MEASURED[case], update="pass", mark=MARK))


@pytest.mark.parametrize("case", MEASURED)
def test_the_optimizer_steps(case: str) -> None:
    assert_marked(PROGRAM.format(**MEASURED[case], update="points.optimizer.step()", mark=""))


@pytest.mark.parametrize("case", USED)
def test_it_is_what_the_backward_is_for(case: str) -> None:
    assert_marked(PROGRAM.format(**USED[case], update="pass", mark=""))
