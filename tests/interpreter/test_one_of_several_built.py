"""A wrapper that branches build in one way or another is one of several of its class: what its methods do is certain, whichever was built."""

from __future__ import annotations

from textwrap import dedent

import pytest

import looplint

PROGRAM = """
    import torch
    from torch import nn

    class Narrow(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.body = nn.Linear(4, width)

        def forward(self, x):
            return self.body(x)

    class Wide(Narrow):
        def forward(self, x):
            return self.body(x).relu()

    class Wrapper:
        def __init__(self, width, kind="wide"):
            if kind == "wide":
                self.network = Wide(width)
            elif kind == "narrow":
                self.network = Narrow(width)
            else:
                raise ValueError(kind)

        def set_up(self, state=None):
            self.optimizer = torch.optim.SGD(self.network.parameters(), lr=0.1)
            if state:
                self.optimizer.load_state_dict(state)

        @staticmethod
        def load(path):
            made = Wrapper(8)
            made.network.load_state_dict(torch.load(path))
            return made

        @staticmethod
        def load_checkpoint(path):
            made = Wrapper.load(path)
            made.set_up(torch.load(path + ".optimizer"))
            return made, 1

        def update(self, x, y):
            self.network.train()
            self.optimizer.zero_grad()
            nn.functional.mse_loss(self.network(x), y).backward()
            self.optimizer.step()

        def predict(self, x):
            self.network.eval()
            return self.network(x)

    def validate(model, valid):
        found = []
        {context}
            for x, y in valid:
                found.append(nn.functional.l1_loss(model.predict(x), y).item())
        print(found)

    def main(args, loader, valid):
        {built}
        for epoch in range(3):
            for x, y in loader:
                model.update(x, y)
            validate(model, valid)
"""
BUILT = {
    "anew, or with the optimizer of a file": """if args.resume:
        model, start = Wrapper.load_checkpoint(args.path)
    else:
        model = Wrapper(16, args.kind)
        model.set_up()""",
    "anew, or with the model of a file": """if args.pretrained:
        model = Wrapper.load(args.path)
        model.set_up()
    elif args.resume:
        model, start = Wrapper.load_checkpoint(args.path)
    else:
        model = Wrapper(16, args.kind)
        model.set_up()""",
    "to be trained or not": """if args.only_test:
        model = Wrapper.load(args.path)
    elif args.resume:
        model, start = Wrapper.load_checkpoint(args.path)
    else:
        model = Wrapper(16, args.kind)
        model.set_up()""",
}


@pytest.mark.parametrize("built", BUILT.values(), ids=BUILT)
def test_whichever_was_built_is_evaluated(built: str) -> None:
    program = dedent(PROGRAM)
    assert codes(program.format(built=built, context="if True:")) == ["LL303"]
    assert codes(program.format(built=built, context="with torch.no_grad():")) == []


def codes(program: str) -> list[str]:
    return [f.code for f in looplint.lint(program, isolated=True) if f.severity != "advice"]
