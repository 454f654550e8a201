"""What is a model or the program's wrapper of it is applied for certain when it is called."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
import argparse
from torch import optim
from registry import build

parser = argparse.ArgumentParser()
parser.add_argument("--rescaled", action="store_true")
args = parser.parse_args()


class _Rescaled:
    def __init__(self, model, steps):
        self.model = model
        self.steps = steps

    def __call__(self, x):
        return self.model(x * self.steps){inner}


class Diffusion:
    def __init__(self, steps):
        self.steps = steps

    def wrap(self, model):
{wrap}

    def losses(self, model, x, y):
        model = self.wrap(model)
        return nn.functional.mse_loss(model(x), y)


model = build()
optimizer = optim.Adam(model.parameters(), lr=0.1)
loader = [(torch.randn(2, 3), torch.randn(2, 1))] * 3
diffusion = Diffusion(3)
for epoch in range(3):
    {first}
    for x, y in loader:
        optimizer.zero_grad()
        loss = diffusion.losses(model, x, y)
        loss.backward()
        optimizer.step()
    if epoch % 2:
        model.eval()
        with torch.no_grad():
            print(sum(model(x) for x, y in loader))
"""
BY_CLASS = """
        if isinstance(model, _Rescaled):
            return model
        return _Rescaled(model, self.steps)
"""
BY_OPTION = """
        return _Rescaled(model, self.steps) if args.rescaled else model
"""
ON_ITSELF = """
        wrapped = model
        if args.rescaled:
            wrapped = _Rescaled(steps=self.steps, model=model)
        return wrapped
"""
WRAPS = pytest.mark.parametrize("wrap", [BY_CLASS, BY_OPTION, ON_ITSELF], ids=["by class", "by option", "in a branch"])


@WRAPS
def test_its_forward_is_certain(wrap: str) -> None:
    assert_marked(PROGRAM.format(wrap=wrap, first="pass", inner="  # expect: LL304"))


@WRAPS
def test_a_train_in_each_epoch_is_found(wrap: str) -> None:
    assert_marked(PROGRAM.format(wrap=wrap, first="model.train()", inner=""))
