"""A run has one outcome of an option: what one branch leaves in a turn, the other does not find in the next."""

from __future__ import annotations

import pytest

from programs import assert_marked

HEAD = """
import argparse
import torch
from torch import nn, optim
import torch.nn.functional as F

parser = argparse.ArgumentParser()
parser.add_argument("--mode", default="single")
parser.add_argument("--pairs", action="store_true")
parser.add_argument("--epochs", type=int, default=3)
args = parser.parse_args()
loader = [(torch.randn(4, 8), torch.randn(4, 1)) for _ in range(3)]


def fit_pairs(net, opt):
    net.train()
    for x, y in loader:
        opt.zero_grad()
        F.l1_loss(net(x), y).backward()
        opt.step()


def check_pairs(net):
    net.eval()
    with torch.no_grad():
        return sum(F.l1_loss(net(x), y).item() for x, y in loader)


def fit(net, opt):
    for x, y in loader:
        opt.zero_grad()
        F.mse_loss(net(x), y).backward()  # {mark}
        opt.step()


def check(net):
    {check}

net = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.Linear(8, 1))
opt = optim.SGD(net.parameters(), lr=0.1)
"""

IF = """
for epoch in range(args.epochs):
    if args.mode == "pairs":
        fit_pairs(net, opt)
        print(check_pairs(net))
    else:
        fit(net, opt)
        print(check(net))
"""

CONTINUE = """
for epoch in range(args.epochs):
    if args.pairs:
        fit_pairs(net, opt)
        print(check_pairs(net))
        continue
    fit(net, opt)
    print(check(net))
"""

ATTRIBUTE = """
class Trainer:
    def __init__(self, pairs):
        self.pairs = pairs

    def epoch(self):
        if self.pairs:
            fit_pairs(net, opt)
        else:
            fit(net, opt)

    def validate(self):
        return check_pairs(net) if self.pairs else check(net)


trainer = Trainer(args.pairs)
for epoch in range(args.epochs):
    trainer.epoch()
    print(trainer.validate())
"""

MATCH = """
for epoch in range(args.epochs):
    match args.mode:
        case "pairs":
            fit_pairs(net, opt)
            print(check_pairs(net))
        case _:
            fit(net, opt)
            print(check(net))
"""


MEASURED = """net.eval()
    with torch.no_grad():
        return sum(F.mse_loss(net(x), y).item() for x, y in loader)
"""
LOOPS = pytest.mark.parametrize("loop", [IF, CONTINUE, ATTRIBUTE, MATCH], ids=["if", "continue", "attribute", "match"])


@LOOPS
def test_an_eval_that_one_branch_leaves_is_found_by_the_next_turn_of_this_branch(loop: str) -> None:
    assert_marked(HEAD.replace("{mark}", "expect: LL301").replace("{check}", MEASURED) + loop)


@LOOPS
def test_a_branch_that_leaves_no_eval_finds_none_of_the_other(loop: str) -> None:
    assert_marked(HEAD.replace("  # {mark}", "").replace("{check}", "return sum(y.sum().item() for _, y in loader)\n") + loop)
