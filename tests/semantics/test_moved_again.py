"""A discarded move that is made again before anything reads the tensor changes nothing of the run."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch

def fill(n, device, other):
    x = torch.arange(n)
    x.{move}
    {then}
    return x.sum()
"""
AGAIN = [
    "x = x.to(device)",
    "x = x.long().to(device)",
    "x = x.type(torch.LongTensor).to(device).float()",
    "print(n)\n    x = x.cuda()",
]
NOT_AGAIN = [
    "pass",
    "x = x.long()",
    "print(n * x)\n    x = x.to(device)",
    "y = x.to(device)",
    "if n:\n        x = x.to(device)",
    "x = x.to(device) + x",
    "x[0] = x.to(device)",
]


def severities(then: str, move: str = "to(device)") -> list[str]:
    found = looplint.lint(PROGRAM.format(then=then, move=move), isolated=True, min_severity="advice")
    return [f.severity for f in found if f.code == "LL503" and f.location.row == 5]


@pytest.mark.parametrize("then", AGAIN)
def test_a_move_that_is_made_again_is_advice(then: str) -> None:
    assert severities(then) == ["advice"]


@pytest.mark.parametrize("then", NOT_AGAIN)
def test_a_tensor_that_is_read_where_it_is_is_an_error(then: str) -> None:
    assert severities(then) == ["error"]


def test_a_conversion_of_the_type_is_no_move() -> None:
    assert severities("x = x.to(device)", move="double()") == ["error"]


CONVERTED = [
    "return f(x.float())",
    "y = torch.zeros_like(x).float()\n    return y + x.float()",
    "print(x.shape)\n    return f(x.double())",
]
READ_AS_IT_IS = [
    "return f(x)",
    "return f(x.float()) + x",
    "y = torch.zeros_like(x)\n    return y + x.float()",
    "if n: x = x.float()\n    return f(x)",
]


@pytest.mark.parametrize(("then", "severity"), [*((t, "advice") for t in CONVERTED), *((t, "error") for t in READ_AS_IT_IS)])
def test_a_type_that_all_readers_convert_to(then: str, severity: str) -> None:
    text = PROGRAM.replace("    return x.sum()\n", "").format(move="float()", then=then)
    found = looplint.lint(text, isolated=True, min_severity="advice")
    assert [(f.code, f.severity) for f in found] == [("LL503", severity)]
