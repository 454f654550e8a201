"""A wrapper of an optimizer that another branch reads from a file is one of the class that an earlier run has pickled."""

from __future__ import annotations

import pytest

import looplint
from programs import WRAPPER

BUILT_OR_READ = """\
def main(Net, loader, path, adam):
    if path is None:
        model = Net()
        if adam:
            optimizer = Wrapper(torch.optim.Adam(model.parameters()))
        else:
            optimizer = Wrapper(torch.optim.SGD(model.parameters(), lr=0.1))
    else:
        checkpoint = torch.load(path)
        model = checkpoint["model"]
        optimizer = checkpoint["optimizer"]
    train(model, loader, optimizer)

def train(model, loader, optimizer):
    model.train()
    for x in loader:
        loss = model(x).mean()
        STEP
"""
REPLACED = """\
def main(Net, loader, path):
    model = Net()
    optimizer = Wrapper(torch.optim.Adam(model.parameters()))
    if path is not None:
        model, optimizer = torch.load(path)
    model.train()
    for x in loader:
        loss = model(x).mean()
        STEP
"""
OF_A_TRAINER = """\
class Trainer:
    def __init__(self, Net, path):
        if path:
            saved = torch.load(path)
            self.model, self.optimizer = saved["model"], saved["optimizer"]
        else:
            self.model = Net()
            self.optimizer = Wrapper(torch.optim.Adam(self.model.parameters()))

    def train(self, loader):
        optimizer = self.optimizer
        self.model.train()
        for x in loader:
            loss = self.model(x).mean()
            STEP

Trainer(Net, path).train(loader)
"""
TRIED = """\
def main(Net, loader, path):
    try:
        checkpoint = torch.load(path)
        model, optimizer = checkpoint["model"], checkpoint["optimizer"]
    except FileNotFoundError:
        model = Net()
        optimizer = Wrapper(torch.optim.Adam(model.parameters()))
    model.train()
    for x in loader:
        loss = model(x).mean()
        STEP
"""


@pytest.mark.parametrize("program", [BUILT_OR_READ, REPLACED, OF_A_TRAINER, TRIED])
@pytest.mark.parametrize(
    ("step", "codes"),
    [
        ("optimizer.zero_grad(); loss.backward(); optimizer.step()", []),
        ("loss.backward(); optimizer.zero_grad(); optimizer.step()", ["LL101"]),
        ("loss.backward(); optimizer.step()", ["LL102"]),
        ("optimizer.zero_grad(); optimizer.step(); loss.backward()", ["LL105"]),
    ],
)
def test_one_that_is_built_or_read(program: str, step: str, codes: list[str]) -> None:
    assert [f.code for f in looplint.lint(WRAPPER + program.replace("STEP", step)) if f.code.startswith("LL10")] == codes


def test_what_is_read_in_place_of_nothing_is_no_wrapper() -> None:
    program = BUILT_OR_READ.replace("Wrapper(torch.optim.SGD(model.parameters(), lr=0.1))", "make(model)")
    assert not [f for f in looplint.lint(WRAPPER + program.replace("STEP", "loss.backward(); optimizer.step()")) if f.code == "LL102"]
