"""A tensor that a loop takes from a list stays in the list as it is, whatever its name is given: no repair where only something is done to it."""

from __future__ import annotations

from textwrap import dedent

import pytest

import looplint

PROGRAM = """
import torch

def made(device, shapes):
    tensors = [torch.ones(shape, requires_grad=True) for shape in shapes]
    kept = []
    for tensor in tensors:
        tensor.to(device)
        {after}
    return tensors, kept
"""


def _fixed(after: str) -> str:
    return looplint.fix(dedent(PROGRAM.format(after=after)), select=["LL503"], unsafe=True).text


@pytest.mark.parametrize("after", ["tensor.retain_grad()", "tensor.requires_grad_(True)", "tensor.zero_()\n        tensor.retain_grad()"])
def test_what_is_done_to_it(after: str) -> None:
    text = dedent(PROGRAM.format(after=after))
    assert [f.code for f in looplint.lint(text, select=["LL503"])] == ["LL503"]
    assert _fixed(after) == text


@pytest.mark.parametrize("after", ["kept.append(tensor)", "kept += [tensor * 2]", "tensor.add_(tensor)\n        kept.append(tensor)"])
def test_what_is_made_of_it(after: str) -> None:
    assert "        tensor = tensor.to(device)\n" in _fixed(after)
