"""LL303: a method out of sight that gives the loss of a batch by its name does not disable gradients itself; one that validates by its name may."""

from __future__ import annotations

from pathlib import Path

import pytest

import looplint
from tests.repaired_text import fixed

PROGRAM = """\
import torch


def evaluate_loss(algo, loaders):
    algo.eval()
    losses = []
    for number, loader in enumerate(loaders):
        {begun}
        total = 0.0
        for batch in loader:
            {computed}
            total += loss.item()
        losses.append(total / len(loader))
    return losses
"""


def _codes(computed: str, begun: str = "pass") -> list[str]:
    return [f.code for f in looplint.lint(PROGRAM.format(computed=computed, begun=begun), select=["LL303"], isolated=True)]


@pytest.mark.parametrize("method", ["algo.compute_loss", "algo.policy.compute_loss", "algo.policy.loss", "algo.heads.actor.get_loss"])
def test_the_loss_of_a_batch(method: str) -> None:
    assert _codes(f"loss = {method}(batch)") == ["LL303"]


@pytest.mark.parametrize("method", ["algo.val_loss", "algo.policy.compute_eval_loss", "algo.validation_loss", "algo.policy.observe"])
def test_what_may_disable_gradients(method: str) -> None:
    assert _codes(f"loss = {method}(batch)") == []


def test_the_loss_of_outputs_may_have_no_parameters() -> None:
    assert _codes("with torch.no_grad():\n                out = algo(batch)\n            loss = algo.loss(out, batch)") == []


@pytest.mark.parametrize("begun", ["if number:\n            algo = algo.get_eval_algo(number)", "algo = algo.get_eval_algo(task=number)"])
@pytest.mark.parametrize("computed", ["loss = algo.policy.compute_loss(batch)", "loss = algo(batch)"])
def test_a_model_in_another_form_is_that_model(begun: str, computed: str) -> None:
    assert _codes(computed, begun) == ["LL303"]


def test_no_safe_repair(tmp_path: Path) -> None:
    text = PROGRAM.format(computed="loss = algo.compute_loss(batch)", begun="pass")
    assert fixed(tmp_path / "evaluate.py", text.encode()).decode() == text
    assert "@torch.no_grad()\ndef evaluate_loss" in fixed(tmp_path / "evaluate.py", text.encode(), unsafe=True).decode()
