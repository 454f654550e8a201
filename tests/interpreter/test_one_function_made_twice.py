"""A function that is defined in another and made in several calls of it is one function: whichever was made, the same is run."""

from __future__ import annotations

from textwrap import dedent

import pytest

import looplint

PROGRAM = """
    import torch
    from torch import nn
    from functools import partial

    def make_forward(criterion, scale):
        def forward(model, batch):
            x, y = batch
            return criterion(model(x), y) * scale
        return forward

    class Trainer:
        def __init__(self, model, forward, opt):
            self.model, self.forward, self.opt = model, forward, opt

        def train(self, loader, valid):
            for epoch in range(3):
                for batch in loader:
                    self.opt.zero_grad()
                    self.forward(self.model, batch).backward()
                    self.opt.step()
                self.model.eval()
                with torch.no_grad():
                    for batch in valid:
                        print(self.forward(self.model, batch))

    def main(args, loader, valid):
        model = nn.Sequential(nn.Linear(4, 4), nn.Dropout())
        opt = torch.optim.SGD(model.parameters(), lr=0.1)
        {made}
        Trainer(model, forward, opt).train(loader, valid)
"""
MADE = {
    "in two branches": """if args.plain:
            forward = make_forward(nn.MSELoss(), 1.0)
        else:
            forward = make_forward(nn.L1Loss(), 0.5)""",
    "by a choice in one line": "forward = make_forward(nn.MSELoss(), 1.0) if args.plain else make_forward(nn.L1Loss(), 0.5)",
    "in a table": 'forward = {"mse": make_forward(nn.MSELoss(), 1.0), "l1": make_forward(nn.L1Loss(), 0.5)}[args.loss]',
}


@pytest.mark.parametrize("made", MADE.values(), ids=MADE)
def test_whichever_was_made_is_run(made: str) -> None:
    program = dedent(PROGRAM.format(made=made))
    assert [f.code for f in looplint.lint(program, isolated=True) if f.severity != "advice"] == ["LL301"]
    restored = program.replace("            for batch in loader:\n", "            self.model.train()\n            for batch in loader:\n")
    assert [f.code for f in looplint.lint(restored, isolated=True) if f.severity != "advice"] == []
