"""A dropout whose rate is an option that is 0 by default is off in the run that everybody makes."""

from __future__ import annotations

import pytest

import looplint

MEASURED = """\
import argparse
import torch
import torch.nn.functional as F
from torch import nn, optim
parser = argparse.ArgumentParser()
parser.add_argument({option})
args = parser.parse_args()
class Net(nn.Module):
    def __init__(self, rate):
        super().__init__()
        self.rate = rate
        self.inner, self.out, self.drop = nn.Linear(4, 4), nn.Linear(4, 1), nn.Dropout(rate)
    def forward(self, x):
        return self.out({dropped})
def measure(net, loader):
    total = 0.0
    with torch.no_grad():
        for x, y in loader:
            total += F.mse_loss(net(x), y).item()
    return total
net = Net(args.{name})
opt = optim.SGD(net.parameters(), lr=0.1)
for epoch in range(3):
    for x, y in train_loader:
        opt.zero_grad()
        F.mse_loss(net(x), y).backward()
        opt.step()
    print(measure(net, val_loader))
"""
LAYER = "self.drop(self.inner(x))"
FUNCTION = "F.dropout(self.inner(x), self.rate)"


@pytest.mark.parametrize(
    ("option", "name", "dropped", "expected"),
    [
        ('"--dropout", type=float, default=0.0', "dropout", LAYER, [("LL302", "advice")]),
        ('"-d", "--drop-rate", type=float, default=0', "drop_rate", LAYER, [("LL302", "advice")]),
        ('"--dropout", type=float, default=0.0', "dropout", FUNCTION, [("LL302", "advice")]),
        ('"--dropout", type=float, default=0.1', "dropout", LAYER, [("LL302", "error")]),
        ('"--dropout", type=float, required=True', "dropout", LAYER, [("LL302", "error")]),
        ('"--dropout", type=float, default=0.1', "dropout", FUNCTION, [("LL302", "error")]),
    ],
)
def test_a_dropout_that_is_off_by_default_does_nothing_in_this_run(
    option: str, name: str, dropped: str, expected: list[tuple[str, str]]
) -> None:
    text = MEASURED.format(option=option, name=name, dropped=dropped)
    assert sorted((f.code, f.severity) for f in looplint.lint(text, isolated=True) if f.code in ("LL302", "LL307")) == expected


SETTINGS = """\
import argparse
import torch
import torch.nn.functional as F
from torch import nn, optim
class Plain:
    def __init__(self, name):
        self.name, self.width = name, 4
        self.pdrop = {rate}
class Entries(dict):
    def __init__(self, name):
        self.name = name
    def __getattr__(self, name):
        return self.get(name)
    def __setattr__(self, name, value):
        self[name] = value
class Off(Entries):
    def __init__(self, name):
        super().__init__(name)
        self.pdrop = {rate}
class Other(Entries):
    def __init__(self, name):
        super().__init__(name)
        self.width, self.pdrop = 5, {rate}
def override(settings, args):
    args = args.__dict__
    for arg in args:
        if args[arg] is not None:
            settings[arg] = args[arg]
    return settings
def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pdrop", type=float)
    parser.add_argument("--name")
    parser.add_argument("--width", type=int)
    args = parser.parse_args()
    {made}
    return settings
class Net(nn.Module):
    def __init__(self, settings):
        super().__init__()
        self.inner, self.out, self.drop = nn.Linear(4, 4), nn.Linear(4, 1), nn.Dropout(settings.pdrop)
    def forward(self, x):
        return self.out(self.drop(self.inner(x)))
def measure(net, loader):
    total = 0.0
    with torch.no_grad():
        for x, y in loader:
            total += F.mse_loss(net(x), y).item()
    return total
net = Net(options())
opt = optim.SGD(net.parameters(), lr=0.1)
for epoch in range(3):
    for x, y in train_loader:
        opt.zero_grad()
        F.mse_loss(net(x), y).backward()
        opt.step()
    print(measure(net, val_loader))
"""
EITHER = "chosen = Off('b') if args.name == 'x' else Other('b')"
BY_DEFAULT = {
    "set by name": "settings = Plain('a')\n    for k, v in vars(args).items():\n        setattr(settings, k, v)",
    "in one go": "settings = Plain('a')\n    settings.__dict__.update(vars(args))",
    "as entries": "settings = override(Off('a'), args)",
    "all entries": "settings = Off('a')\n    settings.update(vars(args))",
    "one entry": "settings = Off('a')\n    settings['pdrop'] = args.pdrop",
    "over others": "settings = Entries('a')\n    settings.update(Off('b'))\n    settings = override(settings, args)",
    "over either": f"settings = Entries('a')\n    {EITHER}\n    settings.update(chosen)\n    settings = override(settings, args)",
}
ALWAYS = {
    "nothing is set": "settings = Off('a')",
    "nothing of options": "settings = Entries('a')\n    settings.update(Off('b'))",
    "other entries": "settings = Off('a')\n    settings['width'] = args.width",
    "entries of a dict": "settings = Off('a')\n    settings.update({'width': 3}, name='b')",
}


def _severities(made: str, rate: str) -> list[str]:
    return [f.severity for f in looplint.lint(SETTINGS.format(made=made, rate=rate), select=["LL302"], isolated=True)]


@pytest.mark.parametrize("made", BY_DEFAULT.values(), ids=BY_DEFAULT)
def test_settings_of_the_project_that_options_override(made: str) -> None:
    assert _severities(made, "0.0") == ["advice"]
    assert _severities(made, "0.1") == ["error"]


@pytest.mark.parametrize("made", ALWAYS.values(), ids=ALWAYS)
def test_settings_of_the_project_that_no_option_overrides(made: str) -> None:
    assert _severities(made, "0.0") == []
    assert _severities(made, "0.1") == ["error"]
