"""The part of a graph that matters to an object: tests that decide nothing about it are no part of that."""

from __future__ import annotations

from textwrap import dedent

import pytest

from looplint.flow.events import Clear, Construct, Step
from looplint.linting.analysis import build_program
from looplint.sources.reading import decode

PROGRAM = """
    import torch
    from torch import nn

    def main(args):
        {asked}
            print(1)
        if args.loud or args.tall:
            print(2)
        {asked}
            print(3)
        if args.tall:
            print(4)
        if args.loud:
            print(5)
        net = nn.Linear(4, 1)
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        {between}
        net(torch.ones(4)).backward()
        if args.loud:
            opt.step()
"""


def _remembered(asked: str, between: str = "pass") -> int:
    """How many conditions are remembered on the ways from where the optimizer is built to its step."""
    text = dedent(PROGRAM.format(asked=asked, between=between))
    program, _ = build_program(decode(text.encode(), None, "train.py"))
    events = [e for e in program.of(Construct, Clear, Step) if any(o.kind == "optimizer" for o in e.subjects)]
    return sum(len(each.remembered) for each in program.slices.narrowed({e.index for e in events}))


@pytest.mark.parametrize("asked", ["if args.row:", "if not isinstance(args.row, Batch):", "if args.row is None:"])
def test_what_is_asked_before_the_object_is_there_keeps_no_paths_apart(asked: str) -> None:
    assert _remembered(asked) == 0


def test_what_decides_about_the_object_does() -> None:
    assert _remembered("if args.row:", "if args.loud: opt.zero_grad()") == 1
