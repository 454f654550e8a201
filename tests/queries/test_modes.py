"""Whether the modes of a model differ: a layer that is one of several, or may be none, tells it only where each of them does."""

from __future__ import annotations

import pytest

import looplint

MEASURED = """\
import sys

import torch
from torch import nn

def select_norm(name, size):
    if name == "layer":
        return nn.LayerNorm(size)
    elif name == "instance":
        return nn.InstanceNorm1d(size)
    return nn.BatchNorm1d(size)

class Net(nn.Module):
    def __init__(self, norm=None, size=8):
        super().__init__()
        self.body = nn.Linear(size, size)
        self.norm = NORM

    def forward(self, x):
        return self.norm(self.body(x)) if self.norm is not None else self.body(x)

def test(loader, name):
    net = Net(name)
    net.load_state_dict(torch.load("net.pt", map_location="cpu", weights_only=True))
    with torch.no_grad():
        for x, y in loader:
            print(nn.functional.mse_loss(net(x), y).item())

test(held_out, sys.argv[1])
"""


def _codes(norm: str) -> list[str]:
    return [f.code for f in looplint.lint(MEASURED.replace("NORM", norm))]


@pytest.mark.parametrize(
    "norm",
    [
        "select_norm(norm, size)",
        "nn.BatchNorm1d(size) if norm else None",
        "nn.BatchNorm1d(size) if norm == 'batch' else nn.LayerNorm(size)",
        "nn.Sequential(nn.ReLU(), select_norm(norm, size))",
    ],
)
def test_a_layer_that_may_be_another_tells_nothing(norm: str) -> None:
    assert _codes(norm) == []


@pytest.mark.parametrize(
    "norm",
    [
        "nn.BatchNorm1d(size)",
        "nn.BatchNorm1d(size) if norm == 'batch' else nn.Dropout(0.3)",
        "nn.BatchNorm1d(size) if norm == 'batch' else nn.Sequential(nn.LayerNorm(size), nn.Dropout(0.3))",
        "nn.Sequential(nn.ReLU(), nn.BatchNorm1d(size))",
    ],
)
def test_a_layer_of_which_each_form_has_modes_does(norm: str) -> None:
    assert _codes(norm) == ["LL302"]


VALIDATED = """\
import torch
from torch import nn, optim

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.3))
        self.head = nn.Linear(8, 1)

    def forward(self, x):
        return self.head(self.encoder(x))

    def compute_loss(self, x, y):
        return nn.functional.mse_loss(self.head(self.encoder(x)), y)

    def encode(self, x):
        return self.encoder(x)

def fit(loader, valid):
    net = Net()
    opt = optim.SGD(net.parameters(), lr=0.1)
    START
    for epoch in range(9):
        TRAIN
        for x, y in loader:
            opt.zero_grad()
            loss = LOSS
            loss.backward()
            opt.step()
        if epoch % 3:
            continue
        net.eval()
        with torch.no_grad():
            for x, y in valid:
                print((VALIDATION - y).abs().mean().item())

fit(batches, held_out)
"""
WHOLE = "nn.functional.mse_loss(net(x), y)"


def _found(loss: str, validation: str, *, start: str = "pass", train: str = "pass") -> set[str]:
    code = VALIDATED.replace("LOSS", loss).replace("VALIDATION", validation).replace("START", start).replace("TRAIN", train)
    return {f.code for f in looplint.lint(code)}


@pytest.mark.parametrize("loss", [WHOLE, "net.compute_loss(x, y)"])
@pytest.mark.parametrize("validation", ["net(x)", "net.encode(x)", "net.encoder(x)"])
def test_a_validation_of_the_whole_or_of_a_part_leaves_eval_mode_on(loss: str, validation: str) -> None:
    assert _found(loss, validation, start="net.train()") == {"LL304"}
    assert _found(loss, validation, train="net.train()") == set()


def test_a_part_alone_is_put_in_train_mode_for_a_reason() -> None:
    assert _found(WHOLE, "net(x)", train="net.head.train()") == set()
    assert _found(WHOLE, "net(x)", train="net.encoder.train()") == set()


SAVED = """\
import torch
from torch import nn, optim

def fit(net: nn.Module, loader, every):
    net.drop = nn.Dropout(0.5)
    opt = optim.SGD(net.parameters(), lr=0.1)
    net.train()
    for step, (x, y) in enumerate(loader):
        opt.zero_grad()
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        opt.step()
BODY
"""


@pytest.mark.parametrize(
    ("body", "codes"),
    [
        ("        if step % every == 0:\\n            net.eval()\\n            torch.save(net.state_dict(), 'net.pt')", {"LL304"}),
        (
            "        if step % every == 0 and is_main():\\n            net.eval()\\n            if every > 5:\\n                state = {'net': net.state_dict(), 'opt': opt.state_dict()}\\n                torch.save(state, 'net.pt')",
            {"LL304"},
        ),
        (
            "        if step % every == 0:\\n            net.eval()\\n            torch.save(net.state_dict(), 'net.pt')\\n            net.train()",
            set(),
        ),
        # Frozen from some step on, and saved now and then.
        (
            "        if step > every:\\n            net.eval()\\n        torch.save({'net': net.state_dict(), 'opt': opt.state_dict()}, 'net.pt')",
            set(),
        ),
        # What is saved is another model.
        ("        if step % every == 0:\\n            net.eval()\\n            torch.save(other.state_dict(), 'net.pt')", set()),
        (
            "        if step == every:\\n            net.eval()\\n            torch.save(net.state_dict(), 'net.pt')\\n            break",
            set(),
        ),
    ],
)
def test_a_checkpoint_is_a_reason_for_eval_mode(body: str, codes: set[str]) -> None:
    found = {f.code for f in looplint.lint(SAVED.replace("BODY", body.replace("\\n", "\n")).replace("(net:", "(other: nn.Module, net:"))}
    assert found & {"LL301", "LL304"} == codes
