"""Gradients that are taken in eval mode and only measured are no training: what the model is in then is meant."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        def gradient(model, criterion, x, y):
            loss = criterion(model(x), y)
            {taken}

        class Trainer:
            def __init__(self, criterion):
                self.model = nn.Sequential(nn.Linear(2, 2), nn.Dropout())
                self.criterion = criterion
                self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
            def fit(self, loader, held_out):
                for epoch in range(9):
                    {first}
                    for x, y in loader:
                        self.optimizer.zero_grad()
                        self.criterion(self.model(x), y).backward(){expected}
                        self.optimizer.step()
                    self.noise(held_out)
            def check(self, held_out):
                for epoch in range(9):
                    self.noise(held_out)
            def noise(self, data):
                model = self.model
                model.eval()
                total = 0
                for x, y in data:
                    total += gradient(model, self.criterion, x, y)
                for x, y in data:
                    for number in range(len(x)):
                        total += gradient(model, self.criterion, x[number], y[number]).std()
                return total
"""
TAKEN = [
    "return torch.cat([g.flatten() for g in torch.autograd.grad(loss, list(model.parameters()))]).detach()",
    "return torch.autograd.grad(loss, model.parameters())[0].flatten()",
    "grads = torch.autograd.grad(loss, [p for p in model.parameters() if p.requires_grad])\n            return torch.stack([g.norm() for g in grads])",
]


@pytest.mark.parametrize("taken", TAKEN)
def test_a_measured_gradient(taken: str) -> None:
    assert_marked(PROGRAM.format(taken=taken, first="self.model.train()", expected=""))


@pytest.mark.parametrize("taken", TAKEN)
def test_the_training_behind_it(taken: str) -> None:
    assert_marked(PROGRAM.format(taken=taken, first="print(epoch)", expected="  # expect: LL301"))
