"""A deep copy of a model that has its own optimizer has an optimizer of its own, which updates the copy."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
import copy

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 3)
        self.criterion = nn.MSELoss()
        self.optimizer = torch.optim.Adam({held}.parameters(), lr=0.1)
        self.scheduler = torch.optim.lr_scheduler.StepLR(self.optimizer, 1)

    def forward(self, x):
        return self.body(x)

def train(models, loader):
    for i, (x, y) in enumerate(loader):
        model = {taken}
        {before}
        model.criterion(model(x), y).backward(){mark}
        model.optimizer.step()
        model.scheduler.step()

def main(loader):
    net = Net()
    models = []
    for _ in range(10):
        models.append(copy.deepcopy(net))
    train({given}, torch.utils.data.DataLoader(data, shuffle=True))

main(data)
"""
HELD = ("self", "self.body")
TAKEN = {"one of a list": ("models[i % len(models)]", "models"), "one": ("models", "copy.deepcopy(net)")}


def _program(held: str, taken: tuple[str, str], before: str, mark: str = "") -> str:
    made = PROGRAM.replace("{held}", held).replace("{taken}", taken[0]).replace("{given}", taken[1])
    return made.replace("{before}", before).replace("{mark}", mark)


@pytest.mark.parametrize("taken", TAKEN.values(), ids=TAKEN)
@pytest.mark.parametrize("held", HELD)
def test_what_is_right_is_not_reported(held: str, taken: tuple[str, str]) -> None:
    assert_marked(_program(held, taken, "model.optimizer.zero_grad()"))


@pytest.mark.parametrize("taken", TAKEN.values(), ids=TAKEN)
@pytest.mark.parametrize("held", HELD)
def test_gradients_that_nothing_clears(held: str, taken: tuple[str, str]) -> None:
    assert_marked(_program(held, taken, "pass", "  # expect: LL102"))
