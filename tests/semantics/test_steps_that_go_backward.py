"""An optimizer of the program whose step goes backward itself, through losses that it is given; and backwards where no new graph is recorded."""

from __future__ import annotations

import pytest

import looplint
from programs import assert_marked

PROGRAM = """
from torch.optim.optimizer import Optimizer


class MetaBalance(Optimizer):
    def __init__(self, parameters, beta=0.9):
        super().__init__(parameters, {{"beta": beta}})

    {decorator}
    def step(self, losses):
        for loss in losses:
            {backward}
            for group in self.param_groups:
                for p in group["params"]:
                    p.grad *= group["beta"]


def train(model, loader):
    share = torch.optim.Adam(model.parameters())
    meta = MetaBalance(model.parameters())
    for x, ys in loader:
        pred = model(x)
        losses = [nn.functional.mse_loss(pred[:, i], ys[:, i]) for i in range(3)]
        share.zero_grad()
        meta.step(losses){mark}
        share.step(){mark}
"""


@pytest.mark.parametrize("decorator", ["@torch.no_grad()", "@torch.enable_grad()", "@torch.autograd.profiler.record_function('step')"])
@pytest.mark.parametrize("backward", ["loss.backward(retain_graph=True)", "torch.autograd.backward(loss, retain_graph=True)"])
def test_the_step_goes_backward(decorator: str, backward: str) -> None:
    text = PROGRAM.format(decorator=decorator, backward=backward, mark="")
    assert_marked(text)


def test_a_step_that_does_not_go_backward() -> None:
    codes = [
        f.code
        for f in looplint.lint(
            "import torch\nfrom torch import nn\n" + PROGRAM.format(decorator="@torch.no_grad()", backward="print(loss)", mark=""),
            isolated=True,
        )
    ]
    assert set(codes) == {"LL107"}


BACKWARD = """
def train(model, loader):
    opt = torch.optim.Adam(model.parameters())
    for x, y in loader:
        opt.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        with torch.no_grad():
            {backward}
        opt.step()
"""


@pytest.mark.parametrize("backward", ["loss.backward()", "torch.autograd.backward([loss])", "accelerate.Accelerator().backward(loss)"])
def test_a_backward_needs_no_gradients_to_be_on(backward: str) -> None:
    assert_marked("import accelerate\n" + BACKWARD.format(backward=backward))
