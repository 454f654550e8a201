"""timm makes an optimizer of the settings of a run and of a model: it holds the model's parameters, wherever the model stands."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn
from timm.models import create_model
from IMPORT

def train(model, loader, optimizer):
    TRAIN
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()

def validate(model, loader):
    model.eval()
    with torch.no_grad():
        for x, y in loader:
            print(nn.functional.cross_entropy(model(x), y).item())

def main(args, loader, held_out):
    model = create_model(args.model)
    optimizer = MADE
    for epoch in range(args.epochs):
        train(model, loader, optimizer)
        validate(model, held_out)

main(args, loader, held_out)
"""


@pytest.mark.parametrize(
    ("where", "made"),
    [
        ("timm.optim import create_optimizer", "create_optimizer(args, model)"),
        ("timm.optim import create_optimizer", "create_optimizer(args, model=model, filter_bias_and_bn=False)"),
        ("timm.optim.optim_factory import create_optimizer", "create_optimizer(args, model)"),
        ("timm.optim import create_optimizer_v2", "create_optimizer_v2(model, opt=args.opt)"),
        ("timm.optim.optim_factory import create_optimizer_v2", "create_optimizer_v2(model.parameters(), opt=args.opt)"),
    ],
)
def test_the_model_is_trained(where: str, made: str) -> None:
    program = PROGRAM.replace("IMPORT", where).replace("MADE", made)
    assert [f.code for f in looplint.lint(program.replace("TRAIN", "model.train()"))] == []
    assert "LL301" in [f.code for f in looplint.lint(program.replace("TRAIN", "pass"))]
