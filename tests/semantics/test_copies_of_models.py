"""A model that is built of another one and keeps a copy of it has no part of that one: what is done with the copy is not done with the model."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
from copy import deepcopy

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 3), nn.Dropout())

    def forward(self, x):
        return self.body(x)

class Kept(nn.Module):
    def __init__(self, model, decay=0.999):
        super().__init__()
        {keep}
        self.decay = decay

    def forward(self, x):
        return self.module(x)

def unwrap(model):
    return model.module if hasattr(model, "module") else model

def evaluate(model, loader):
    model.eval()
    with torch.no_grad():
        for x, y in loader:
            print(nn.functional.mse_loss(model(x), y).item())

def main(loader, valid):
    model = Net()
    kept = Kept(model)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    model.train()
    for x, y in loader:
        opt.zero_grad()
        nn.functional.mse_loss(model(x), y).backward(){mark}
        opt.step()
        evaluate({evaluated}, valid)

main(torch.utils.data.DataLoader(data, shuffle=True), torch.utils.data.DataLoader(held_out))
"""
COPIES = {
    "a copy": "self.module = deepcopy(model)",
    "another of its class with its weights": "self.module = type(model)()\n        self.module.load_state_dict(model.state_dict())",
    "a copy through a function": "self.module = deepcopy(unwrap(model)).eval()",
}


@pytest.mark.parametrize("keep", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize("evaluated", ["unwrap(kept)", "kept"])
def test_its_mode_is_its_own(keep: str, evaluated: str) -> None:
    assert_marked(PROGRAM.replace("{keep}", keep).replace("{evaluated}", evaluated).replace("{mark}", ""))


@pytest.mark.parametrize("evaluated", ["unwrap(kept)", "kept", "model"])
def test_what_keeps_the_model_itself_switches_it(evaluated: str) -> None:
    marked = PROGRAM.replace("{mark}", "  # expect: LL301")
    assert_marked(marked.replace("{keep}", "self.module = model").replace("{evaluated}", evaluated))
