"""The constructor of a data class stands nowhere in the text: it gives each object its own containers, and calls `__post_init__`."""

from __future__ import annotations

import pytest

from programs import assert_marked

TRAINER = """
import attr
import dataclasses
from dataclasses import InitVar, dataclass, field
from typing import ClassVar

@dataclass
class Trainer:
    model: nn.Module
    {fields}

    def __post_init__(self{more}):
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)

    def fit(self, loader):
        for x, y in loader:
            {first}
            loss = nn.functional.mse_loss(self.model(x), y)
            loss.backward()
            self.optimizer.step(){uncleared}
            {last}
{end}
"""
BUILT = """
def main(data):
    trainer = Trainer(nn.Linear(3, 1){given})
    trainer.fit(torch.utils.data.DataLoader(data, batch_size=3, shuffle=True))

if __name__ == "__main__":
    main(torch.load("data.pt"))
"""
KEPT = "self.losses.append(loss)  # expect: LL401"


def trainer(fields: str, *, first: str = "self.optimizer.zero_grad()", last: str = KEPT, more: str = "", given: str | None = "") -> str:
    end = BUILT.format(given=given) if given is not None else ""
    return TRAINER.format(fields=fields, first=first, last=last, more=more, uncleared="", end=end)


TWO = """
import attr

@attr.s
class Meter:
    values = attr.ib(factory=list)
    scores: list = attr.ib(factory=list)

def fit(loader):
    train, other = Meter(), Meter()
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        train.values.append(loss)  # expect: LL401
        train.scores.append(loss.item())
        other.values.append(loss)
        other.values.clear()
"""
PROGRAMS = {
    "a list that nobody gives": trainer("losses: list = field(default_factory=list)", given=None),
    "a list of an object that is built": trainer("losses: list = field(default_factory=list)"),
    "a list that a lambda makes": trainer("losses: list = dataclasses.field(default_factory=lambda: list())", given=None),
    "a dict with a list": trainer(
        "history: dict = field(default_factory=lambda: {'loss': []})", last="self.history['loss'].append(loss)  # expect: LL401"
    ),
    "a field that the constructor does not take": trainer(
        "optimizer: torch.optim.Optimizer = field(init=False)\n    losses: list = field(default_factory=list)", given=", [0.5]", last="pass"
    ),
    "what only __post_init__ takes": trainer(
        "rate: InitVar[float]\n    losses: list = field(default_factory=list)", more=", rate", given=", 0.1"
    ),
    "a constant of the class": trainer("rates: ClassVar[list] = []\n    losses: list = field(default_factory=list)", given=", []"),
    "an optimizer of __post_init__": TRAINER.format(
        fields="rate: float = 0.1", first="pass", last="pass", more="", uncleared="", end=BUILT.format(given="")
    ).replace("loss.backward()", "loss.backward()  # expect: LL102"),
    "each object has its own": TWO,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_fields_of_data_classes(name: str) -> None:
    assert_marked(PROGRAMS[name])
