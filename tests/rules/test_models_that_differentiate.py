"""A model that differentiates something in its forward needs its graph in an evaluation too: nothing is said where that would take the graph away."""

from __future__ import annotations

import pytest

import looplint

MODELS = """\
import argparse
import torch
from torch import nn
from data import train, valid

parser = argparse.ArgumentParser()
parser.add_argument("--model", default="plain")


class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 1)

    def forward(self, x):
        return self.layer(x)


class Forces(Plain):
    def forward(self, x):
        x.requires_grad_(True)
        return torch.autograd.grad(self.layer(x).sum(), x, create_graph=True)[0]


class Engine:
    def evaluate(self, net):
        return evaluate(net)


class OfForces(Engine):
    pass


def fit(net):
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(9):
        net.train()
        for x, y in train:
            opt.zero_grad()
            nn.functional.mse_loss(net(x), y).backward()
            opt.step()


def evaluate(net):
    net.eval()
    for x, y in valid:
        print(nn.functional.mse_loss(net(x), y).item())


def main(args):
    CODE


main(parser.parse_args())
"""
EITHER = """\
if args.model == "plain":
        net = Plain()
        engine = Engine()
    else:
        net = Forces()
        engine = OfForces()
    fit(net)
    """
ASKED = f"{EITHER}if args.model == MODEL:\n        evaluate(net)"


def rows(code: str) -> list[int]:
    return [f.location.row for f in looplint.lint(MODELS.replace("CODE", code), isolated=True) if f.code == "LL303"]


IN_EVALUATE = 47


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("net = Plain()\n    fit(net)\n    evaluate(net)", [IN_EVALUATE]),
        ("net = Forces()\n    fit(net)\n    evaluate(net)", []),
        # One pass for both of them.
        ("one, other = Plain(), Forces()\n    fit(one)\n    fit(other)\n    evaluate(one)\n    evaluate(other)", []),
        (f"{EITHER}evaluate(net)", []),
        (f"{EITHER}engine.evaluate(net)", []),
        # One that is left by what is asked around it.
        (ASKED.replace("MODEL", "'plain'"), [IN_EVALUATE]),
        (ASKED.replace("MODEL", "'forces'"), []),
        (ASKED.replace("args.model == MODEL", "args.model"), []),
    ],
)
def test_where_a_pass_is_also_that_of_a_model_which_differentiates(code: str, found: list[int]) -> None:
    assert rows(code) == found
