"""A module that is moved in the expression that loads it has moved, as one that is moved afterwards."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
with open("model.pt", "rb") as f:
    model = {load}
model.eval()
with torch.no_grad():
    print(model(torch.zeros(1, device=device)))
"""


def _rows(load: str) -> list[int]:
    return [f.location.row for f in looplint.lint(PROGRAM.format(load=load), select=["LL803"])]


@pytest.mark.parametrize(
    "load", ["torch.load(f).to(device)", 'torch.load(f)["model"].to(device)', "torch.load(f).float().to(device=device)"]
)
def test_it_is_loaded_where_it_was_saved(load: str) -> None:
    assert _rows(load) == [6]


@pytest.mark.parametrize(
    "load", ["torch.load(f, map_location=device)", 'torch.load(f, map_location="cpu").to(device)', "torch.load(f).cuda()"]
)
def test_it_is_not_or_must_have_a_gpu(load: str) -> None:
    assert _rows(load) == []
