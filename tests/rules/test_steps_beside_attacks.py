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

FITTED = """inner = torch.optim.Adam([delta], lr=0.1)
    for _ in range(10):
        inner.zero_grad()
        nn.functional.cross_entropy(model(x + delta), y).backward()
        inner.step()"""
PARAMETER = FITTED.replace("inner =", "delta = nn.Parameter(delta)\n    inner =", 1)


@pytest.mark.parametrize("attack", [ONE, COUNTED, RESTARTS, FITTED, PARAMETER])
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


INNER = """
class Mask(nn.Module):
    def forward(self, model, images):
        {made}
        wanted = model(images).detach()
        for _ in range(10):
            inner.zero_grad()
            {cleared}loss = (model(images * mask) - wanted).abs().mean()
            loss.backward(){expected}
            inner.step()
        return mask.detach()


def main(loader):
    model = nn.Linear(3, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    search = Mask()
    for x in loader:
        search(model, x)
"""


@pytest.mark.parametrize(
    "made",
    [
        "mask = nn.Parameter(torch.ones(3))\n        inner = torch.optim.Adam([mask], lr=0.1)",
        "mask = torch.ones(3, requires_grad=True)\n        inner = torch.optim.Adam([mask], lr=0.1)",
        "mask = torch.zeros(3).requires_grad_()\n        inner = torch.optim.SGD([{'params': mask}], lr=0.1)",
    ],
)
def test_an_optimizer_of_its_own_searches_for_an_input(made: str) -> None:
    assert_marked(INNER.format(made=made, cleared="", expected=""))


def test_a_model_that_is_cleared_for_a_backward_and_not_stepped() -> None:
    program = INNER.format(
        made="mask = nn.Linear(3, 3)\n        inner = torch.optim.Adam(mask.parameters(), lr=0.1)",
        cleared="optimizer.zero_grad()\n            ",
        expected="  # expect: LL106",
    )
    program = program.replace("images * mask", "mask(images)").replace("return mask.detach()", "return mask")
    assert_marked(
        program.replace("def forward(self, model, images)", "def forward(self, model, optimizer, images)").replace(
            "(model, x)", "(model, optimizer, x)"
        )
    )
