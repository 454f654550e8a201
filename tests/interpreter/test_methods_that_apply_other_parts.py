"""A method of a model out of sight may apply any part of it: the one optimizer there is, of some part, steps with what comes of it."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from models import build

model = build()
model.train()
{optimizer}
for batch in torch.load("batches.pt"):
    {loss}
    loss.backward()
    {after}
"""
OPTIMIZERS = {
    "a part": "optimizer = torch.optim.Adam(model.unet.parameters())",
    "an inner part": "optimizer = torch.optim.Adam(model.model.unet.parameters())",
    "some of a part": """\
chosen = []
for name, parameter in model.model.unet.named_parameters():
    if "attention" in name:
        chosen.append(parameter)
optimizer = torch.optim.Adam(chosen)""",
}
LOSSES = ["loss = model.shared_step(batch)[0]", "loss = torch.nn.functional.mse_loss(model.apply_model(batch), batch)"]
STEPS = "optimizer.step()\n    optimizer.zero_grad()"


@pytest.mark.parametrize("loss", LOSSES, ids=["a loss", "an output"])
@pytest.mark.parametrize("optimizer", OPTIMIZERS.values(), ids=OPTIMIZERS)
@pytest.mark.parametrize(
    ("after", "codes"),
    [("optimizer.zero_grad()\n    optimizer.step()", ["LL101"]), ("optimizer.zero_grad()", ["LL106"]), (STEPS, [])],
    ids=["cleared too early", "never stepped", "in order"],
)
def test_the_loop_is_judged(loss: str, optimizer: str, after: str, codes: list[str]) -> None:
    found = looplint.lint(PROGRAM.format(optimizer=optimizer, loss=loss, after=after), isolated=True)
    assert [finding.code for finding in found] == codes


@pytest.mark.parametrize("loss", LOSSES, ids=["a loss", "an output"])
@pytest.mark.parametrize("optimizer", OPTIMIZERS.values(), ids=OPTIMIZERS)
def test_a_loss_that_is_never_sent_backward_is_that_of_its_model(loss: str, optimizer: str) -> None:
    program = PROGRAM.replace("loss.backward()", "print(loss.item())").format(optimizer=optimizer, loss=loss, after=STEPS)
    assert [finding.code for finding in looplint.lint(program, isolated=True)] == ["LL107"]


def test_which_of_two_optimizers_steps_with_it_is_not_told() -> None:
    """Each clears before the backward that it steps after: what the other backward leaves is not known to be its own."""
    optimizers = "optimizer = torch.optim.Adam(model.encoder.parameters())\nother = torch.optim.Adam(model.decoder.parameters())"
    loss = "optimizer.zero_grad()\n    loss = model.encoding_loss(batch)"
    after = "optimizer.step()\n    other.zero_grad()\n    model.decoding_loss(batch).backward()\n    other.step()"
    assert not list(looplint.lint(PROGRAM.format(optimizer=optimizers, loss=loss, after=after), isolated=True))
