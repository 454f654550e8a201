"""A norm with `momentum=1` keeps the statistics of its last batch alone: LL302 says so, and its repair puts no such model in eval mode safely."""

from __future__ import annotations

from textwrap import dedent

import pytest

import looplint

PROGRAM = """
    import torch
    from functools import partial
    from torch import nn

    ABOVE


    class Net(nn.Module):
        def __init__(self, momentum=DEFAULT):
            super().__init__()
            self.body = nn.Sequential(nn.Linear(4, 4), NORM, nn.Dropout())
            AFTER

        def forward(self, x):
            return self.body(x)


    def main(loader, valid):
        model = Net(GIVEN)
        opt = torch.optim.Adam(model.parameters())
        for epoch in range(3):
            for x, y in loader:
                opt.zero_grad()
                nn.functional.mse_loss(model(x), y).backward()
                opt.step()
            total = 0
            with torch.no_grad():
                for x, y in valid:
                    total += nn.functional.mse_loss(model(x), y).item()
            print(total)
"""
DERIVED = "class Norm(nn.BatchNorm1d):\n    def __init__(self, size, momentum=1):\n        super().__init__(size, momentum=momentum)"
SET = "for m in self.modules():\n            if isinstance(m, nn.BatchNorm1d):\n                m.momentum = 1"
OF_ONE_BATCH = {
    "by its name": {"NORM": "nn.BatchNorm1d(4, momentum=1)"},
    "by its position": {"NORM": "nn.BatchNorm1d(4, 1e-5, 1.0)"},
    "of a norm that takes its width from the input": {"NORM": "nn.LazyBatchNorm1d(1e-5, 1.0)"},
    "by a default": {"NORM": "nn.BatchNorm1d(4, momentum=momentum)", "DEFAULT": "1.0"},
    "by an argument": {"NORM": "nn.BatchNorm1d(4, momentum=momentum)", "GIVEN": "momentum=1"},
    "by a constant": {"NORM": "nn.BatchNorm1d(4, momentum=BN)", "ABOVE": "BN = 1."},
    "by a function given part of its arguments": {"NORM": "norm(4)", "ABOVE": "norm = partial(nn.BatchNorm1d, momentum=1)"},
    "of a derived class": {"NORM": "Norm(4)", "ABOVE": DERIVED},
    "of a derived class without a constructor": {"NORM": "Norm(4, momentum=1)", "ABOVE": "class Norm(nn.BatchNorm1d):\n    pass"},
    "set on the layer": {"NORM": "nn.BatchNorm1d(4)", "AFTER": "self.body[1].momentum = 1"},
    "set on all such layers": {"NORM": "nn.BatchNorm1d(4)", "AFTER": SET},
}
OF_MANY = {
    "left out": {"NORM": "nn.BatchNorm1d(4)"},
    "smaller": {"NORM": "nn.BatchNorm1d(4, momentum=momentum)"},
    "an average over all": {"NORM": "nn.BatchNorm1d(4, momentum=None)"},
    "no momentum": {"NORM": "nn.BatchNorm1d(4, 1)"},
    "of the model": {"NORM": "nn.BatchNorm1d(4)", "AFTER": "self.momentum = 1"},
}


def _fixed(given: dict[str, str]) -> tuple[str, str, bool]:
    text = dedent(PROGRAM)
    for name, value in ({"ABOVE": "", "DEFAULT": "0.1", "AFTER": "pass", "GIVEN": ""} | given).items():
        text = text.replace(name, value)
    (found,) = looplint.lint(text, select=["LL302"], isolated=True)
    assert found.fix is not None
    return found.severity, found.fix.applicability, "momentum below 1" in found.message


@pytest.mark.parametrize("given", OF_ONE_BATCH.values(), ids=OF_ONE_BATCH)
def test_statistics_of_the_last_batch(given: dict[str, str]) -> None:
    assert _fixed(given) == ("error", "unsafe", True)


@pytest.mark.parametrize("given", OF_MANY.values(), ids=OF_MANY)
def test_statistics_of_many_batches(given: dict[str, str]) -> None:
    assert _fixed(given) == ("error", "safe", False)
