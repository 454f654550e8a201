"""A method of a model that is told the names of parameters, one by one, is no pass over data."""

from __future__ import annotations

import pytest

import looplint

GROUPS = """
import torch
from torch import nn
from timm.models import create_model

def groups(model, scale):
    rates = []
    for {each}:
        layer, power = model.get_layer({given})
        rate = scale ** power
        if rate > 0.1:
            print(f"{layer} {rate}")
        rates.append(rate)
    return rates

def main(args, loader):
    model = create_model(args.model)
    opt = torch.optim.AdamW(model.parameters())
    print(groups(model, 0.5))
    for x, y in loader:
        opt.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        opt.step()
"""


@pytest.mark.parametrize(
    ("each", "given"),
    [
        ("name, parameter in model.named_parameters()", "name"),
        ("name, module in model.named_modules()", "name"),
        ("number, (name, parameter) in enumerate(model.named_parameters())", "number"),
    ],
)
def test_a_method_that_is_told_a_name_is_no_validation(each: str, given: str) -> None:
    source = GROUPS.replace("{each}", each).replace("{given}", given)
    assert [f.code for f in looplint.lint(source, isolated=True) if f.code == "LL303"] == []
