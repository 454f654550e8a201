"""What an attack leaves in a model's gradients is no batch's: a clear takes it away, and a step behind that clear finds nothing."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
def attack(model, x, y):
    delta = torch.zeros_like(x)
    delta.requires_grad = True
    ATTACK
    return delta.detach()


def train(loader):
    model = nn.Linear(3, 3)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(3):
        for x, y in loader:
            delta = attack(model, x, y)
            loss = nn.functional.cross_entropy(model(x + delta), y)
            TRAINED
"""
ONE = """for _ in range(10):
        nn.functional.cross_entropy(model(x + delta), y).backward()
        delta.data = delta + 0.1 * torch.sign(delta.grad.detach())
        delta.grad.zero_()"""
COUNTED = """n = 0
    while n < 10:
        n += 1
        nn.functional.cross_entropy(model(x + delta), y).backward()
        delta.data += 0.1 * delta.grad.sign()
        delta.grad = None"""
RESTARTS = """for _ in range(restarts):
        for _ in range(steps):
            output = model(x + delta)
            if (output.argmax(1) != y).all():
                break
            nn.functional.cross_entropy(output, y).backward()
            delta.data += 0.1 * delta.grad.sign()
            delta.grad.zero_()"""


@pytest.mark.parametrize("attack", [ONE, COUNTED, RESTARTS])
@pytest.mark.parametrize(
    "trained",
    [
        "opt.zero_grad()\n            opt.step()  # expect: LL105\n            loss.backward()",
        "loss.backward()\n            opt.zero_grad()  # expect: LL101\n            opt.step()",
        "opt.zero_grad()\n            loss.backward()\n            opt.step()",
        "loss.backward()\n            opt.step()\n            opt.zero_grad()",
    ],
)
def test_gradients_of_an_attack(attack: str, trained: str) -> None:
    assert_marked(PROGRAM.replace("ATTACK", attack).replace("TRAINED", trained))


def test_an_attack_that_trains_too() -> None:
    assert_marked("""
        def train(loader):
            model = nn.Linear(3, 3)
            opt = torch.optim.SGD(model.parameters(), lr=0.1)
            for x, y in loader:
                delta = torch.zeros_like(x).requires_grad_()
                for _ in range(10):
                    opt.zero_grad()
                    nn.functional.cross_entropy(model(x + delta), y).backward()
                    delta.data += 0.1 * delta.grad.sign()
                    delta.grad = None
                    opt.step()
    """)
