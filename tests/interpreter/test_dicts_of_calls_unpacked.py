"""What makes a dict that a call is given with `**` hands on what it got: the objects go to the parameters that have their names."""

from __future__ import annotations

import pytest

from tests.programs import assert_marked

PROGRAM = """
from library import merged

{maker}

class Component:
    def fit(self, config, loader, valid):
        self.model = nn.Sequential(nn.Linear(4, 4), nn.Dropout(), nn.Linear(4, 1))
        optimizer = self.build_optimizer(config)
        return self.run({given})

    def build_optimizer(self, config):
        {built}

    def run(self, loader, epochs, optimizer, **kwargs):
        {taken}
        for epoch in range(epochs):
            for x, y in loader:
                {clear}
                nn.functional.mse_loss(self.model(x), y).backward(){mark}
                optimizer.step()
"""
OUT_OF_SIGHT = "**merged(config, loader=loader, optimizer=optimizer, overwrite=True)"
IN_SIGHT = OUT_OF_SIGHT.replace("merged", "union")
UNION = """
def union(first, overwrite=False, **more):
    return dict([(k, v) for k, v in first.items()] + [(k, v) for k, v in more.items() if overwrite or k not in first])
"""
BUILT = "return torch.optim.Adam(self.model.parameters(), lr=0.1)"
CHOSEN = """if config["optimizer"] == "adam":
            return torch.optim.Adam(self.model.parameters(), lr=0.1)
        elif config["optimizer"] == "sgd":
            return torch.optim.SGD(self.model.parameters(), lr=0.1)"""
WITH_SCHEDULE = """optimizer = torch.optim.Adam(self.model.parameters(), lr=0.1)
        return optimizer, torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer)"""
FORMS = [
    pytest.param("", OUT_OF_SIGHT, BUILT, "pass", id="by code out of sight"),
    pytest.param(UNION, IN_SIGHT, BUILT, "pass", id="by a function of pairs"),
    pytest.param("", OUT_OF_SIGHT, CHOSEN, "pass", id="one of several"),
    pytest.param("", OUT_OF_SIGHT, WITH_SCHEDULE, "optimizer, scheduler = optimizer", id="with its schedule"),
    pytest.param("", "loader, **merged(config, epochs=3, optimizer=optimizer)", BUILT, "pass", id="beside others"),
]


@pytest.mark.parametrize(("maker", "given", "built", "taken"), FORMS)
def test_the_objects_are_handed_on(maker: str, given: str, built: str, taken: str) -> None:
    told = {"maker": maker, "given": given, "built": built, "taken": taken}
    assert_marked(PROGRAM.format(**told, clear="pass", mark="  # expect: LL102"))
    assert_marked(PROGRAM.format(**told, clear="optimizer.zero_grad()", mark=""))


HANDED_ON_AS_ANOTHER = [
    pytest.param(
        "def replaced(first, optimizer):\n    return {'optimizer': Clearing(optimizer), **first}", "replaced", id="under its name"
    ),
    pytest.param("def replaced(first, optimizer):\n    return dict(first, optimizer=Clearing(optimizer))", "replaced", id="by dict()"),
]
CLEARING = """
class Clearing:
    def __init__(self, optimizer):
        self.optimizer = optimizer

    def step(self):
        self.optimizer.step()
        self.optimizer.zero_grad()
"""


@pytest.mark.parametrize(("maker", "name"), HANDED_ON_AS_ANOTHER)
def test_what_is_known_to_stand_under_the_name_stays(maker: str, name: str) -> None:
    given = f"loader, 3, **{name}(config, optimizer=optimizer)"
    assert_marked(PROGRAM.format(maker=CLEARING + maker, given=given, built=BUILT, taken="pass", clear="pass", mark=""))


@pytest.mark.parametrize("given", ["loader, 3, **merged(config, optimizer='adam')", "loader, 3, **merged(config, optimiser=optimizer)"])
def test_others_are_not_known(given: str) -> None:
    assert_marked(PROGRAM.format(maker="", given=given, built=BUILT, taken="pass", clear="pass", mark=""))
