"""Lazy layers draw their weights when they are first run: a seed between that and where they are built comes in time."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn, optim


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(LAYERS)

    def forward(self, x):
        return self.net(x)


policy = Policy()
BEFORE
torch.manual_seed(3)
opt = optim.SGD(policy.parameters(), lr=0.1)
for x, y in loader:
    opt.zero_grad()
    nn.functional.mse_loss(policy(x), y).backward()
    opt.step()
"""


@pytest.mark.parametrize(
    ("layers", "before", "said"),
    [
        ("nn.LazyLinear(64), nn.ReLU(), nn.LazyLinear(1)", "", None),
        ("nn.LazyConv2d(8, 3), nn.LazyBatchNorm2d(), nn.Flatten(), nn.LazyLinear(1)", "", None),
        ("nn.LazyConvTranspose1d(8, 3), nn.LayerNorm(8)", "", None),
        ("nn.BatchNorm1d(8), nn.LazyLinear(1)", "print(policy)", None),
        # One layer that is not lazy draws its weights where it is built.
        ("nn.Linear(8, 64), nn.ReLU(), nn.LazyLinear(1)", "", "policy was built before this seed"),
        ("nn.LazyLinear(64), nn.Embedding(8, 4)", "", "policy was built before this seed"),
        ("nn.LazyLinear(64), nn.LazyLinear(1)", "policy(torch.zeros(1, 8))", "policy was run before this seed"),
    ],
)
def test_where_lazy_layers_draw(layers: str, before: str, said: str | None) -> None:
    text = PROGRAM.replace("LAYERS", layers).replace("BEFORE", before)
    found = [f for f in looplint.lint(text, isolated=True) if f.code == "LL904"]
    assert [f.message.partition(":")[0] for f in found] == ([said] if said else [])
    if said and found[0].fix is not None:
        assert found[0].fix.message == f"Set the seed before the model is {said.split()[2]}"


FILLED = """
import torch
from torch import nn, optim


class Search:
    def __init__(self):
        self.weights = nn.CONTAINER

    def adapt(self, n):
        for number in range(n):
            self.weights.append(nn.Parameter(torch.randn(4)))
        self.opt = optim.SGD(self.weights.parameters(), lr=0.1)


search = Search()
torch.manual_seed(3)
search.adapt(4)
for x, y in loader:
    search.opt.zero_grad()
    nn.functional.mse_loss(x * search.weights[0], y).backward()
    search.opt.step()
"""


@pytest.mark.parametrize(
    ("container", "codes"),
    [("ParameterList()", []), ("ParameterList([nn.Parameter(torch.randn(4))])", ["LL904"])],
    ids=["empty", "with a value"],
)
def test_a_container_draws_what_it_is_built_with(container: str, codes: list[str]) -> None:
    assert [f.code for f in looplint.lint(FILLED.replace("CONTAINER", container), isolated=True) if f.code == "LL904"] == codes
