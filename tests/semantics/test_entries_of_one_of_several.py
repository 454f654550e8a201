"""An entry of what one of several models returns is an array, or has no graph, where the forwards of all of them say so."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import argparse

import numpy as np
import torch
from torch import nn


class First(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x, track=False):
        seen = []
        for _ in range(4):
            x = self.layer(x)
            seen.append({of_first})
        return x, {first}


class Second(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x, track=False):
        return self.layer(x), {second}


def built(args):
    if args.model == "first":
        model = First().cuda()
    else:
        model = Second().cuda()
    return model


def main(loader):
    parser = argparse.ArgumentParser()
    parser.add_argument("--model")
    model = built(parser.parse_args())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    history = []
    for x, y in loader:
        out, seen = model(x, track=True)
        loss = (out.sum() - y) ** 2
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        history.append(seen)
    print(len(history))


main(LOADER)
"""


@pytest.mark.parametrize(
    ("of_first", "first", "second", "expected"),
    [
        ("x.detach().cpu().numpy()", "np.array(seen)", "np.zeros(4)", []),
        ("x.detach()", "torch.stack(seen)", "x.detach()", []),
        ("x.detach()", "len(seen)", "4", []),
        ("x.detach()", "torch.stack(seen)", "self.layer(x)", []),
        ("x", "torch.stack(seen)", "self.layer(x)", ["LL401"]),
    ],
)
def test_an_entry_of_what_one_of_several_returns(of_first: str, first: str, second: str, expected: list[str]) -> None:
    program = PROGRAM.format(of_first=of_first, first=first, second=second)
    assert [f.code for f in looplint.lint(program, isolated=True)] == expected
