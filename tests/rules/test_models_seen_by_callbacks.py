"""Code out of sight that gets a model, and nothing that has the graph of the loss, does not send that backward again (LL110)."""

from __future__ import annotations

import pytest

import looplint

SCRIPT = """\
from torch import nn, optim
from monitoring import watch


class Fitting:
    def __init__(self, net: nn.Module, callback=None):
        self.net = nn.Sequential(net, nn.Linear(4, 2))
        self.callback = callback

    def fit(self, loader):
        opt = optim.SGD(self.net.parameters(), lr=0.1)
        while True:
            for x, y in loader:
                out = self.net(x)
                loss = nn.functional.cross_entropy(out, y)
                opt.zero_grad()
                loss.backward(retain_graph=True)
                opt.step()
                {then}
"""
APART = {
    "an object with the model": "self.callback(self, loss.item())",
    "the model": "watch(self.net)",
    "the model and what is detached": "watch(self.net, out.detach())",
    "what is detached is kept": "self.out = out.detach(); self.callback(self)",
    "the model in a dict": "watch({'net': self.net})",
    "after each step, where there is one": "if self.callback is not None: self.callback(self)",
}
TOGETHER = {
    "the loss as well": "self.callback(self, loss)",
    "an output as well": "watch(self.net, out)",
    "the loss alone": "watch(loss)",
    "an object that keeps the loss": "self.loss = loss; self.callback(self)",
    "an object that keeps a list of losses": "self.losses = [loss]; self.callback(self)",
    "the loss in a dict": "watch({'net': self.net, 'loss': loss})",
    "a function that knows it": "watch(self.net, lambda: loss.backward())",
    "the optimizer": "watch(self.net, opt)",
}


@pytest.mark.parametrize("then", APART.values(), ids=APART)
def test_a_graph_that_nobody_gets_is_kept_for_nothing(then: str) -> None:
    assert _reported(then) == ["LL110"]


@pytest.mark.parametrize("then", TOGETHER.values(), ids=TOGETHER)
def test_a_graph_that_code_out_of_sight_gets_may_be_used(then: str) -> None:
    assert _reported(then) == []


@pytest.mark.parametrize("more", ["watch(self.net)", "watch.penalty(self.net).sum()"])
def test_what_it_makes_of_the_model_may_have_a_graph_of_its_own(more: str) -> None:
    assert _reported("pass", f"loss = loss + {more}") == []


def test_what_it_sets_in_the_model_before_may_be_taken_in() -> None:
    assert _reported("pass", "watch.prepare(self.net)") == []


def _reported(then: str, more: str = "opt.zero_grad()") -> list[str]:
    text = SCRIPT.format(then=then).replace("opt.zero_grad()", more)
    return [f.code for f in looplint.lint(text, isolated=True, select=["LL110"])]
