"""By how much gradients are too large: the number of batches that the step's condition names, unless others have a say."""

from __future__ import annotations

import pytest

import looplint

LOOP = """\
import torch
from torch import nn

model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
k = {k}
seen, steps = 0, 0
for step, (x, y) in enumerate(loader):
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    {between}
    {condition}
            optimizer.step()
            optimizer.zero_grad()
"""
CLIP = "torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)"


def codes(k: str = "4", between: str = "seen += 1", condition: str = "if (step + 1) % k == 0:\n        if True:") -> list[str]:
    found = looplint.lint(LOOP.format(k=k, between=between, condition=condition), isolated=True)
    return [f.code for f in found if f.code == "LL108"]


@pytest.mark.parametrize("condition", ["(step + 1) % k == 0", "not (step + 1) % k", "seen % k == 0", "(step + 1) % k == 0 or step == 99"])
def test_one_batch_is_not_too_many(condition: str) -> None:
    assert codes(k="1", condition=f"if {condition}:\n        if True:") == []
    assert codes(k="2", condition=f"if {condition}:\n        if True:") == ["LL108"]


@pytest.mark.parametrize(
    "condition",
    [
        "if (step + 1) % k == 0:\n        steps += 1\n        if steps % 10 == 0:",
        "if (step + 1) % k == 0:\n        if step % (k * 2) == 1:",
        "if seen % k == 0:\n        steps += 1\n        if not steps % 50:",
    ],
)
def test_two_conditions_have_no_one_number(condition: str) -> None:
    assert codes(condition=condition) == []


@pytest.mark.parametrize(
    "condition", ["if (step + 1) % k == 0:\n        if optimizer is not None:", "if (step + 1) % k == 0:\n        if seen > 100:"]
)
def test_a_condition_of_another_kind_changes_no_number(condition: str) -> None:
    assert codes(condition=condition) == ["LL108"]


@pytest.mark.parametrize("between", [CLIP, f"if step % 2 == 0:\n        {CLIP}", f"if k > 1:\n        {CLIP}"])
def test_sums_that_are_clipped_with_each_batch_have_a_size_of_their_own(between: str) -> None:
    assert codes(between=between) == []


def test_a_clip_where_the_step_is_does_not_matter() -> None:
    assert codes(condition=f"if (step + 1) % k == 0:\n        {CLIP}\n        if True:") == ["LL108"]
    assert codes(between=f"if (step + 1) % k == 0:\n        {CLIP}") == ["LL108"]
