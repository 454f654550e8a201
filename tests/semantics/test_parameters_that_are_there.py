"""A module that is given a parameter of its own whole, or what is computed from one, has no parameter that an optimizer of the whole does not know."""

from __future__ import annotations

import pytest

from programs import assert_marked

TRAIN = """
def train(model, loader, args):
    opt = torch.optim.AdamW(model.parameters(), lr=args.rate)
    for x, y in loader:
        opt.zero_grad()
        {assigned}
        nn.functional.mse_loss(model(x), y).backward()
        opt.step()
"""
THERE = {
    "another name": "model.last.kept_bias = model.last.bias",
    "a tie": "model.decoder.weight = model.embedding.weight",
    "computed from it": "model.last.scaled_weight = model.last.weight * model.scales.view(1, -1)",
    "of each part": """for part in model.modules():
            if not hasattr(part, "kept_bias"):
                part.kept_bias = part.bias""",
}
NEW = {
    "of another": "model.decoder.weight = nn.Linear(3, 4).weight",
    "made of it": "model.last.weight = nn.Parameter(model.last.weight * 2)",
    "a layer": "model.last = nn.Linear(3, 4)",
}


@pytest.mark.parametrize("assigned", THERE.values(), ids=THERE)
def test_what_is_there_replaces_nothing(assigned: str) -> None:
    assert_marked(TRAIN.format(assigned=assigned))


@pytest.mark.parametrize("assigned", NEW.values(), ids=NEW)
def test_what_is_new_is_not_in_the_optimizer(assigned: str) -> None:
    assert_marked(TRAIN.format(assigned=f"{assigned}  # expect: LL502"))
