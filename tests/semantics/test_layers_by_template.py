"""A layer of torch whose name is put together is known by the parts of the name that are written."""

from __future__ import annotations

import pytest

import looplint

NET = """\
from torch import nn

class Net(nn.Module):
    def __init__(self, ndims, kind, sizes):
        super().__init__()
        layer = getattr(nn, {name})
        self.layers = [layer({arguments}) for size in sizes]
        self.last = nn.Linear(2, 2)
    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.last(x)
"""
WITHOUT = ["'MaxPool%dd' % ndims", "f'AvgPool{ndims}d'", "'AdaptiveAvgPool{}d'.format(ndims)", "'MaxPool' + str(ndims) + 'd'", "kind"]
WITH = ["'Conv%dd' % ndims", "f'Conv{ndims}d'", "'ConvTranspose{}d'.format(ndims)", "'BatchNorm' + str(ndims) + 'd'"]


def codes(name: str, arguments: str) -> list[str]:
    return [f.code for f in looplint.lint(NET.format(name=name, arguments=arguments), isolated=True)]


@pytest.mark.parametrize("name", WITHOUT)
def test_what_has_no_parameters_or_may_have_none_needs_no_register(name: str) -> None:
    assert codes(name, "size") == []


@pytest.mark.parametrize("name", WITH)
def test_what_has_parameters_does(name: str) -> None:
    assert codes(name, "size, size, 3") == ["LL505"]
