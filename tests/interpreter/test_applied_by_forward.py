"""What is called a model and is applied by `forward(x)` alone is one, where code out of sight makes it; what trains itself is none."""

from __future__ import annotations

from textwrap import dedent

import pytest

import looplint

PROGRAM = """
    from importlib import import_module
    import torch
    from torch import nn
    from lib import build

    class Learned(nn.Module):
        def __init__(self, args):
            super().__init__()
            self.model = {made}

        def run(self, loader, valid):
            opt = torch.optim.Adam(self.parameters())
            for epoch in range(3):
                {mode}
                for x, y in loader:
                    losses = self.model.compute_loss(self.model.forward(x), y)
                    opt.zero_grad()
                    sum(losses.values()).backward()
                    opt.step()
                self.validate(valid)

        def validate(self, valid):
            self.eval()
            with torch.no_grad():
                for x, y in valid:
                    print(self.model.forward(x))
"""
MADE = {
    "a class by its module": "import_module('models.' + args.model).Model(args)",
    "a function": "build(args.model)",
    "an entry of a table": "build.TABLE[args.model](args)",
}
TRAINER = """
    from lib import create_model

    def main(opt, loader):
        model = create_model(opt)
        for batch in loader:
            model.set_input(batch)
            model.forward()
            model.optimize_parameters()
"""


@pytest.mark.parametrize("made", MADE.values(), ids=MADE)
def test_its_mode_is_followed(made: str) -> None:
    assert codes(PROGRAM.format(made=made, mode="pass")) == ["LL301"]
    assert codes(PROGRAM.format(made=made, mode="self.train()")) == []


def test_what_trains_itself_is_no_module() -> None:
    assert [f.code for f in looplint.lint(dedent(TRAINER), isolated=True)] == []


def codes(program: str) -> list[str]:
    return [f.code for f in looplint.lint(dedent(program), isolated=True) if f.severity != "advice"]
