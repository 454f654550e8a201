"""An optimizer of copies of parameters steps with the gradients that the program gives these copies."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
def create_optimizer(name, parameters):
    if name == "adam":
        return torch.optim.Adam(parameters)
    return torch.optim.SGD(parameters, lr=0.1)


def adapt(name, loader):
    model = nn.Linear(2, 2)
    params = [p.clone().detach().requires_grad_(True) for p in model.parameters()]
    optimizer = create_optimizer(name, params)
    for x, y in loader:
        loss = nn.functional.mse_loss(torch.func.functional_call(model, params, x), y)
        optimizer.zero_grad()
        GIVEN
        optimizer.step()
    return params
"""
GIVEN = {
    "one by one": "for p, g in zip(params, torch.autograd.grad(loss, params)):\n            p.grad = g",
    "by their numbers": "grads = torch.autograd.grad(loss, params)\n        for i, p in enumerate(params):\n            p.grad = grads[i].clone()",
    "by code out of sight": "for p, g in zip(params, custom_grad(loss, params)):\n            p.grad = g",
}


@pytest.mark.parametrize("given", GIVEN)
def test_given(given: str) -> None:
    assert_marked(PROGRAM.replace("GIVEN", GIVEN[given]))
