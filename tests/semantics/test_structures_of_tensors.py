"""A structure of tensors whose class is not known keeps a graph, unless the entry that had it was replaced; it has no `detach()` itself."""

from __future__ import annotations

from pathlib import Path

import pytest

import looplint
from repaired_text import fixed

PROGRAM = """\
import torch

def fit(module, loader, optimizer):
    module.train()
    outputs = []
    for batch in loader:
        optimizer.zero_grad()
        output = module.training_step(batch)
        {backward}
        optimizer.step()
        {then}
        outputs.append(output)
    print(len(outputs))
"""
ENTRY, FIELD = "output['loss'].backward()", "output.loss.backward()"
CUT = {
    "an entry is detached": (ENTRY, "output['loss'] = output['loss'].detach()"),
    "an entry becomes a number": (ENTRY, "output['loss'] = output['loss'].item()"),
    "an entry is given up": (ENTRY, "output['loss'] = None"),
    "a field is detached": (FIELD, "output.loss = output.loss.detach()"),
    "a field becomes a number": (FIELD, "output.loss = float(output.loss)"),
}
KEPT = {
    "as it is": (ENTRY, "pass"),
    "with an entry that has nothing to do with it": (ENTRY, "output['weights'] = torch.ones(3)"),
    "with a field more": (FIELD, "output.path = 'here'"),
    "with an entry that has the graph": (ENTRY, "output['total'] = output['loss'] * 2"),
}


@pytest.mark.parametrize("name", CUT)
def test_what_is_left_may_have_no_graph(name: str) -> None:
    backward, then = CUT[name]
    assert not [f for f in looplint.lint(PROGRAM.format(backward=backward, then=then), isolated=True) if f.code == "LL401"]


@pytest.mark.parametrize("name", KEPT)
def test_what_is_kept_has_its_graph_and_no_detach(name: str, tmp_path: Path) -> None:
    backward, then = KEPT[name]
    program = PROGRAM.format(backward=backward, then=then)
    (finding,) = (f for f in looplint.lint(program, isolated=True) if f.code == "LL401")
    assert finding.fix is None
    assert b".detach()" not in fixed(tmp_path / "loop.py", program.encode(), unsafe=True)


def test_a_tensor_that_is_one_keeps_its_repair(tmp_path: Path) -> None:
    program = PROGRAM.format(backward="output.mean().backward()", then="print(output.shape, output[0])")
    assert b"outputs.append(output.detach())" in fixed(tmp_path / "loop.py", program.encode(), unsafe=True)
