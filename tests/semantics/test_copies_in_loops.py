"""A model that a loop copies anew in each turn is in no hands out of sight: what is done with the copy is all in the text."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
import copy
from unknown import fit

def tune(model, loader):
    {made}
    opt = torch.optim.SGD(twin.parameters(), lr=0.1)
    for x, y in loader:
        loss = nn.functional.mse_loss(twin(x), y)
        {body}
        opt.step(){mark}
        opt.zero_grad()
    return twin

def main(loader, runs):
    model = nn.Linear(3, 1)
    for run in range(runs):
        twin = tune(model, loader)
        twin.eval()
        with torch.no_grad():
            for x, y in loader:
                print(nn.functional.mse_loss(twin(x), y).item())

main(loader, 5)
"""
COPIES = {
    "a deep copy": "twin = copy.deepcopy(model)",
    "a copy that is moved and put in its mode": "twin = copy.deepcopy(model).to(device)\n    twin.train()",
    "a copy whose parameters are set free": "twin = copy.deepcopy(model)\n    twin = twin.requires_grad_(True)",
}


@pytest.mark.parametrize("made", COPIES.values(), ids=COPIES)
def test_a_copy_without_a_backward_is_trained_by_nobody(made: str) -> None:
    assert_marked(PROGRAM.format(made=made, body="print(loss.item())", mark="  # expect: LL107"))


@pytest.mark.parametrize("made", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize("body", ["loss.backward()", "fit(twin, loss)", "fit(loss)"])
def test_a_copy_that_something_may_send_backward_is_left_alone(made: str, body: str) -> None:
    assert_marked(PROGRAM.format(made=made, body=body, mark=""))


def test_a_copy_may_be_in_the_mode_of_its_original() -> None:
    """In which mode it is is not known, and what is not known is not reported."""
    assert_marked("""
import copy

def main(model: nn.Module, loader, valid):
    for run in range(5):
        twin = copy.deepcopy(model)
        opt = torch.optim.SGD(twin.parameters(), lr=0.1)
        for x, y in loader:
            opt.zero_grad()
            nn.functional.mse_loss(twin(x), y).backward()
            opt.step()
        model.eval()
        with torch.no_grad():
            for x, y in valid:
                print(nn.functional.mse_loss(model(x), y).item())
""")
