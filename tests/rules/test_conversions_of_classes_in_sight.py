"""LL503: what has the methods of a class of the program that converts in place may be of it, whatever else it may be."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """
import torch
from elsewhere import Sampler, learn


class Episodes:
    def __init__(self, data):
        self.data = data

    def to(self, device):
        self.data = {{name: value.to(device) for name, value in self.data.items()}}

    def longest(self):
        return 3

    def __getitem__(self, key):
        if isinstance(key, str):
            return torch.zeros(3)
        return Episodes({{name: value[key] for name, value in self.data.items()}})


def weigh(batch):
    return batch.clamp(0, 1) * 2


def train(args, buffer: Sampler, net):
    for _ in range(args.turns):
        sample = {made}
        {asked}
        sample.to(args.device)
        loss = (net(sample) * {used}).mean()
        loss.backward()
"""


@pytest.mark.parametrize(
    ("made", "asked", "used", "expected"),
    [
        ("buffer.sample(3)", "length = sample.longest()", "weigh(sample)", []),
        ("buffer.sample(3)", "length = sample.longest()", "weigh(batch=sample)", []),
        ("Episodes({'x': torch.zeros(3)})[args.key]", "pass", "weigh(sample)", []),
        ("buffer.sample(3)", "length = sample.size(1)", "weigh(sample)", ["LL503"]),
        ("buffer.sample(3)", "pass", "weigh(sample)", ["LL503"]),
    ],
)
def test_what_may_be_of_a_class_that_converts_in_place(made: str, asked: str, used: str, expected: list[str]) -> None:
    text = PROGRAM.format(made=made, asked=asked, used=used)
    assert [f.code for f in looplint.lint(text, isolated=True) if f.code == "LL503"] == expected
