"""What is known of an optimizer that is one of two is what holds of both."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn

model = nn.Linear(2, 2)
if adam:
    optimizer = torch.optim.FIRST
else:
    optimizer = torch.optim.SECOND
start_epoch = 0
if resume:
    checkpoint = torch.load(resume, map_location="cpu")
    model.load_state_dict(checkpoint["model"])
    start_epoch = checkpoint["epoch"]
for epoch in range(start_epoch, 10):
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
    torch.save({"model": model.state_dict(), "epoch": epoch + 1}, "last.pt")
"""
ADAM, MOMENTUM, PLAIN = "Adam(model.parameters())", "SGD(model.parameters(), lr=0.1, momentum=0.9)", "SGD(model.parameters(), lr=0.1)"


@pytest.mark.parametrize(("first", "second", "codes"), [(ADAM, MOMENTUM, ["LL802"]), (ADAM, PLAIN, []), (PLAIN, PLAIN, [])])
def test_a_state_that_is_lost(first: str, second: str, codes: list[str]) -> None:
    program = PROGRAM.replace("FIRST", first).replace("SECOND", second)
    assert [f.code for f in looplint.lint(program)] == codes
