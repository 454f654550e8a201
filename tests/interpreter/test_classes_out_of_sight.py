"""Classes that are out of sight: one that is called after losses makes a model of a model, one that is given parameters and a rate makes an optimizer."""

from __future__ import annotations

import pytest

from programs import assert_marked

WRAPPED = """
from registry import find

def build(config):
    {made}
    return model, torch.optim.AdamW(model.parameters(), lr=1e-3)

model, optimizer = build(find("config"))
loader = [torch.randn(4, 3)] * 3
for epoch in range(3):
    for batch in loader:
        optimizer.zero_grad()
        carry, loss = model(batch){expected}
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        print(sum(model(batch)[1].item() for batch in loader))
"""


@pytest.mark.parametrize(
    "made",
    [
        "loss_head_cls = find(config.loss); model = loss_head_cls(find(config.model)(), width=3)",
        "inner: nn.Module = find(config.model)(); loss_class = find(config.loss); model = loss_class(inner, **config.arguments)",
        "criterion_factory = find(config.loss); model = find(config.model)(); model = criterion_factory(model)",
    ],
    ids=["cls", "class", "factory"],
)
def test_a_class_that_is_called_after_losses_makes_a_model(made: str) -> None:
    assert_marked(WRAPPED.format(made=made, expected="  # expect: LL301"))


STEPPED = """
from optimizers import AdamATan2, Signed, lookahead

model = nn.Linear(3, 1)
{built}
loader = [(torch.randn(4, 3), torch.randn(4, 1))] * 3
for epoch in range(3):
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward(){expected}
        for optimizer in optimizers:
            optimizer.step()
            {cleared}
"""
OPTIMIZERS = pytest.mark.parametrize(
    "built",
    [
        "optimizers = [AdamATan2(model.parameters(), lr=1e-3, betas=(0.9, 0.95))]",
        "optimizers = [Signed(params=model.parameters(), lr=1e-3)]",
        "optimizers = [AdamATan2([{'params': model.parameters()}], lr=0)]",
    ],
    ids=["parameters", "by name", "groups"],
)


@OPTIMIZERS
def test_a_class_that_is_given_parameters_and_a_rate_makes_an_optimizer(built: str) -> None:
    assert_marked(STEPPED.format(built=built, cleared="pass", expected="  # expect: LL102"))


@OPTIMIZERS
def test_its_gradients_are_cleared(built: str) -> None:
    assert_marked(STEPPED.format(built=built, cleared="optimizer.zero_grad()", expected=""))
