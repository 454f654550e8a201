"""A switch to eval mode before the training that only some runs come to hides no validation that leaves eval mode on in the others."""

from __future__ import annotations

import pytest

from programs import assert_marked

TRAINING = """
import argparse
import torch
from torch import nn, optim

def load(model, path):
    model.load_state_dict(torch.load(path, map_location="cpu"))
    model.eval()
    return model

def build(args):
    model = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.1), nn.Linear(8, 1))
    {before}
    return model

def evaluate(model, data):
    model.eval()
    with torch.no_grad():
        return sum(nn.functional.mse_loss(model(x), y).item() for x, y in data)

def train(args):
    data = [(torch.randn(4, 8), torch.randn(4, 1)) for _ in range(3)]
    model = build(args)
    optimizer = optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(1, args.epochs + 1):
        for x, y in data:
            loss = nn.functional.mse_loss(model(x), y){mark}
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if {validated}:
            print(evaluate(model, data))

parser = argparse.ArgumentParser()
parser.add_argument("--path", default="")
parser.add_argument("--frozen", action="store_true")
parser.add_argument("--pretrained", type=int, default=0)
parser.add_argument("--epochs", type=int, default=10)
parser.add_argument("--every", type=int, default=2)
train(parser.parse_args())
"""
SOMETIMES = [
    "if args.pretrained == 2: model = load(model, args.path)",
    "model = load(model, args.path) if args.path else model",
    "if args.frozen: model.eval()",
]


def _training(before: str, validated: str = "epoch % args.every == 0", mark: str = "") -> str:
    return TRAINING.replace("{before}", before).replace("{validated}", validated).replace("{mark}", mark)


@pytest.mark.parametrize("before", SOMETIMES)
def test_the_validation_is_named_for_the_other_runs(before: str) -> None:
    assert_marked(_training(before, mark="  # expect: LL304"))


def test_a_model_that_each_run_puts_into_eval_mode_is_trained_so() -> None:
    assert_marked(_training("model.eval()"))


@pytest.mark.parametrize("validated", ["args.frozen and epoch % args.every == 0", "args.frozen"])
def test_a_validation_of_the_runs_that_are_in_eval_mode_changes_nothing(validated: str) -> None:
    assert_marked(_training("if args.frozen: model.eval()", validated))
