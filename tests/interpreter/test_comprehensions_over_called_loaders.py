"""A comprehension over what a call makes that is named as a loader is a pass over data, as a loop is."""

from __future__ import annotations

from textwrap import dedent

import pytest

import looplint

PROGRAM = """
    import torch, lib
    from torch import nn

    def evaluate(model, data):
        outputs = torch.cat([model(data[each]) for each in {iterable}])
        return lib.metrics(outputs.cpu().numpy())

    def main(data):
        model = nn.Sequential(nn.Linear(2, 2), nn.Dropout())
        opt = torch.optim.SGD(model.parameters(), lr=0.1)
        for epoch in range(3):
            model.train()
            for each in lib.IndexLoader(len(data)):
                opt.zero_grad()
                nn.functional.mse_loss(model(data[each]), data.y[each]).backward()
                opt.step()
            {mode}
            with torch.no_grad():
                print(evaluate(model, data))

    main(lib.read())
"""


@pytest.mark.parametrize("iterable", ["lib.IndexLoader(len(data), 10, False)", "lib.iter_batches(data)", "data.loader()"])
def test_it_is_a_validation_pass(iterable: str) -> None:
    assert codes(PROGRAM.format(iterable=iterable, mode="pass")) == ["LL302"]
    assert codes(PROGRAM.format(iterable=iterable, mode="model.eval()")) == []


def codes(program: str) -> list[str]:
    return [f.code for f in looplint.lint(dedent(program), isolated=True) if f.severity != "advice"]
