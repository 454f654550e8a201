"""What a run reports by itself, from the numbers that it saw: rates that vanish, and losses that add up."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from looplint.runtime.evidence.joining import witnesses
from looplint.runtime.streams.record import Options, record
from looplint.runtime.streams.warm import Warm

pytestmark = pytest.mark.slow

SCHEDULED = """
    import sys, torch
    from torch import nn, optim
    from torch.utils.data import DataLoader
    torch.manual_seed(0)
    net = nn.Linear(4, 1)
    optimizer = optim.SGD(net.parameters(), lr=0.1)
    S = optim.lr_scheduler
    scheduler = {scheduler}
    loader = DataLoader(torch.ones(160, 4), batch_size=4)
    for epoch in range({epochs}):
        for i, x in enumerate(loader):
            optimizer.zero_grad()
            net(x).pow(2).mean().backward()
            optimizer.step()
            scheduler.step()
            if i >= {last}:
                break
"""
# The rate is gone within half of the first epoch, and the training goes on.
VANISHING = {
    "steps": "S.StepLR(optimizer, 2, 0.1)",
    "milestones": "S.MultiStepLR(optimizer, [3, 6])",
    "an even factor": "S.ExponentialLR(optimizer, 0.7)",
    "an even factor of a function": "S.LambdaLR(optimizer, lambda n: 0.7 ** n)",
}
LASTING = {
    "over the whole training": ("S.CosineAnnealingLR(optimizer, T_max=80)", 2, 99),
    "over one epoch": ("S.CosineAnnealingLR(optimizer, T_max=40)", 2, 99),
    "a small factor": ("S.ExponentialLR(optimizer, 0.99)", 2, 99),
    "that comes back": ("S.CosineAnnealingLR(optimizer, T_max=3)", 2, 99),
    "that starts anew": ("S.CosineAnnealingWarmRestarts(optimizer, 10)", 2, 99),
    "that rises first": ("S.OneCycleLR(optimizer, 0.1, total_steps=80)", 2, 99),
    "down to the last of few steps": ("S.LinearLR(optimizer, 1.0, 1e-6, 10)", 1, 9),
    "an even factor over few steps": ("S.ExponentialLR(optimizer, 0.7)", 1, 9),
}

ACCUMULATING = """
    import torch
    from torch import nn
    torch.manual_seed(0)
    gradient_accumulation_steps = 4
    net = nn.Linear(4, 3)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu", enabled={scaled})
    def batch():
        return torch.randn(8, 4), torch.randint(0, 3, (8,))
    x, y = batch()
    step = 0
    while True:
        for {loop}:
            loss = nn.functional.cross_entropy(net(x), y, reduction="{reduction}") {divided}
            x, y = batch()
            scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad(set_to_none=True)
        step += 1
        if step > 5:
            break
"""
NAMED = "micro_step in range(gradient_accumulation_steps)"


def alone(folder: Path, warm: Warm, source: str) -> list[tuple[str, bool, int]]:
    """The rules that a run reports by itself, whether it measured the damage, and the lines."""
    script = folder / "train.py"
    script.write_text(textwrap.dedent(source))
    recording = record(script, Options(seconds=60, steps=30), warm.launch)
    assert recording.ok, recording.stderr
    return [(w.code, w.harm, w.line) for w in witnesses(recording.stream) if w.alone and w.bad]


@pytest.mark.parametrize("case", VANISHING)
def test_a_rate_that_vanishes_in_the_loop_over_batches_is_reported(case: str, tmp_path: Path, warm: Warm) -> None:
    assert alone(tmp_path, warm, SCHEDULED.format(scheduler=VANISHING[case], epochs=2, last=99)) == [("LL201", True, 16)]


def test_a_batch_that_is_looked_at_first_is_no_epoch(tmp_path: Path, warm: Warm) -> None:
    source = SCHEDULED.format(scheduler=VANISHING["steps"], epochs=2, last=99).replace(
        "    for epoch", "    first = next(iter(loader))\n    for epoch"
    )
    assert alone(tmp_path, warm, source) == [("LL201", True, 17)]


@pytest.mark.parametrize("case", LASTING)
def test_a_rate_that_lasts_as_long_as_the_training_is_not(case: str, tmp_path: Path, warm: Warm) -> None:
    scheduler, epochs, last = LASTING[case]
    assert alone(tmp_path, warm, SCHEDULED.format(scheduler=scheduler, epochs=epochs, last=last)) == []


@pytest.mark.parametrize("scaled", [False, True])
def test_accumulation_in_an_inner_loop_is_reported_where_nothing_divides_the_loss(scaled: bool, tmp_path: Path, warm: Warm) -> None:
    source = ACCUMULATING.format(scaled=scaled, loop=NAMED, reduction="mean", divided="")
    assert alone(tmp_path, warm, source) == [("LL108", False, 17)]


@pytest.mark.parametrize(
    ("loop", "reduction", "divided"),
    [
        (NAMED, "mean", "/ gradient_accumulation_steps"),
        (NAMED, "mean", "* (1 / gradient_accumulation_steps)"),
        (NAMED, "sum", ""),
        ("task in range(4)", "mean", ""),
    ],
    ids=["divided", "multiplied", "a sum over the batch", "a sum of several losses"],
)
def test_accumulation_that_may_be_meant_is_not(loop: str, reduction: str, divided: str, tmp_path: Path, warm: Warm) -> None:
    assert alone(tmp_path, warm, ACCUMULATING.format(scaled=False, loop=loop, reduction=reduction, divided=divided)) == []
