"""`train()` goes where no validation passes by: a function that both call has it under its flag, and a validation that sets no mode keeps what it has."""

from __future__ import annotations

from pathlib import Path

import pytest

from repaired_text import HEAD, fixed

LATER = """\
class Trainer:
    def __init__(self):
        self.model = model

    def fit(self):
        for epoch in range(3):
            for x, y in loader:
                self.iterate(x, y, training=True)
            self.validate()

    def validate(self):
        self.model.eval()
        for x, y in loader:
            print(self.iterate(x, y, training=False))

    def iterate(self, x, y, training):
        x = x.float()
        if training:
            opt.zero_grad()
            loss = nn.functional.mse_loss(self.model(x), y)
            loss.backward()
            opt.step()
        else:
            with torch.no_grad():
                loss = nn.functional.mse_loss(self.model(x), y)
        return loss.item()


Trainer().fit()
"""
UNSET = (  # the validation sets no mode itself: it has the one that the test leaves
    LATER.replace("self.validate()", "self.validate()\n            self.test()")
    .replace("        self.model.eval()\n", "")
    .replace(
        "    def iterate(",
        """\
    def test(self):
        self.model.eval()
        with torch.no_grad():
            for x, y in loader:
                print(nn.functional.mse_loss(self.model(x), y).item())

    def iterate(""",
    )
)
BY_OPTIMIZER = """\
def run(net, optimizer=None):
    if optimizer is None:
        net.eval()
    for x, y in loader:
        with torch.set_grad_enabled(optimizer is not None):
            loss = nn.functional.mse_loss(net(x), y)
        if optimizer is not None:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(loss.item())


for epoch in range(3):
    run(model, opt)
    run(model)
"""
TESTED_AFTERWARDS = """\
def evaluate(net):
    net.eval()
    with torch.no_grad():
        for x, y in loader:
            print(nn.functional.mse_loss(net(x), y).item())


for epoch in range(3):
    for step, (x, y) in enumerate(loader):
        opt.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        opt.step()
        if step % 100 == 99:
            evaluate(model)
with torch.no_grad():
    for x, y in loader:
        print(nn.functional.mse_loss(model(x), y).item())
"""
IN_A_FUNCTION = """\
def train_epoch(net):
    for x, y in loader:
        opt.zero_grad()
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        opt.step()


def evaluate(net):
    net.eval()
    with torch.no_grad():
        for x, y in loader:
            print(nn.functional.mse_loss(net(x), y).item())


for epoch in range(3):
    train_epoch(model)
    evaluate(model)
evaluate(model)
"""


@pytest.mark.parametrize(
    ("program", "before", "added"),
    [
        (LATER, "            opt.zero_grad()\n", "            self.model.train()\n"),
        (BY_OPTIMIZER, "    if optimizer is None:\n", "    net.train()\n"),
        (IN_A_FUNCTION, "    for x, y in loader:\n        opt.zero_grad()\n", "    net.train()\n"),
        (
            TESTED_AFTERWARDS.replace("with torch.no_grad():\n    for", "model.eval()\nwith torch.no_grad():\n    for"),
            "        opt.zero_grad()\n",
            "        model.train()\n",
        ),
    ],
)
def test_train_goes_where_only_the_training_passes_by(tmp_path: Path, program: str, before: str, added: str) -> None:
    repaired = fixed(tmp_path / "loop.py", (HEAD + program).encode()).decode()
    assert repaired == HEAD + program.replace(before, added + before, 1)


@pytest.mark.parametrize("program", [UNSET, TESTED_AFTERWARDS])
def test_what_a_later_validation_would_find_is_not_changed(tmp_path: Path, program: str) -> None:
    assert fixed(tmp_path / "loop.py", (HEAD + program).encode()).decode() == HEAD + program
