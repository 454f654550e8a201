"""A class out of sight that a function calls for its callers makes the model, though it has a model's name: they use what they get as one."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import importlib
import library
import torch
from torch import nn

{made}

def main(config, loader, valid):
    {call}
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    for epoch in range(10):
        for x, y in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            for x, y in valid:
                model.eval()
                print(nn.functional.cross_entropy(model(x), y).item())
"""
MAKERS = {
    "the last of the names of a module that fit": """
def create(config):
    models = importlib.import_module("models." + config.name)
    model = None
    for name, cls in models.__dict__.items():
        if name.lower() == config.name:
            model = cls
    if model is None:
        print("not found")
        exit(0)
    instance = model(config.width)
    return instance
""",
    "an attribute of a module": """
def create(config):
    model = getattr(importlib.import_module("models"), config.name)
    return model(config.width)
""",
    "an entry of a table, moved": """
def create(config):
    model = library.TABLE[config.name]
    return model(config.width).to(config.device)
""",
    "through another function": """

def make(name, width):
    backbone = library.find(name)
    return backbone(width)

def create(config):
    return make(config.name, config.width)
""",
}


def _codes(made: str, call: str) -> list[str]:
    return [f.code for f in looplint.lint(PROGRAM.format(made=made, call=call), isolated=True) if f.severity != "advice"]


@pytest.mark.parametrize("made", MAKERS.values(), ids=MAKERS)
@pytest.mark.parametrize("call", ["model = create(config)", "model = create(config).cuda()"])
def test_what_it_gives_is_the_model_of_the_caller(made: str, call: str) -> None:
    assert _codes(made, call) == ["LL301"]


def test_what_the_callers_measure_is_an_output() -> None:
    text = """\
import library
import torch

def predict(name, x):
    model = library.find(name)
    model.eval()
    return model(x)

def evaluate(name, valid):
    right = 0
    for x, y in valid:
        out = predict(name, x)
        right += (out.argmax(1) == y).sum().item()
    return right
"""
    assert [f.code for f in looplint.lint(text, select=["LL303"], isolated=True)] == ["LL303"]
