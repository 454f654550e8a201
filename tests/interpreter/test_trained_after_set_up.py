"""What trains is followed after what sets its object up, whatever it makes for others, and wherever it stands in its class."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
class Trainer:
    def __init__(self, model, config):
        self.model = model
        self.config = config
        self.source = None
        self.optimizer = None

    def train(self):
        self.source = Source(self.config)
        for epoch in range(self.config.epochs):
            self.train_epoch()
            if epoch % 5 == 0:
                self.model.eval()
                with torch.no_grad():
                    print({measured}.item())

    def tune(self):
        {other}
        for epoch in range(self.config.epochs):
            self.train_epoch()

    {set_up}

    def train_epoch(self):
        for _ in range(100):
            x, y = next(self.source)
            {first}
            self.optimizer.zero_grad()
            loss = {loss}
            loss.backward()
            self.optimizer.step()
"""
BUILD = "self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)"
CALLED = f"""def build(self):
        {BUILD}

    def demo(self):
        self.build()
        print(self.model)"""
LOSS = "nn.functional.mse_loss(self.model(x), y)"
MEASURED = "nn.functional.mse_loss(self.model(self.config.x), self.config.y)"
MARKED = f"{LOSS}  # expect: LL304"


def program(
    set_up: str = CALLED,
    loss: str = MARKED,
    first: str = "pass",
    other: str = "self.source = Source(self.config)",
    measured: str = MEASURED,
) -> str:
    return PROGRAM.format(set_up=set_up, loss=loss, first=first, other=other, measured=measured)


PROGRAMS = {
    "a method that another one calls": program(),
    "one that nobody calls": program(set_up=f"def build(self):\n        {BUILD}"),
    "that goes over what it builds": program(
        set_up=f"def build(self):\n        {BUILD}\n        for group in self.optimizer.param_groups:\n            print(group['lr'])"
    ),
    "one of two methods that train makes nothing": program(other="pass"),
    "a model that is back in train mode": program(loss=LOSS, first="self.model.train()"),
    "the parts of a model are in its mode": program(
        loss="self.model.loss(self.model(x), y)  # expect: LL304", measured="self.model.loss(self.model(self.config.x), self.config.y)"
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_trains_is_judged(name: str) -> None:
    assert_marked(PROGRAMS[name])
