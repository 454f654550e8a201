"""A branch that ends in an error hides what a program lacks only where the branch itself would train, or the path beside it does not come to what would."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--mode", default="plain")
parser.add_argument("--fancy", type=int, default=0)
args = parser.parse_args()

def build(rate, *, size):
    return torch.zeros(rate, size)

def adapt(net, optimizer):
    net(torch.zeros(2)).sum().backward()
    optimizer.step()

def main(loader):
    net = nn.Linear(8, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    runner = None
    {branch}
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward(){marked}
        {later}
    {after}
"""
MISSING, NOTHING, STEP = "  # expect: LL106", "pass", "optimizer.step()"
IN_AN_ARM = "if args.mode == 'cyclic':\n        rate = args.pace"
IN_A_CHAIN = """if args.mode == 'plain':
        rate = 0.1
    elif args.mode == 'cyclic':
        rate = args.pace
    elif args.mode == 'cosine':
        rate = args.other
    else:
        raise NotImplementedError"""
A_CALL = "if args.mode == 'plain':\n        rate = build(1, size=3)\n    else:\n        rate = build(1)"
TRAINS_BEHIND = "if args.mode == 'cyclic':\n        rate = args.pace\n        adapt(net, optimizer)"
HANDS_ON_BEHIND = "if args.mode == 'cyclic':\n        runner = map(args.pace, [adapt])"
STARTS = "if args.fancy:\n        runner = args.pace"
ON_EVERY_PATH = "if args.mode == 'cyclic':\n        rate = args.pace\n    else:\n        rate = args.other"
IN_A_LOOP = "for each in range(args.fancy):\n        print(args.pace)"


def _program(branch: str, *, later: str = NOTHING, after: str = NOTHING, marked: str = "") -> str:
    return PROGRAM.format(branch=branch, later=later, after=after, marked=marked)


PROGRAMS = {
    "an option that is not there": _program(IN_AN_ARM, marked=MISSING),
    "one of a chain of branches": _program(IN_A_CHAIN, marked=MISSING),
    "a call that does not fit": _program(A_CALL, marked=MISSING),
    "the step is there": _program(IN_A_CHAIN, later=STEP),
    "the branch would train": _program(TRAINS_BEHIND),
    "the branch would hand on what trains": _program(HANDS_ON_BEHIND),
    "what steps later is run with that branch alone": _program(STARTS, later="if args.fancy: optimizer.step()"),
    "what the branch makes steps later": _program(STARTS, later="if runner is not None: adapt(net, optimizer)"),
    "no path goes on, and the rest is not run": _program(ON_EVERY_PATH),
    "a loop that may have no turn": _program(IN_A_LOOP),
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_a_branch_ends_in_an_error(program: str) -> None:
    assert_marked(program)
