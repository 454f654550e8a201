"""A parameter that may be an optimizer or a class of optimizers is an optimizer, whichever way is taken."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
class Wrapper:
    def __init__(self, lr=0.1):
        self.lr = lr

    def attach(self, params):
        self.inner = torch.optim.Adam(params, lr=self.lr)

    def step(self):
        self.inner.step()

    def zero_grad(self):
        self.inner.zero_grad()


class Trainer:
    def __init__(self, optimizer{annotation}):
        self.model = nn.Linear(3, 1)
        {taken}
        self.optimizer.attach(self.model.parameters())

    def fit(self, loader):
        for x, y in loader:
            {clear}
            loss = nn.functional.mse_loss(self.model(x), y)
            loss.backward(){mark}
            self.optimizer.step()

    def reset(self):
        self.optimizer.zero_grad()
"""
TAKEN = {
    "by isinstance": """if isinstance(optimizer, Wrapper):
            self.optimizer = optimizer
        else:
            self.optimizer = optimizer()""",
    "by type": """self.optimizer = optimizer
        if isinstance(optimizer, type):
            self.optimizer = optimizer()""",
}


@pytest.mark.parametrize("taken", TAKEN.values(), ids=TAKEN)
@pytest.mark.parametrize("annotation", ["", "=Wrapper", ": Wrapper | type = Wrapper"])
@pytest.mark.parametrize("clears", [True, False])
def test_it_is_an_optimizer(taken: str, annotation: str, clears: bool) -> None:
    clear, mark = ("self.optimizer.zero_grad()", "") if clears else ("pass", "  # expect: LL102")
    assert_marked(PROGRAM.format(taken=taken, annotation=annotation, clear=clear, mark=mark))
