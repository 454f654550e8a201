"""What the conditions around a place have decided is not asked again: no path leads into the other branch."""

from __future__ import annotations

import pytest

from programs import assert_marked

TRAINS = """
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        if {test}:
            for x, y in loader:
                nn.functional.mse_loss(net(x), y).backward()
                optimizer.zero_grad(){mark}
                optimizer.step()
"""
OPTIONS = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--alg", default="avg")
parser.add_argument("--early", action="store_true")
args = parser.parse_args()
"""
DROPPED = "  # expect: LL101"


def _by_options(around: str, test: str, *, dropped: bool, between: str = "pass") -> str:
    body = TRAINS.format(test=test, mark=DROPPED if dropped else "").replace("\n    ", "\n")
    return f"{OPTIONS}\ndef run(net, loader, args):\n    {between}\n{body}\nnet, loader = nn.Linear(4, 1), [(torch.ones(2, 4), torch.ones(2, 1))]\n{around}\n    run(net, loader, args)\n"


def _by_parameter(signature: str, around: str, test: str, *, dropped: bool, between: str = "pass") -> str:
    body = TRAINS.format(test=test, mark=DROPPED if dropped else "")
    return f"def run(net: nn.Module, loader, {signature}):\n    {around}\n        {between}{body}"


def _by_attribute(around: str, test: str, *, dropped: bool, elsewhere: str = "pass") -> str:
    body = TRAINS.format(test=test, mark=DROPPED if dropped else "")
    return f"""
class Trainer:
    def __init__(self, net: nn.Module, mode):
        self.net, self.mode = net, mode

    def other(self):
        {elsewhere}

    def fit(self, loader):
        {around}
            self.once(loader)

    def once(self, loader):
        net = self.net
{body}
"""


PROGRAMS = {
    "another value of an option": _by_options("if args.alg == 'avg':", "args.alg == 'prox'", dropped=False),
    "the same value of an option": _by_options("if args.alg == 'prox':", "args.alg == 'prox'", dropped=True),
    "a branch before": _by_options("if args.alg == 'prox':\n    pass\nelse:", "args.alg == 'prox'", dropped=False),
    "one of several values": _by_options("if args.alg == 'avg':", "args.alg in ('prox', 'moon')", dropped=False),
    "an option that is set in between": _by_options(
        "if args.alg == 'avg':", "args.alg == 'prox'", between="args.alg = input()", dropped=True
    ),
    "another option": _by_options("if args.alg == 'avg':", "args.early", dropped=True),
    "a parameter": _by_parameter("mode", "if mode == 'train':", "mode == 'debug'", dropped=False),
    "a parameter that is bound again": _by_parameter(
        "mode", "if mode == 'train':", "mode == 'debug'", between="mode = input()", dropped=True
    ),
    "a flag": _by_parameter("early=False", "if not early:", "early", dropped=False),
    "an attribute that a constructor sets": _by_attribute("if self.mode == 'train':", "self.mode == 'debug'", dropped=False),
    "an attribute that a method sets": _by_attribute(
        "if self.mode == 'train':", "self.mode == 'debug'", elsewhere="self.mode = input()", dropped=True
    ),
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_no_path_contradicts_the_conditions_around_it(program: str) -> None:
    assert_marked(program)
