"""What code out of sight makes of tensors is taken for a tensor; where it is asked to clear its gradients, it is a model or an optimizer."""

from __future__ import annotations

import pytest

from programs import assert_marked

TRAIN = """
from library import convert, load, prepare

def train(args, loader):
    {built}
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.rate)
    for x, y in loader:
        loss = model(x, labels=y)
        loss.backward(){mark}
        optimizer.step()
        {cleared}
"""
BUILT = {
    "of a state": "model = load(args.name, state=convert(torch.load(args.path, map_location='cpu'), torch.ones(3)))",
    "of a table": "model = prepare(torch.randn(args.words, args.width))",
    "by a method of what is": "model = load(torch.zeros(args.width)).prepare_for(args.task)",
}


@pytest.mark.parametrize("built", BUILT.values(), ids=BUILT)
def test_what_is_asked_to_clear_its_gradients_clears_them(built: str) -> None:
    assert_marked(TRAIN.format(built=built, cleared="model.zero_grad()", mark=""))


@pytest.mark.parametrize("built", BUILT.values(), ids=BUILT)
def test_what_is_not_asked_to_clears_none(built: str) -> None:
    assert_marked(TRAIN.format(built=built, cleared="print(loss.item())", mark="  # expect: LL102"))
