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


@pytest.mark.parametrize(("layout", "safety"), [("", "safe"), (", memory_format=torch.channels_last", "unsafe")])
def test_another_layout_is_an_unsafe_repair(layout: str, safety: str) -> None:
    """What `view()` takes of it may be laid out otherwise then: that is an error."""
    text = f"import torch\n\ndef made(images, device):\n    images = torch.as_tensor(images)\n    images.to(device{layout})\n    return images.view(2, -1)\n"
    (found,) = looplint.lint(text, select=["LL503"], isolated=True)
    assert found.fix is not None and found.fix.applicability == safety
