"""A file with picked entries of a state is not the one that a whole state is loaded from: it is no evidence of where that comes from."""

from __future__ import annotations

from textwrap import indent

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def main(path, out):
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1)).to(device)
    model.load_state_dict(torch.load(path)STRICT)
    state = model.state_dict()
BODY
"""
PARTS = {
    "a comprehension": 'torch.save({k[2:]: v for k, v in state.items() if k.startswith("0.")}, out)',
    "as an entry": 'torch.save({"backbone": {k: v for k, v in state.items() if "0." in k}}, out)',
    "by a loop": 'part = {}\nfor k, v in state.items():\n    if k.startswith("0."):\n        part[k] = v\ntorch.save(part, out)',
    "by the loop's else": 'part = {}\nfor k, v in state.items():\n    if "head" in k:\n        continue\n    part[k] = v\ntorch.save(part, out)',
}
WHOLE = {
    "as it is": "torch.save(state, out)",
    "under other names": 'torch.save({"net." + k: v for k, v in state.items()}, out)',
    "by a loop": "whole = {}\nfor k, v in state.items():\n    whole[k] = v\ntorch.save(whole, out)",
    "beside a part": 'torch.save({"model": state, "head": {k: v for k, v in state.items() if "1." in k}}, out)',
}


def _severities(body: str, strict: str = "") -> list[str]:
    text = PROGRAM.replace("BODY", indent(body, "    ")).replace("STRICT", strict)
    return [f.severity for f in looplint.lint(text, isolated=True) if f.code == "LL803"]


@pytest.mark.parametrize("body", PARTS.values(), ids=PARTS)
def test_a_part_is_loaded_by_somebody_else(body: str) -> None:
    assert _severities(body) == ["advice"]
    assert _severities(body, ", strict=False") == ["warning"]


@pytest.mark.parametrize("body", WHOLE.values(), ids=WHOLE)
def test_a_whole_state_may_be_what_is_loaded(body: str) -> None:
    assert _severities(body) == ["warning"]
