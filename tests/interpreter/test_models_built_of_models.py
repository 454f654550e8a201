"""What code out of sight builds of models is a model of its own where its use says so, and may share its parts with them."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import hydra
import torch
from diffusion import Diffusion
from torch import nn

network = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.1))
model = {made}
optimizer = torch.optim.Adam({held}.parameters(), lr=1e-4)
for epoch in range(3):
    {start}
    for x, y in loader:
        {clear}
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
    {evaluated}.eval()
    with torch.no_grad():
        for x, y in valid:
            print(nn.functional.mse_loss(model(x), y).item())
"""
BUILT = ["Diffusion(network, steps=100)", "hydra.utils.instantiate(cfg.model, network=network)", "cfg.build(network).to(cfg.device)"]


def _codes(**parts: str) -> list[str]:
    defaults = {"made": BUILT[0], "held": "model", "start": "model.train()", "clear": "optimizer.zero_grad()", "evaluated": "model"}
    found = looplint.lint(PROGRAM.format(**(defaults | parts)), isolated=True)
    return [finding.code for finding in found if finding.severity != "advice"]


@pytest.mark.parametrize("made", BUILT)
@pytest.mark.parametrize("held", ["model", "network"])
def test_its_loop_is_judged(made: str, held: str) -> None:
    assert _codes(made=made, held=held) == []
    assert _codes(made=made, held=held, start="pass") == ["LL301"]
    assert _codes(made=made, held=held, clear="pass") == ["LL102"]


@pytest.mark.parametrize("start", ["network.train()", "model.train()"])
@pytest.mark.parametrize("evaluated", ["network", "model"])
def test_a_mode_of_the_one_may_be_that_of_the_other(start: str, evaluated: str) -> None:
    assert _codes(start=start, evaluated=evaluated) == []
