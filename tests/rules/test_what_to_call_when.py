"""Messages say which call is missing, and where it belongs: in each batch, in each epoch, after a validation."""

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 9), nn.Dropout(), nn.Linear(9, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = torch.utils.data.DataLoader(train_set, shuffle=True)
valid = torch.utils.data.DataLoader(valid_set)


def evaluate():
    model.eval()
    with torch.no_grad():
        for x in valid:
            print(nn.functional.mse_loss(model(x), x).item())


BEFORE
for epoch in range(9):
    START
    for x in loader:
        loss = nn.functional.mse_loss(model(x), x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        INSIDE
    END
"""


def said(**lines: str) -> list[str]:
    text = PROGRAM
    for place in ("BEFORE", "START", "INSIDE", "END"):
        text = text.replace(place, lines.get(place.lower(), "pass"))
    return [f.message for f in looplint.lint(text, isolated=True) if f.code == "LL301"]


@pytest.mark.parametrize("lines", [{"before": "model.train()"}, {"start": "model.train()"}, {"end": "model.train()"}, {}])
def test_a_validation_after_each_batch_tells_of_the_second_batch(lines: dict[str, str]) -> None:
    (message,) = said(inside="evaluate()", **lines)
    assert "from the second batch on" in message
    assert "after the eval() in evaluate()" in message
    assert "call it right after that" in message


@pytest.mark.parametrize("lines", [{"before": "model.train()"}, {}])
def test_a_validation_after_each_epoch_tells_of_the_second_epoch(lines: dict[str, str]) -> None:
    (message,) = said(end="evaluate()", **lines)
    assert "from the second epoch on" in message
    assert "call it at the start of each epoch" in message


def test_a_model_that_each_batch_trains_is_quiet() -> None:
    assert said(inside="evaluate(); model.train()") == []


@pytest.mark.parametrize(
    ("scheduler", "call"),
    [
        ("ReduceLROnPlateau(optimizer)", "scheduler.step(metric) each time the metric is measured"),
        ("StepLR(optimizer, 3)", "scheduler.step() as the optimizer trains"),
    ],
)
def test_a_scheduler_that_is_never_stepped_is_told_how_it_is(scheduler: str, call: str) -> None:
    text = PROGRAM.replace("loader = ", f"scheduler = torch.optim.lr_scheduler.{scheduler}\nloader = ", 1)
    (finding,) = [f for f in looplint.lint(text, isolated=True) if f.code == "LL205"]
    assert call in finding.message
