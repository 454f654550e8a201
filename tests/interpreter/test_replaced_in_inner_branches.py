"""An attribute that the branches of an inner condition replace goes on as what it held where the outer condition does not hold."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest

from looplint.linting.analysis import build_program
from looplint.queries.coverage import training_loops
from looplint.sources.reading import from_text
from programs import assert_marked

TRAINER = """
class Trainer:
    def __init__(self, args):
        self.model = nn.Linear(4, 1)
        self.optimizer = torch.optim.Adam(self.model.parameters())
BRANCHES

    def train(self, loader):
        for x, y in loader:
            loss = nn.functional.mse_loss(self.model(x), y)
            FIRST
            SECOND
            self.optimizer.step()
"""
BRANCHES = {
    "read from one of two files": """
        if args.load:
            if "best" in args.load:
                self.model = torch.load(args.load, map_location="cpu", weights_only=False)
            else:
                self.model = torch.load(f"{args.load}/last.pt", map_location="cpu", weights_only=False)
        """,
    "one of three": """
        if args.load:
            if args.best:
                self.model = torch.load("best.pt", map_location="cpu", weights_only=False)
            elif args.last:
                self.model = torch.load("last.pt", map_location="cpu", weights_only=False)
            else:
                self.model = torch.load(args.load, map_location="cpu", weights_only=False)
        """,
    "two conditions deep": """
        if args.load:
            if args.best:
                if args.ema:
                    self.model = torch.load("ema.pt", map_location="cpu", weights_only=False)
                else:
                    self.model = torch.load("best.pt", map_location="cpu", weights_only=False)
            else:
                self.model = torch.load(args.load, map_location="cpu", weights_only=False)
        """,
    "built anew, with an optimizer of its own": """
        if args.wide:
            if args.deep:
                self.model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
            else:
                self.model = nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 1))
            self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        """,
    "in the other branch": """
        if not args.load:
            print("from the beginning")
        else:
            if args.best:
                self.model = torch.load("best.pt", map_location="cpu", weights_only=False)
            else:
                self.model = torch.load(args.load, map_location="cpu", weights_only=False)
        """,
}


def _text(branches: str, *, late: bool) -> str:
    text = TRAINER.replace("BRANCHES", indent(dedent(branches).strip("\n"), " " * 8))
    clear = "self.optimizer.zero_grad()"
    first, second = ("loss.backward()", f"{clear}  # expect: LL101") if late else (clear, "loss.backward()")
    return text.replace("FIRST", first).replace("SECOND", second)


@pytest.mark.parametrize("branches", [pytest.param(text, id=name) for name, text in BRANCHES.items()])
@pytest.mark.parametrize("late", [True, False])
def test_what_inner_branches_replace_is_one_with_what_was_there(branches: str, late: bool) -> None:
    text = _text(branches, late=late)
    assert_marked(text)
    program, info = build_program(from_text(f"import torch\nfrom torch import nn\n{text}", None, "train.py"))
    assert [loop.reason for loop in training_loops(program, info, [info])] == [""]
