"""Where a library of settings gives a function what its callers leave out, its defaults are not what it gets."""

from __future__ import annotations

from textwrap import dedent

import pytest

import looplint

PROGRAM = """
    import torch
    from torch import nn
    from lib import {library}

    @{decorator}
    def train(dataset=None, epochs=0, use_amp=None, learning_rate=0.1):
        net = nn.Linear(2, 2)
        opt = torch.optim.SGD(net.parameters(), lr=learning_rate)
        loader = torch.utils.data.DataLoader(dataset("train"), shuffle=True)
        if epochs:
            for epoch in range(epochs):
                for x, y in loader:
                    loss = nn.functional.mse_loss(net(x), y)
                    loss.backward()
                    opt.zero_grad()
                    opt.step()

    if __name__ == "__main__":
        train()
"""
DECORATORS = {"gin": "gin.configurable", "ex": "ex.capture", "sacred": "sacred.experiment.command(unobserved=True)"}


@pytest.mark.parametrize(("library", "decorator"), DECORATORS.items(), ids=DECORATORS)
def test_what_it_does_with_other_arguments_is_judged(library: str, decorator: str) -> None:
    assert codes(PROGRAM.format(library=library, decorator=decorator)) == ["LL101"]


def test_without_such_a_library_the_defaults_hold() -> None:
    assert codes(PROGRAM.format(library="timer", decorator="timer.measured")) == []


def codes(program: str) -> list[str]:
    return [f.code for f in looplint.lint(dedent(program), isolated=True) if f.severity != "advice"]
