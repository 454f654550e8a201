"""What code out of sight makes for an attribute is told by what the code outside of the class does with it: `helper.task.model(x)`."""

from __future__ import annotations

from textwrap import dedent

import pytest

import looplint

PROGRAM = """
    import torch
    import lib

    class Helper:
        def __init__(self, args):
            cls = getattr(lib.load(args.task), "Task")
            {made}

    class Other:
        def __init__(self, args):
            {other}

    def train(helper, model, optimizer, loader):
        for x, y in loader:
            loss = helper.task.criterion(model(x), y)
            loss.backward()
            optimizer.zero_grad()
            optimizer.step()

    def test(helper):
        model = helper.task.model
        model.eval()
        with torch.no_grad():
            for x in helper.task.test_loader:
                lib.note(model(x))

    def run(helper):
        for epoch in range(3):
            helper.task.model.train()
            train(helper, helper.task.model, helper.task.optimizer, helper.task.loader)
            test(helper)

    run(Helper(lib.args()))
"""
MADE = {
    "by a class": "self.task = cls(args)",
    "by a method of a library": "self.task = lib.registry.build(args.task)",
    "with its settings": "self.task = cls(args, **lib.settings())",
}


@pytest.mark.parametrize("made", MADE.values(), ids=MADE)
def test_its_parts_are_known(made: str) -> None:
    assert codes(PROGRAM.format(made=made, other="pass")) == ["LL101"]


def test_one_of_two_classes_that_make_it_may_be_meant() -> None:
    assert codes(PROGRAM.format(made="self.task = cls(args)", other="self.task = lib.job(args)")) == []


def codes(program: str) -> list[str]:
    return [f.code for f in looplint.lint(dedent(program), isolated=True) if f.severity != "advice"]
