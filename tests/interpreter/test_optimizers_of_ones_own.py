"""A method that loops with an optimizer of its own trains, whatever it leaves on the object: what sets the object up is followed before it."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
import copy

class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layer = nn.Linear(8, width)
        self.drop = nn.Dropout(0.5)

    def masked(self, x):
        return self.drop(self.layer(x)){marked}

class Updater:
    def __init__(self, optimizer):
        self.optimizer = optimizer

    def update(self, loss):
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

class Study:
    def __init__(self, path):
        self.path = path

    def explain(self, loader, held_out):
        self.mask = copy.deepcopy(self.best)
        {built}
        for epoch in range(9):
            for x, y in loader:
                {updated}
            self.mask.eval()
            with torch.no_grad():
                print(sum(nn.functional.mse_loss(self.mask.masked(x), y).item() for x, y in held_out))

    def initialize(self, width=8):
        self.model = Net(width)
        self.best = self.model

    def load(self):
        self.initialize(16)
        self.model.load_state_dict(torch.load(self.path, map_location="cpu"))
        self.best = self.model

    def show(self):
        print(self.mask, self.best, self.updater)
"""
BUILT = "optimizer = torch.optim.Adam(self.mask.parameters()); updater = Updater(optimizer)"
UPDATED = "updater.update(nn.functional.mse_loss(self.mask.masked(x), y))"
IN_EVAL_MODE = "  # expect: LL301"
SET_UP = """
class Study:
    def __init__(self, path):
        self.path = path
        self.optimizers = {{}}

    def fit(self, loader, held_out):
        for epoch in range(9):
            for x, y in loader:
                self.net.zero_grad()
                loss = nn.functional.mse_loss(self.net(x), y){marked}
                loss.backward()
                self.optimizers["net"].step()
            self.net.eval()
            with torch.no_grad():
                print(sum(nn.functional.mse_loss(self.net(x), y).item() for x, y in held_out))

    def build(self):
        self.net = nn.Sequential(nn.Linear(8, 8), nn.Dropout())
        for name in ("net", "other"):
            optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)
            {kept}
"""


def _program(*, built: str = BUILT, updated: str = UPDATED, marked: str = IN_EVAL_MODE) -> str:
    return PROGRAM.format(built=built, updated=updated, marked=marked)


PROGRAMS = {
    "it trains with an optimizer of its own": _program(),
    "one of two is its own": _program(built=f"self.updater = torch.optim.SGD([torch.zeros(1)], lr=0.1); {BUILT}"),
    "the mode is set in each epoch": _program(updated=f"self.mask.train(); {UPDATED}", marked=""),
    "an entry of the object's holds it": SET_UP.format(kept="self.optimizers[name] = optimizer", marked=IN_EVAL_MODE),
    "it is put into what the object holds": SET_UP.format(kept="self.optimizers.update({name: optimizer})", marked=IN_EVAL_MODE),
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_what_trains_comes_behind_what_sets_up(program: str) -> None:
    assert_marked(program)
