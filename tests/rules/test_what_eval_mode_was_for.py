"""LL304 says what the model was put into eval mode for, and calls the model what the code calls it where it is trained."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn


class Trainer:
    def __init__(self, model):
        self.model = model.to("cuda")

    @torch.no_grad()
    def evaluate(self, valid):
        self.model.eval()
{evaluation}

    def train(self, optimizer, loader, valid, epochs):
        self.model.train()
        for epoch in range(epochs):
            for x, y in loader:
                loss = nn.functional.mse_loss({called}(x), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            if epoch % 5 == 4:
                self.evaluate(valid)


unet = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.Linear(8, 8))
valid = torch.utils.data.DataLoader(torch.load("valid.pt"), batch_size=8)
loader = torch.utils.data.DataLoader(torch.load("data.pt"), batch_size=8, shuffle=True)
Trainer(unet).train(torch.optim.Adam(unet.parameters()), loader, valid, 10)
"""
SAMPLING = """\
        x = torch.randn(4, 8)
        for t in reversed(range(10)):
            x = x - self.model(x)
        torch.save(x, "samples.pt")
"""
ONE_STEP = """\
        torch.save(self.model(torch.randn(4, 8)), "samples.pt")
"""
SEQUENCE = """\
        for x, y in valid:
            out = x
            for t in range(10):
                out = self.model(out)
            print(nn.functional.mse_loss(out, y).item())
"""
ONE_BATCH = """\
        x, y = torch.load("batch.pt")
        print(nn.functional.mse_loss(self.model(x), y).item())
"""


@pytest.mark.parametrize(
    ("evaluation", "said"),
    [
        pytest.param(SAMPLING, "after a prediction", id="what it puts out goes into it again"),
        pytest.param(ONE_STEP, "after a prediction", id="nothing is measured"),
        pytest.param(SEQUENCE, "after a validation", id="so it does over the steps of a batch"),
        pytest.param(ONE_BATCH, "after a validation", id="one batch is measured"),
    ],
)
def test_what_for(evaluation: str, said: str) -> None:
    (finding,) = _found(PROGRAM.format(evaluation=evaluation, called="self.model"))
    assert f"self.model is still in eval mode here {said}" in finding.message
    assert any(said.removeprefix("after a ") in note.message for note in finding.related)


@pytest.mark.parametrize(
    ("called", "name"),
    [
        pytest.param("self.model", "self.model", id="an attribute of another name than the model was built under"),
        pytest.param("unet", "unet", id="the name that it was built under"),
        pytest.param("self.model.forward", "self.model", id="what its forward is called of"),
    ],
)
def test_called_what_the_code_calls_it(called: str, name: str) -> None:
    (finding,) = _found(
        PROGRAM.replace("self.model = model.to", "self.other = self.model = model.to").format(evaluation=SAMPLING, called=called)
    )
    assert finding.message.startswith(f"{name} is still in eval mode")


def _found(program: str) -> list[looplint.Finding]:
    return [f for f in looplint.lint(program, isolated=True) if f.code == "LL304"]
