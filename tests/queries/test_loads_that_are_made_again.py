"""A load that fails on a machine without a GPU, and is made again with `map_location` there, fails nowhere (LL803)."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(8, 2).to(device)


{loaded}
net.load_state_dict(state["net"])
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(3):
    opt.zero_grad()
    net(torch.randn(4, 8, device=device)).pow(2).mean().backward()
    opt.step()
torch.save({{"net": net.state_dict()}}, "last.pt")
"""
LOADED = """
try:
    state = torch.load("first.pt"){mark}
except {caught}:
    state = torch.load("first.pt", {how})
"""
CAUGHT = ["RuntimeError", "Exception as error", "(KeyError, RuntimeError)"]
BY_CALLS = """
def resume(path, map_location=None):
    if map_location is None:
        state = torch.load(path){mark}
    else:
        state = torch.load(path, map_location)
    net.load_state_dict(state["net"])
    return state


try:
    state = resume("first.pt")
except {caught}:
    state = resume("first.pt", map_location="cpu")
"""


@pytest.mark.parametrize("caught", CAUGHT)
def test_made_again(caught: str) -> None:
    for how in ("map_location=lambda storage, place: storage", "device"):
        assert_marked(PROGRAM.format(loaded=LOADED.format(caught=caught, how=how, mark="")))


def test_any_error() -> None:
    assert_marked(PROGRAM.format(loaded=LOADED.replace(" {caught}", "").format(how="map_location=device", mark="")))


def test_made_again_by_a_function() -> None:
    assert_marked(PROGRAM.format(loaded=BY_CALLS.format(caught="RuntimeError", mark="")))


@pytest.mark.parametrize(
    ("caught", "how"),
    [("FileNotFoundError", "map_location=device"), ("RuntimeError", "weights_only=False")],
    ids=["another error", "in the same way"],
)
def test_fails_all_the_same(caught: str, how: str) -> None:
    mark = "  # expect: LL803"
    text = PROGRAM.format(loaded=LOADED.format(caught=caught, how=how, mark=mark))
    assert_marked(text)  # the second load fails where the first does: it is another place of the same mistake


def test_by_a_function_that_meets_another_error() -> None:
    assert_marked(PROGRAM.format(loaded=BY_CALLS.format(caught="KeyError", mark="  # expect: LL803")))
