"""A pass in train mode over the very loader that is trained on measures the training: it is advice, and over another loader an error (LL302)."""

from __future__ import annotations

from textwrap import dedent

import pytest

import looplint

PROGRAM = """
    import torch
    from torch import nn
    from torch.utils.data import DataLoader

    def measure(model, loader):
        total = 0.0
        with torch.no_grad():
            for x, y in loader:
                total += nn.functional.mse_loss(model(x), y).item()
        return total

    def main(data, held_out):
        model = nn.Sequential(nn.Linear(2, 2), nn.Dropout())
        opt = torch.optim.SGD(model.parameters(), lr=0.1)
        train, valid = DataLoader(data, shuffle=True), DataLoader(held_out)
        for epoch in range(3):
            model.train()
            for x, y in train:
                opt.zero_grad()
                nn.functional.mse_loss(model(x), y).backward()
                opt.step()
            {measured}

    main(*read())
"""
MEASURED = {
    "by a function": ("print(measure(model, train))", ["advice"]),
    "in the same function": (
        "with torch.no_grad():\n            print(sum(nn.functional.mse_loss(model(x), y).item() for x, y in train))",
        ["advice"],
    ),
    "some of its batches": (
        "count = 0\n        with torch.no_grad():\n            for x, y in train:\n                print(nn.functional.mse_loss(model(x), y).item())\n"
        "                count += 1\n                if count == 10:\n                    break",
        ["advice"],
    ),
    "another loader": ("print(measure(model, valid))", ["error"]),
    "both": ("print(measure(model, train), measure(model, valid))", ["error"]),
}


@pytest.mark.parametrize(("measured", "severities"), MEASURED.values(), ids=MEASURED)
def test_what_is_measured_tells_the_severity(measured: str, severities: list[str]) -> None:
    program = dedent(PROGRAM).format(measured=measured)
    assert [f.severity for f in looplint.lint(program, isolated=True, min_severity="advice") if f.code == "LL302"] == severities
