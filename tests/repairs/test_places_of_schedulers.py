"""A scheduler's step is not moved safely past what reads how far the scheduler has got: that would find other numbers."""

from __future__ import annotations

import pytest

import looplint

BEFORE_THE_OPTIMIZER = """\
from torch import nn, optim
{above}


class Trainer:
    def __init__(self, model):
        self.model = model
        self.opt = optim.SGD(model.parameters(), lr=0.1)
        self.schedule = optim.lr_scheduler.MultiStepLR(self.opt, [10, 20])

    def rate(self):
        return self.schedule.get_lr()[0]

    def run(self, loader):
        schedule = self.schedule
        for epoch in range(30):
            {before}
            self.schedule.step()
            {between}
            for x, y in loader:
                self.opt.zero_grad()
                nn.functional.mse_loss(self.model(x), y).backward()
                self.opt.step()
                {within}
            {behind}


Trainer(nn.Linear(4, 4)).run(make())
"""
PASSED = {
    "a rate outside of a step": {"between": "print(schedule.get_lr())"},
    "under a condition": {"between": "if epoch in (10, 20): print('%g' % float(schedule.get_lr()[0]))"},
    "in a method": {"between": "print(self.rate())"},
    "in a function": {"between": "log(schedule)", "above": "def log(schedule):\n    print(schedule.get_lr())"},
    "in code out of sight": {"between": "consult(schedule)", "above": "from elsewhere import consult"},
    "a count": {"between": "print(schedule.last_epoch)"},
    "in the loop that is passed": {"within": "print(f'{schedule.get_lr()[0]}')"},
}
NOT_CHANGED = {
    "nothing": {},
    "the rate in force": {"between": "print(schedule.get_last_lr())"},
    "the optimizer's rate": {"between": "print(self.opt.param_groups[0]['lr'])"},
    "before both places": {"before": "print(schedule.get_lr())"},
    "behind both places": {"behind": "print(schedule.get_lr(), schedule.last_epoch)"},
    "another scheduler": {"between": "print(other.last_epoch)", "above": "other = optim.lr_scheduler.StepLR(given(), 3)"},
}


def _safety(text: str, code: str) -> str:
    (found,) = looplint.lint(text, select=[code], isolated=True)
    assert found.fix is not None
    return found.fix.applicability


def _written(given: dict[str, str]) -> str:
    return BEFORE_THE_OPTIMIZER.format_map(dict.fromkeys(("above", "before", "between", "within", "behind"), "pass") | given)


@pytest.mark.parametrize("given", PASSED.values(), ids=PASSED)
def test_read_between_the_places(given: dict[str, str]) -> None:
    assert _safety(_written(given), "LL203") == "unsafe"


@pytest.mark.parametrize("given", NOT_CHANGED.values(), ids=NOT_CHANGED)
def test_reads_what_it_read(given: dict[str, str]) -> None:
    assert _safety(_written(given), "LL203") == "safe"


IN_BATCHES = """\
from torch import nn, optim


def train(net, loader, epochs):
    opt = optim.SGD(net.parameters(), lr=0.1)
    schedule = optim.lr_scheduler.{schedule}
    for epoch in range(epochs):
        for x, y in loader:
            opt.zero_grad()
            nn.functional.mse_loss(net(x), y).backward()
            opt.step()
            {in_batch}
            print({read})
        print(epoch)
        {in_epoch}
"""


@pytest.mark.parametrize(("read", "expected"), [("schedule.last_epoch", "unsafe"), ("schedule.get_last_lr()", "safe")])
@pytest.mark.parametrize(
    ("code", "schedule", "in_batch", "in_epoch"),
    [
        ("LL201", "CosineAnnealingLR(opt, T_max=epochs)", "schedule.step()", "pass"),
        ("LL202", "OneCycleLR(opt, 0.1, total_steps=epochs * len(loader))", "pass", "schedule.step()"),
    ],
)
def test_moved_out_of_a_loop_or_into_it(code: str, schedule: str, in_batch: str, in_epoch: str, read: str, expected: str) -> None:
    text = IN_BATCHES.format(schedule=schedule, in_batch=in_batch, in_epoch=in_epoch, read=read)
    assert _safety(text, code) == expected
