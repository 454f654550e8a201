"""A loop over a few numbers or texts that are written there does several things with one batch: the loop over the loader around it is that of the batches."""

from __future__ import annotations

import pytest

import looplint

SCRIPT = """\
import torch
from torch import nn, optim


def main(data, epochs: int):
    first, second = nn.Linear(5, 5), nn.Linear(5, 2)
    optimizer_a, optimizer_b = optim.SGD(first.parameters(), lr=0.1), optim.SGD(second.parameters(), lr=0.1)
    schedule = {schedule}
    loader = torch.utils.data.DataLoader(data, batch_size=24, shuffle=True)
    for epoch in range(epochs):
        for x, y in loader:
            {head}
                if which == {one!r}:
                    optimizer_a.zero_grad()
                    second(first(x)).sum().backward()
                    optimizer_a.step()
                else:
                    optimizer_b.zero_grad()
                    nn.functional.cross_entropy(second(first(x).detach()), y).backward()
                    optimizer_b.step()
            {batch}
        {end}


main(DATA, 100)
"""
MILESTONES = "optim.lr_scheduler.MultiStepLR(optimizer_a, [60, 90])"
COSINE = "optim.lr_scheduler.CosineAnnealingLR(optimizer_a, epochs)"


def codes(schedule: str, head: str, one: object, batch: str, end: str) -> list[str]:
    text = SCRIPT.format(schedule=schedule, head=head, one=one, batch=batch, end=end)
    return [f.code for f in looplint.lint(text, isolated=True) if f.severity != "advice"]


@pytest.mark.parametrize(
    ("schedule", "head", "one"),
    [
        (COSINE, "for which in [0, 1]:", 0),
        (COSINE, "for which in (0, 1, 1):", 0),
        (MILESTONES, "for which in [1, 2, 3]:", 1),
    ],
)
def test_a_schedule_of_epochs_in_the_loop_over_the_loader_is_told(schedule: str, head: str, one: object) -> None:
    assert codes(schedule, head, one, "schedule.step()", "pass") == ["LL201"]


@pytest.mark.parametrize("head", ["for which in [0, 1]:", "for which in ('generator', 'critic'):"])
@pytest.mark.parametrize("schedule", [MILESTONES, COSINE])
def test_at_the_end_of_the_epoch_it_is_right(head: str, schedule: str) -> None:
    assert codes(schedule, head, 0 if "0" in head else "generator", "pass", "schedule.step()") == []


@pytest.mark.parametrize("schedule", ["OneCycleLR(optimizer_a, 0.1, 10000)", "ExponentialLR(optimizer_a, 0.999)"])
def test_a_schedule_that_may_count_batches_is_right_there(schedule: str) -> None:
    assert codes(f"optim.lr_scheduler.{schedule}", "for which in [0, 1]:", 0, "schedule.step()", "pass") == []
