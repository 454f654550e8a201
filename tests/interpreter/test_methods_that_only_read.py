"""A method of an optimizer that is named after what it gives changes nothing; any other of an optimizer's own class may."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
class Own(torch.optim.Optimizer):
    def __init__(self, params, lr):
        super().__init__(params, dict(lr=lr))

    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                p.data.add_(p.grad.data, alpha=-group["lr"])

    def get_lr(self):
        return [max(0.0, group["lr"]) for group in self.param_groups]

    def settle(self):
        for group in self.param_groups:
            for p in group["params"]:
                p.grad = None

def train(net: nn.Module, loader):
    opt = {optimizer}
    for x, y in loader:
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward(){mark}
        opt.step()
        {asked}
"""
FOUND = "  # expect: LL102"


@pytest.mark.parametrize("asked", ["print(opt.get_lr()[0])", "rate = opt.get_lr()", "print(loss.item(), opt.get_lr())"])
def test_a_method_of_its_own_that_gives_something(asked: str) -> None:
    assert_marked(PROGRAM.format(optimizer="Own(net.parameters(), lr=0.1)", asked=asked, mark=FOUND))


@pytest.mark.parametrize("asked", ["print(opt.get_lr()[0])", "if opt.is_done(): break", "print(opt.has_converged())"])
def test_one_of_a_librarys_optimizer(asked: str) -> None:
    assert_marked(PROGRAM.format(optimizer="torch.optim.SGD(net.parameters(), lr=0.1)", asked=asked, mark=FOUND))


def test_one_that_may_change_something() -> None:
    assert_marked(PROGRAM.format(optimizer="Own(net.parameters(), lr=0.1)", asked="opt.settle()", mark=""))
