"""A callback that gets a model, and no optimizer, neither steps nor clears gradients: LL102 and LL106 see past it."""

from __future__ import annotations

import pytest

from programs import assert_marked

ON_THE_OBJECT = """
class Encoder:
    def __init__(self, width, after_iter_callback=None):
        self.net = nn.Linear(width, width)
        self.after_iter_callback = after_iter_callback

    def fit(self, loader):
        optimizer = torch.optim.AdamW(self.net.parameters())
        for x in loader:
            {clear}
            loss = self.net(x).pow(2).mean()
            loss.backward(){expected}
            {step}
            if self.after_iter_callback is not None:
                self.after_iter_callback(self, loss.item())
"""
HANDED_IN = """
def fit(net: nn.Module, loader, epoch_callback, epochs):
    optimizer = torch.optim.AdamW(net.parameters())
    for epoch in range(epochs):
        for x in loader:
            {clear}
            loss = net(x).pow(2).mean()
            loss.backward(){expected}
            {step}
            epoch_callback(net, epoch)
"""
IMPORTED = """
from callbacks import run_callback

net = nn.Linear(3, 3)
optimizer = torch.optim.AdamW(net.parameters())
for x in torch.randn(8, 4, 3):
    {clear}
    loss = net(x).pow(2).mean()
    loss.backward(){expected}
    {step}
    run_callback(net)
"""
PROGRAMS = pytest.mark.parametrize("program", [ON_THE_OBJECT, HANDED_IN, IMPORTED], ids=["on the object", "handed in", "imported"])


@PROGRAMS
def test_nothing_clears(program: str) -> None:
    assert_marked(program.format(clear="pass", step="optimizer.step()", expected="  # expect: LL102"))


@PROGRAMS
def test_nothing_steps(program: str) -> None:
    assert_marked(program.format(clear="optimizer.zero_grad()", step="pass", expected="  # expect: LL106"))


@PROGRAMS
def test_all_is_well(program: str) -> None:
    assert_marked(program.format(clear="optimizer.zero_grad()", step="optimizer.step()", expected=""))


@PROGRAMS
def test_a_callback_that_gets_the_optimizer_may_do_both(program: str) -> None:
    for callback in ("self.after_iter_callback(self,", "epoch_callback(net,", "run_callback(net"):
        program = program.replace(callback, callback + (" optimizer," if callback.endswith(",") else ", optimizer"))
    assert_marked(program.format(clear="optimizer.zero_grad()", step="pass", expected=""))
    assert_marked(program.format(clear="pass", step="optimizer.step()", expected=""))
