"""Loops that count where the chunks of something begin are passes over data."""

from __future__ import annotations

import pytest

import looplint

PREDICTED = """\
import numpy as np
import torch
from torch import nn

def predict(model: nn.Module, x, size: int = 32):
    model.eval()
    found = []
    for start in RANGE:
        out = model(torch.as_tensor(x[start : start + size]))
        found.append(out.cpu().tolist())
    return found
"""


@pytest.mark.parametrize(
    ("counted", "codes"),
    [
        ("range(0, len(x), size)", ["LL303"]),
        ("range(0, x.shape[0], size)", ["LL303"]),
        ("tqdm(range(0, 1000, size), desc='predicting')", ["LL303"]),
        ("list(range(0, len(x), size))", ["LL303"]),
        ("[*range(0, len(x), size)]", ["LL303"]),
        ("reversed(range(0, len(x), size))", ["LL303"]),
        # Steps of one thing, as a model that generates takes them.
        ("range(10)", []),
        ("range(0, 10)", []),
        ("range(10, 0, -1)", []),
    ],
)
def test_a_pass_in_chunks_needs_no_graph(counted: str, codes: list[str]) -> None:
    code = PREDICTED.replace("RANGE", counted)
    assert [f.code for f in looplint.lint(code) if f.code == "LL303"] == codes
    assert [f.code for f in looplint.lint(code.replace("def predict", "@torch.no_grad()\ndef predict")) if f.code == "LL303"] == []


@pytest.mark.parametrize("starts", ["range(0, len(x), size)", "list(range(0, len(x), size))", "sorted(range(0, len(x), size))"])
def test_where_chunks_begin_may_have_a_name(starts: str) -> None:
    named = PREDICTED.replace("    found = []\n", f"    found = []\n    starts = {starts}\n")
    assert [f.code for f in looplint.lint(named.replace("RANGE", "starts")) if f.code == "LL303"] == ["LL303"]
    numbered = named.replace("for start in RANGE", "for number, start in enumerate(starts)")
    assert [f.code for f in looplint.lint(numbered) if f.code == "LL303"] == ["LL303"]


def test_chunks_that_are_trained_on() -> None:
    code = PREDICTED.replace("RANGE", "range(0, len(x), size)").replace(
        "model.eval()", "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)"
    )
    trained = code.replace(
        "found.append(out.cpu().tolist())",
        "optimizer.zero_grad()\n        out.mean().backward()\n        optimizer.step()\n        found.append(out.tolist())",
    )
    assert [f.code for f in looplint.lint(trained) if f.code == "LL303"] == []


NUMBERED = """\
import torch
from torch import nn
from tqdm import tqdm

def predict(model: nn.Module, x, y, size: int, count: int):
    model.eval()
    right = 0
    LOOP
        right += (model(part).argmax(1) == y[number]).sum().item()
    return right
"""
_COUNTED = "for number in range(count):\n        "


@pytest.mark.parametrize(
    ("loop", "codes"),
    [
        (_COUNTED + "part = x[number * size : (number + 1) * size]", ["LL303"]),
        (_COUNTED + "part = x[:, number * size : (number + 1) * size].to(model.device)", ["LL303"]),
        (_COUNTED + "first = number * size\n        last = min((number + 1) * size, len(x))\n        part = x[first:last]", ["LL303"]),
        (_COUNTED + "first, last = number * size, (number + 1) * size\n        part = x[first:last, :]", ["LL303"]),
        (_COUNTED + "start = size * number\n        part = torch.as_tensor(x[start : start + size])", ["LL303"]),
        (
            "for number in tqdm(range(len(x) // size), desc='predicting'):\n        part = x[number * size : number * size + size]",
            ["LL303"],
        ),
        # The steps of a sequence, one after the other.
        (_COUNTED + "part = x[:, number : number + 1]", []),
        (_COUNTED + "part = x[number]", []),
        (_COUNTED + "part = x[:size] * number", []),
        (_COUNTED + "part = x[: count * size]", []),
    ],
)
def test_a_pass_over_chunks_by_their_numbers(loop: str, codes: list[str]) -> None:
    code = NUMBERED.replace("LOOP", loop)
    assert [f.code for f in looplint.lint(code) if f.code == "LL303"] == codes
    assert [f.code for f in looplint.lint(code.replace("def predict", "@torch.no_grad()\ndef predict")) if f.code == "LL303"] == []
