"""A program that steps its parameters itself trains them as one with an optimizer does."""

from __future__ import annotations

from textwrap import indent

import pytest

from programs import assert_marked

PROGRAM = """
        model = nn.Sequential(nn.Linear(4, 4), nn.Dropout())

        def evaluate(loader):
            model.eval()
            total = 0.0
            with torch.no_grad():
                for x, y in loader:
                    total += nn.functional.mse_loss(model(x), y).item()
            return total

        def train(loader, lr):
            for x, y in loader:
                model.zero_grad()
                nn.functional.mse_loss(model(x), y).backward(){mark}
{update}

        def main(loader, valid, lr, fisher):
            for epoch in range(10):
                train(loader, lr)
                print(evaluate(valid))
        """
STEPS = {
    "in place": "for p in model.parameters():\n    p.data.add_(p.grad, alpha=-lr)",
    "a difference": "with torch.no_grad():\n    for p in model.parameters():\n        p -= lr * p.grad",
    "new data": "for p in model.parameters():\n    p.data = p.data - lr * p.grad.data",
    "by names": "for name, p in model.named_parameters():\n    p.data.sub_(lr * p.grad / (1 + p.grad.norm()))",
    "a gradient with a name": "for p in model.parameters():\n    grad = p.grad.float()\n    p.grad = None\n    p.data.add_(grad, alpha=-lr)",
    "an update with a name": "for p in model.parameters():\n    grad = p.grad\n    update = lr * grad\n    p.data -= update",
    "a copy that is written back": (
        "for p in model.parameters():\n    grad = p.grad.float()\n    new = p.data.float()\n    new.add_(grad, alpha=-lr)\n    p.data.copy_(new)"
    ),
    "in a closure": "def apply():\n    for p in model.parameters():\n        grad = p.grad.clone()\n        p.data.add_(grad, alpha=-lr)\napply()",
}
NO_STEPS = {
    "measured": "for p in model.parameters():\n    fisher += p.grad ** 2",
    "changed themselves": "for p in model.parameters():\n    p.grad.mul_(0.5)",
    "of another": "for p, q in zip(model.parameters(), fisher):\n    q.data.add_(p.grad)",
    "measured under a name": "for p in model.parameters():\n    grad = p.grad ** 2\n    fisher.add_(grad)",
    "of another, under a name": "for p, q in zip(model.parameters(), fisher):\n    grad = p.grad\n    q.data.add_(grad)",
    "by a name that is given again": "for p in model.parameters():\n    grad = p.grad\n    print(grad)\n    grad = 0.5\n    p.data.mul_(lr).add_(grad)",
    "decayed": "for p in model.parameters():\n    p.data.mul_(1 - lr)",
}


@pytest.mark.parametrize("update", STEPS.values(), ids=STEPS)
def test_a_model_that_is_stepped_by_hand_is_trained(update: str) -> None:
    assert_marked(PROGRAM.format(update=indent(update, " " * 16), mark="  # expect: LL301"))


@pytest.mark.parametrize("update", NO_STEPS.values(), ids=NO_STEPS)
def test_gradients_that_step_nothing_train_nothing(update: str) -> None:
    assert_marked(PROGRAM.format(update=indent(update, " " * 16), mark=""))
