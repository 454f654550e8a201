"""Modules that are kept in a dict as well, and put into a model at a path, are parts of that model."""

from __future__ import annotations

import pytest

import looplint

WRAPPING = """
import torch
from functools import reduce
from torch import nn
from somewhere import find

class Wrapper(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner
        self.scale = nn.Parameter(torch.ones(1))
    def forward(self, x):
        return self.inner(x) * self.scale

def put(model, path, module):
    *parents, last = path.split(".")
    owner = reduce(getattr, parents, model)
    setattr(owner, last, module)

class Adapted(nn.Module):
    def __init__(self, net: nn.Module, paths):
        super().__init__()
        self.net = net
        self.wrappers = dict()
        for path in paths:
            wrapper = Wrapper(nn.Linear(2, 2))
            {put}
            self.wrappers[path] = wrapper
    def forward(self, x):
        return sum(wrapper(x) for wrapper in self.wrappers.values())

model = Adapted(nn.Sequential(nn.Linear(2, 2)), ["0"])
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(10):
    optimizer.zero_grad()
    model(torch.ones(1, 2)).sum().backward()
    optimizer.step()
"""


def codes(put: str) -> list[str]:
    return [f.code for f in looplint.lint(WRAPPING.replace("{put}", put), isolated=True) if f.code == "LL505"]


@pytest.mark.parametrize(
    "put", ["put(net, path, wrapper)", "setattr(find(net, path), 'inner', wrapper)", "find(net, path).inner = wrapper"]
)
def test_what_is_put_into_the_model_is_registered(put: str) -> None:
    assert codes(put) == []


def test_what_is_only_kept_in_the_dict_is_not() -> None:
    assert codes("print(path)") == ["LL505"]
