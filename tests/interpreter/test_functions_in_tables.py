"""What goes to a function that is taken from a dict or a list is used there as well."""

from __future__ import annotations

import pytest

import looplint

TRAINING = """
import torch
from torch import nn, optim
from somewhere import build

def train(model, loader):
    opt = optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        opt.zero_grad()
        opt.step()

def test(model, loader):
    for x, y in loader:
        print(len(x))

{before}
def main(args, loader):
    {inside}
    net = build(args)
    {call}

main(ARGS, LOADER)
"""
CALLS = [
    ("", 'jobs = {"train": train, "test": test}', "jobs[args.job](net, loader)"),
    ("", "jobs = [test, train]", "jobs[args.number](net, loader=loader)"),
    ('JOBS = {"train": train, "test": test}', "", "JOBS[args.job](model=net, loader=loader)"),
]


@pytest.mark.parametrize(("before", "inside", "call"), CALLS)
def test_a_model_that_goes_to_a_function_of_a_table_is_one_by_its_use_there(before: str, inside: str, call: str) -> None:
    text = TRAINING.format(before=before, inside=inside or "pass", call=call)
    assert [f.code for f in looplint.lint(text, isolated=True)] == ["LL101"]
