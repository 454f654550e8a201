"""A conversion whose result is dropped is so whichever of several functions a call goes to, where the text of that function tells a tensor."""

from __future__ import annotations

import pytest

import looplint

SCRIPT = """\
import torch
from tqdm import tqdm


def first(model, loader, device):
    rows = []
    for images, target in tqdm(loader):
        {moved}
        rows.append((model(images) * {used}).cpu())
    return torch.cat(rows)


def second(model, loader, device):
    return torch.cat([model(images.to(device)).cpu() for images, target in loader])


def main(task, model, loader):
    {chosen}


if __name__ == "__main__":
    main(TASK, MODEL, LOADER)
"""
OF_A_TABLE = (
    "evaluate = {'first': first, 'second': second}.get(task); print(evaluate(model, loader, 'cuda') if evaluate is not None else None)"
)
OF_A_KEY = "print({'first': first, 'second': second}[task](model, loader, 'cuda'))"
OF_A_CONDITION = "evaluate = first if task == 'first' else second; print(evaluate(model, loader, 'cuda'))"


def codes(chosen: str, moved: str, used: str) -> list[str]:
    return [f.code for f in looplint.lint(SCRIPT.format(chosen=chosen, moved=moved, used=used), isolated=True)]


@pytest.mark.parametrize("chosen", [OF_A_TABLE, OF_A_KEY, OF_A_CONDITION])
@pytest.mark.parametrize(("moved", "used"), [("images.to(device)", "2"), ("target.to(device)", "target.argmax(1)")])
def test_what_one_of_several_drops_is_told(chosen: str, moved: str, used: str) -> None:
    assert "LL503" in codes(chosen, moved, used)


@pytest.mark.parametrize("chosen", [OF_A_TABLE, OF_A_KEY, OF_A_CONDITION])
@pytest.mark.parametrize(
    ("moved", "used"),
    [("images = images.to(device)", "2"), ("target.to(device)", "target.pixels"), ("target.to(device)", "target['labels']")],
)
def test_what_may_change_in_place_is_left_alone(chosen: str, moved: str, used: str) -> None:
    assert "LL503" not in codes(chosen, moved, used)
