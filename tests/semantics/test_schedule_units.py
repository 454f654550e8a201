"""What the end of a schedule counts, as its value and its words tell."""

import pytest

import looplint
from programs import assert_marked

PROGRAM = """
import math
import numpy as np
from torch.utils.data import DataLoader

def train(net, data, epochs, size, k):
    loader = DataLoader(data, batch_size=size, shuffle=True)
    opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max={end})
    for epoch in range(epochs):
        for x, y in loader:
            opt.zero_grad()
            nn.functional.mse_loss(net(x), y).backward()
            opt.step()
            schedule.step(){mark}
"""


@pytest.mark.parametrize(
    "end",
    [
        "epochs * len(loader)",
        "epochs * math.ceil(len(loader) / k)",
        "int(np.ceil(epochs * len(loader)))",
        "max(1, epochs * len(loader))",
        "epochs * (len(data) // size)",
        "math.ceil(len(data) / size) * epochs",
    ],
)
def test_so_many_in_each_epoch_are_no_epochs(end: str) -> None:
    assert_marked(PROGRAM.format(end=end, mark=""))


@pytest.mark.parametrize("end", ["epochs", "2 * epochs", "epochs // 2", "epochs - 5"])
def test_epochs_are(end: str) -> None:
    assert_marked(PROGRAM.format(end=end, mark="  # expect: LL201"))


@pytest.mark.parametrize(
    "end",
    [
        "iterations / len(loader)",
        "math.ceil(iterations / len(loader))",
        "(iterations // len(loader)) // 2",
        "int(iterations / len(loader)) - 1",
    ],
)
def test_what_is_divided_by_the_batches_of_an_epoch_is(end: str) -> None:
    program = PROGRAM.replace("epochs, size", "epochs, iterations, size")
    assert_marked(program.format(end=end, mark="  # expect: LL201"))


@pytest.mark.parametrize(
    "end", ["iterations / len(loader) * k", "(iterations // len(loader)) * len(loader)", "len(loader) // k", "iterations / size"]
)
def test_what_is_multiplied_again_is_not(end: str) -> None:
    assert_marked(PROGRAM.replace("epochs, size", "epochs, iterations, size").format(end=end, mark=""))


GOES_ON = """
def train(net, loader, saved, epochs, gamma, last_epoch=-1):
    opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
    {before}
    schedule = torch.optim.lr_scheduler.ExponentialLR(opt, gamma=gamma, last_epoch={start})
    for epoch in range(epochs):
        for x, y in loader:
            opt.zero_grad()
            nn.functional.mse_loss(net(x), y).backward()
            opt.step()
            schedule.step(){mark}
"""


@pytest.mark.parametrize(
    ("before", "start"),
    [("last_epoch = saved['epoch']", "last_epoch"), ("pass", "saved['epoch'] - 1"), ("start_epoch = saved.at", "start_epoch")],
)
def test_what_a_schedule_goes_on_from_is_what_it_counts(before: str, start: str) -> None:
    assert_marked(GOES_ON.format(before=before, start=start, mark="  # expect: LL201"))


@pytest.mark.parametrize(
    ("before", "start"),
    [("pass", "last_epoch"), ("last_epoch = saved['step']", "last_epoch"), ("pass", "-1"), ("n = saved['iteration']", "n - 1")],
)
def test_a_number_that_is_not_named_after_epochs_tells_nothing(before: str, start: str) -> None:
    assert_marked(GOES_ON.format(before=before, start=start, mark=""))


EARLY = """\
import torch
from torch import nn
from torch.optim import lr_scheduler
def main(loader, size, epochs):
    net = nn.Linear(4, 2)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    scheduler = lr_scheduler.{schedule}
    for epoch in range(epochs):
        scheduler.step()
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(net(x), y).backward()
            optimizer.step()
"""


@pytest.mark.parametrize(
    ("schedule", "severity"),
    [
        ("StepLR(optimizer, size)", "warning"),
        ("StepLR(optimizer, step_size=50, gamma=0.5)", "warning"),
        ("MultiStepLR(optimizer, [60, 80])", "warning"),
        ("StepLR(optimizer, 1)", "error"),
        ("MultiStepLR(optimizer, milestones=[1, 2])", "error"),
        ("CosineAnnealingLR(optimizer, epochs)", "error"),
    ],
)
def test_a_schedule_whose_first_values_are_the_same_loses_none_by_an_early_step(schedule: str, severity: str) -> None:
    found = looplint.lint(EARLY.format(schedule=schedule), isolated=True)
    assert [(f.code, f.severity) for f in found] == [("LL203", severity)]


FACTORS = PROGRAM.replace("CosineAnnealingLR(opt, T_max={end})", "LambdaLR(opt, {end})")


@pytest.mark.parametrize(
    "factor",
    [
        "lambda epoch: k**epoch",
        "lambda epoch: 0.9999991 ** epoch",
        "lambda epoch: max(k, 0.9999**epoch)",
        "lambda epoch: min(1.0, (epoch + 1) / warmup_steps)",
        "lambda epoch: 1 - epoch / total_iters",
    ],
)
def test_what_torch_calls_its_count_says_nothing_beside_steps_or_of_a_rate_without_end(factor: str) -> None:
    assert_marked(FACTORS.format(end=factor, mark=""))


@pytest.mark.parametrize(
    "factor",
    [
        "lambda epoch: 0.95**epoch",
        "lambda epoch: 1 - epoch / epochs",
        "lambda epoch: k ** (epoch // 30)",
        "lambda epoch: k ** (epoch / epochs)",
    ],
)
def test_a_rate_that_falls_in_epochs_does(factor: str) -> None:
    assert_marked(FACTORS.format(end=factor, mark="  # expect: LL201"))


VANISHING = """\
import torch
from torch import nn
from torch.optim.lr_scheduler import ExponentialLR
from torch.utils.data import DataLoader
GAMMA = 0.9
def run(dataset, epochs, args):
    loader, net = DataLoader(dataset, batch_size=8, shuffle=True), nn.Linear(4, 2)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    schedule = ExponentialLR(opt, {gamma})
    {outer}:
        {inner}:
            opt.zero_grad()
            nn.functional.mse_loss(net(x), y).backward()
            opt.step()
            schedule.step(){mark}
"""
EPOCHS, BATCHES = "for epoch in range(epochs)", "for x, y in loader"


@pytest.mark.parametrize("gamma", ["gamma=0.9", "GAMMA", "0.5"])
def test_a_factor_that_leaves_nothing_of_the_rate_is_one_of_epochs(gamma: str) -> None:
    assert_marked(VANISHING.format(gamma=gamma, outer=EPOCHS, inner=BATCHES, mark="  # expect: LL201"))
    (found,) = [f for f in looplint.lint(VANISHING.format(gamma=gamma, outer=EPOCHS, inner=BATCHES, mark="")) if f.code == "LL201"]
    assert found.fix is not None and found.fix.applicability == "unsafe"


@pytest.mark.parametrize(
    ("gamma", "outer", "inner"),
    [
        ("gamma=0.95", EPOCHS, BATCHES),
        ("gamma=1.1", EPOCHS, BATCHES),
        ("args.gamma", EPOCHS, BATCHES),
        ("gamma=0.9", "for _ in range(args.rounds)", BATCHES),
        ("gamma=0.9", "for fold in args.folds", "for epoch in range(epochs)"),
        ("gamma=0.9", EPOCHS, "for i in range(9)"),
    ],
)
def test_any_other_factor_may_be_one_of_batches(gamma: str, outer: str, inner: str) -> None:
    assert_marked(VANISHING.format(gamma=gamma, outer=outer, inner=inner, mark=""))
