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


BEHIND_THE_READS = """\
from torch import nn, optim
from elsewhere import report


def log(opt):
    report(opt.param_groups[0]["lr"])


def train(net, loader, epochs):
    opt = optim.SGD(net.parameters(), lr=0.1)
    schedule = optim.lr_scheduler.CosineAnnealingLR(opt, epochs)
    for epoch in range(epochs):
        schedule.step()
        for x, y in loader:
            opt.zero_grad()
            nn.functional.mse_loss(net(x), y).backward()
            opt.step()
            report(opt.param_groups[0]["lr"])
        {first}
        {second}
"""
RATE = 'report(opt.param_groups[0]["lr"])'
BOTH = "report(opt.state_dict(), schedule.state_dict())"
# What follows the loop over batches, and which of it the step comes behind, if it is safe there.
READS: dict[str, tuple[str, str, int | None]] = {
    "the rate": ("report(net)", RATE, 2),
    "the rate, and something else": (RATE, "report(net)", 1),
    "the rate under a condition": ("report(net)", f"if epoch % 2: {RATE}", 2),
    "the rate in a function": ("log(opt)", "report(net)", 1),
    "the rate of the scheduler": ("report(schedule.get_last_lr())", "report(net)", 1),
    "all groups": ("report([group['lr'] for group in opt.param_groups])", "report(net)", 1),
    "the optimizer's state": ("report(opt.state_dict())", "report(net)", 1),
    "the optimizer's state and the rate": ("report(opt.state_dict())", RATE, 2),
    "what both save": ("report(net)", BOTH, 0),
    "the rate before what both save": (RATE, BOTH, 1),
    "the rate behind what both save": (BOTH, RATE, None),
    "the rate where a turn may end before": ("if epoch > 10: continue", RATE, None),
    "how far the scheduler has got behind the rate": (RATE, "report(schedule.last_epoch)", 1),
    "how far the scheduler has got before the rate": ("report(schedule.last_epoch)", RATE, None),
    "nothing": ("report(net)", "report(loader)", 0),
}


@pytest.mark.parametrize(("first", "second", "behind"), READS.values(), ids=READS)
def test_behind_what_reads_the_rate(first: str, second: str, behind: int | None) -> None:
    text = BEHIND_THE_READS.format(first=first, second=second)
    (found,) = looplint.lint(text, select=["LL203"], isolated=True)
    assert found.fix is not None
    assert found.fix.applicability == ("unsafe" if behind is None else "safe")
    if behind is not None:
        body = [line.strip() for line in looplint.fix(text, select=["LL203"], isolated=True).text.splitlines()]
        assert body[body.index("opt.step()") + behind + 2] == "schedule.step()"


IN_A_CALLER = """\
from torch import nn, optim


def update(net, opt, schedule, x, y):
    opt.zero_grad()
    nn.functional.mse_loss(net(x), y).backward()
    schedule.step()
    opt.step()


def train(net, loader):
    opt = optim.SGD(net.parameters(), lr=0.1)
    schedule = optim.lr_scheduler.OneCycleLR(opt, 0.1, total_steps=len(loader))
    for x, y in loader:
        {before}
        update(net, opt, schedule, x, y)
        {after}
"""


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("pass", "print(opt.param_groups[0]['lr'])", "unsafe"),
        ("print(opt.param_groups[0]['lr'])", "pass", "safe"),
        ("pass", "pass", "safe"),
    ],
)
def test_read_in_a_caller(before: str, after: str, expected: str) -> None:
    assert _safety(IN_A_CALLER.format(before=before, after=after), "LL203") == expected


GROUPS = """\
from torch import nn, optim


def train(net, data, epochs):
    opt = optim.SGD(net.parameters(), lr=0.1)
    schedule = optim.lr_scheduler.CosineAnnealingLR(opt, T_max=epochs)
    for epoch in range(epochs):
        for group in data.groups():
            for x, y in group:
                opt.zero_grad()
                nn.functional.mse_loss(net(x), y).backward()
                opt.step()
                schedule.step()
"""


@pytest.mark.parametrize(
    "between", ["        for group in data.groups():\n", "        for group in data.groups():\n            print(group)\n"]
)
def test_a_step_moves_out_of_all_loops_of_an_epoch(between: str) -> None:
    broken = GROUPS.replace("        for group in data.groups():\n", between)
    fixed = looplint.fix(broken, select=["LL201"], isolated=True)
    assert fixed.text == broken.replace("                schedule.step()\n", "        schedule.step()\n")
