"""`model.__call__` is the model: what is called by a name that holds it, alone or beside the model that is compiled, is a forward of it."""

from __future__ import annotations

import pytest

import looplint
from programs import assert_marked

PROGRAM = """
def train(args, train_loader, val_loader):
    model = nn.Sequential(nn.Linear(8, 8), nn.BatchNorm1d(8), nn.Linear(8, 1))
    HELD
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        SWITCH
        for x, y in train_loader:
            opt.zero_grad()
            loss = nn.functional.mse_loss(CALLED(x), y)MARK
            loss.backward()
            opt.step()
        model.eval()
        with torch.no_grad():
            for x, y in val_loader:
                print(nn.functional.mse_loss(CALLED(x), y).item())
"""
FOUND = "  # expect: LL301"


def program(held: str, called: str, switch: str, mark: str) -> str:
    return PROGRAM.replace("HELD", held).replace("CALLED", called).replace("SWITCH", switch).replace("MARK", mark)


@pytest.mark.parametrize(
    ("held", "called"),
    [
        ("forward = model.__call__", "forward"),
        ("forward = torch.compile(model) if args.compile else model.__call__", "forward"),
        ("pass", "model.__call__"),
    ],
)
def test_it_is_a_forward_in_the_mode_of_the_model(held: str, called: str) -> None:
    assert_marked(program(held, called, "pass", FOUND))
    assert_marked(program(held, called, "model.train()", ""))


def test_a_call_of_another_object_is_none() -> None:
    assert_marked(program("forward = args.__call__", "forward", "pass", ""))


def test_the_message_names_the_model() -> None:
    text = f"import torch\nfrom torch import nn\n{program('forward = model.__call__', 'forward', 'pass', '')}"
    assert [f.message.partition(" ")[0] for f in looplint.lint(text, isolated=True)] == ["model"]
