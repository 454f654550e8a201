"""A graph that is retained in a function which each turn calls is gone with the call: that is advice, unless the loss is kept or returned (LL110)."""

from __future__ import annotations

from textwrap import dedent

import pytest

import looplint

PROGRAM = """
    import torch
    from torch import nn

    class Agent:
        def __init__(self):
            self.net = nn.Linear(2, 2)
            self.opt = torch.optim.SGD(self.net.parameters(), lr=0.1)
            self.loss = None

        def update(self, x, y):
            loss = nn.functional.mse_loss(self.net(x), y)
            self.opt.zero_grad()
            {backward}
            self.opt.step()
            {then}

    def main(loader):
        agent = Agent()
        for x, y in loader:
            loss = agent.update(x, y)
            print(loss)

    main(read())
"""
PLAIN = "loss.backward(retain_graph=True)"
DROPPED = {
    "nothing is returned": (PLAIN, "pass"),
    "a number is returned": (PLAIN, "return loss.item()"),
    "numbers are returned": (PLAIN, 'return {"loss": loss.item(), "rate": float(self.opt.param_groups[0]["lr"])}'),
    "of a loss without a name": ("loss.sum().backward(retain_graph=True)", "return loss.detach()"),
}
KEPT = {
    "the loss is returned": (PLAIN, "return loss"),
    "it is returned in a dict": (PLAIN, 'return {"loss": loss}'),
    "what is computed of it is returned": (PLAIN, "return loss / 2"),
    "an attribute keeps it": (PLAIN, "self.loss = loss"),
}


@pytest.mark.parametrize(("backward", "then"), DROPPED.values(), ids=DROPPED)
def test_it_is_advice(backward: str, then: str) -> None:
    assert severities(PROGRAM.format(backward=backward, then=then)) == ["advice"]


@pytest.mark.parametrize(("backward", "then"), KEPT.values(), ids=KEPT)
def test_it_is_a_warning(backward: str, then: str) -> None:
    assert severities(PROGRAM.format(backward=backward, then=then)) == ["warning"]


def test_in_the_loop_itself_the_graph_lasts_to_the_next_turn() -> None:
    program = """
        import torch
        from torch import nn
        net = nn.Linear(2, 2)
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        for x, y in read():
            loss = nn.functional.mse_loss(net(x), y)
            opt.zero_grad()
            loss.backward(retain_graph=True)
            opt.step()
    """
    assert severities(program) == ["warning"]


CALLED = """
    import torch
    from torch import nn

    def loss_of(net, x, y):
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward(retain_graph=True)
        return loss, [p.grad.clone() for p in net.parameters()]

    def losses_of(net: nn.Module, tasks):
        losses, grads = {{}}, {{}}
        for name in tasks:
            losses[name], grads[name] = loss_of(net, *tasks[name])
        return {returned}
"""


@pytest.mark.parametrize(("returned", "expected"), [("losses, grads", []), ("losses", []), ("grads", ["warning"])])
def test_callers_out_of_sight_may_send_it_backward_again(returned: str, expected: list[str]) -> None:
    assert severities(CALLED.format(returned=returned)) == expected


def severities(program: str) -> list[str]:
    return [f.severity for f in looplint.lint(dedent(program), isolated=True, min_severity="advice") if f.code == "LL110"]
