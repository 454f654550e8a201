"""A forward that asks for the mode only to choose how it computes a quantity is not known to have dropout or batch norm (LL302)."""

from textwrap import dedent, indent

import pytest

import looplint
from programs import assert_marked

_FLOW = """
import numpy as np
from torchdiffeq import odeint_adjoint as odeint


def exact(y, x):
    return torch.stack([torch.autograd.grad(y[:, i].sum(), x, create_graph=True)[0][:, i] for i in range(2)], 1).sum(1)


def estimate(y, x, e=None):
    return (torch.autograd.grad(y, x, e, create_graph=True)[0] * e).sum(1)


def noisy(y, x):
    return estimate(y, x) + torch.randn_like(x)


class Flow(nn.Module):
    def __init__(self, brute_force):
        super().__init__()
        self.field = nn.Linear(2, 2)
        self.divergence = exact if brute_force else estimate
        self.tolerance = self.test_tolerance = 1e-5

    def by_sum(self, y, x):
        return y + x

    def by_mean(self, y, x):
        return (y + x) / 2

    def forward(self, x, y, times):
{forward}
"""
_PREDICTING = """

def predict(path, x, y, times):
    flow = Flow(False)
    flow.load_state_dict(torch.load(path))
    with torch.no_grad():
        np.save("out.npy", flow(x, y, times).cpu().numpy()){mark}
"""
_VALIDATING = """

def train(loader, valid, times):
    flow = Flow(False)
    opt = torch.optim.Adam(flow.parameters())
    for epoch in range(9):
        flow.train()
        for x, y in loader:
            opt.zero_grad()
            nn.functional.mse_loss(flow(x, y, times), y).backward()
            opt.step()
        with torch.no_grad():
            for x, y in valid:
                print(nn.functional.mse_loss(flow(x, y, times), y).item())
"""
_SOLVER = """
    if self.training:
        found = odeint(self.field, (x, y), times, rtol=self.tolerance)
    else:
        found = odeint(self.field, x, times, rtol=self.test_tolerance)
    return found[1]
"""
_WAYS = [
    pytest.param(_SOLVER.replace("(x, y)", "x"), id="a solver"),
    pytest.param(
        """
        if not self.training and x.shape[1] == 2:
            found = exact(y, x).view(-1, 1)
        else:
            found = self.divergence(y, x, e=times).view(-1, 1)
        return found
        """,
        id="a function that the object keeps",
    ),
    pytest.param("return estimate(y, x, times) if self.training else exact(y, x)", id="an expression"),
    pytest.param(
        """
        if not self.training:
            return odeint(self.field, x, times, method="dopri5")[1]
        return odeint(self.field, x, times)[1]
        """,
        id="what is returned early",
    ),
]
_OTHERS = [
    pytest.param("return noisy(y, x) if self.training else exact(y, x)", id="noise"),
    pytest.param("return nn.functional.dropout(x) if self.training else nn.functional.relu(x)", id="dropout"),
    pytest.param("return self.by_sum(y, x) if self.training else self.by_mean(y, x)", id="methods"),
    pytest.param("return estimate(y, x) if self.training else exact(x, y)", id="of something else"),
    pytest.param("return nn.functional.dropout(exact(y, x), 0.5, self.training)", id="as an argument"),
]


def _flow(forward: str) -> str:
    return _FLOW.format(forward=indent(dedent(forward).strip(), " " * 8))


@pytest.mark.parametrize("forward", _WAYS)
def test_two_ways_to_one_quantity(forward: str) -> None:
    assert_marked(_flow(forward) + _PREDICTING.format(mark=""))


@pytest.mark.parametrize("forward", _OTHERS)
def test_what_else_differs_between_the_modes(forward: str) -> None:
    assert_marked(_flow(forward) + _PREDICTING.format(mark="  # expect: LL302"))


@pytest.mark.parametrize(("forward", "severity"), [(_WAYS[0].values[0], "warning"), (_OTHERS[1].values[0], "error")])
def test_a_validation_is_told_of_where_the_program_sets_modes(forward: str, severity: str) -> None:
    text = f"import torch\nfrom torch import nn\n{_flow(str(forward))}{_VALIDATING}"
    assert [(f.code, f.severity) for f in looplint.lint(text, isolated=True)] == [("LL302", severity)]
