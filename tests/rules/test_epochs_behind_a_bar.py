"""A loop over a range that a bar of progress shows counts epochs by its name, also where it stands in a loop over runs."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import math
import torch
from torch import nn, optim
from tqdm import tqdm, trange


def pretrain(model, graph, x, optimizer, max_epoch, scheduler):
    SETUP
    for epoch in OVER:
        model.train()
        loss = model(graph, x).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if scheduler is not None:
            scheduler.step()


def main(args, graph, x):
    max_epoch = args.max_epoch
    for i, seed in enumerate(args.seeds):
        torch.manual_seed(seed)
        model = nn.Bilinear(3, 3, 1)
        optimizer = optim.SGD(model.parameters(), lr=0.1)
        if args.schedule:
            schedule = lambda epoch: (1 + math.cos(epoch * math.pi / max_epoch)) * 0.5
            scheduler = optim.lr_scheduler.LambdaLR(optimizer, lr_lambda=schedule)
        else:
            scheduler = None
        pretrain(model, graph, x, optimizer, max_epoch, scheduler)
"""


@pytest.mark.parametrize(
    ("setup", "over"),
    [
        ("pass", "range(max_epoch)"),
        ("pass", "tqdm(range(max_epoch))"),
        ("pass", "trange(max_epoch)"),
        ("bar = tqdm(range(max_epoch), desc='pretraining')", "bar"),
        ("bar = trange(1, max_epoch + 1)", "bar"),
        ("turns = range(max_epoch)", "tqdm(turns)"),
    ],
)
def test_a_schedule_of_epochs_is_stepped_in_them(setup: str, over: str) -> None:
    assert looplint.lint(PROGRAM.replace("SETUP", setup).replace("OVER", over), isolated=True) == []


@pytest.mark.parametrize(
    ("setup", "over"), [("pass", "tqdm(graph)"), ("bar = tqdm(graph)", "bar"), ("bar = graph; bar = trange(3)", "bar")]
)
def test_what_may_be_batches_is_reported(setup: str, over: str) -> None:
    codes = [f.code for f in looplint.lint(PROGRAM.replace("SETUP", setup).replace("OVER", over), isolated=True)]
    assert codes == ["LL201"]
