"""The entries of a dict of munch, addict, box or a class like theirs are its attributes as well: networks that lie in one are applied by their names."""

from __future__ import annotations

import pytest

import looplint

SCRIPT = """\
import torch
from torch import nn, optim
{imported}


def build():
    enc, dec = nn.Linear(4, 2), nn.Linear(2, 4)
    {built}
    return nets


def loss_of(nets, x):
    return nn.functional.mse_loss({applied}, x)


def main(loader, valid):
    nets = build()
    optimizers = {{key: optim.Adam(nets[key].parameters(), lr=0.1) for key in nets}}
    for epoch in range(10):
        _ = [nets[key].train() for key in nets]
        for x, _ in loader:
            for key in nets:
                optimizers[key].zero_grad()
            loss_of(nets, x).backward()
            for key in nets:
                optimizers[key].step()
        _ = [nets[key].eval() for key in nets]
        total = 0.0
        for x, _ in valid:
            {context}
        print(total)
"""
# Classes of the program's own that are such a dict.
SHARED = """\
class Nets(dict):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.__dict__ = self
"""
READ = """\
class Nets(dict):
    def __getattr__(self, name):
        return self[name]

    def __setattr__(self, name, value):
        self[name] = value
"""
TAKEN = "class Nets(dict):\n    __getattr__ = dict.get\n    __setattr__ = dict.__setitem__\n"
FORMS = {
    "by keywords": ("from munch import Munch", "nets = Munch(enc=enc, dec=dec)", "nets.dec(nets.enc(x))"),
    "of a dict": ("import munch", "nets = munch.Munch({'enc': enc, 'dec': dec})", "nets.dec(nets.enc(x))"),
    "of a dict that a function makes": ("from box import Box", "nets = Box(dict(enc=enc, dec=dec))", "nets.dec(nets['enc'](x))"),
    "by attributes": ("import addict", "nets = addict.Dict(); nets.enc = enc; nets.dec = dec", "nets.dec(nets.enc(x))"),
    "by both": ("from munch import Munch", "nets = Munch(enc=enc); nets['dec'] = dec", "nets['dec'](nets.enc(x))"),
    "of easydict": ("from easydict import EasyDict", "nets = EasyDict(enc=enc, dec=dec)", "nets.dec(nets.enc(x))"),
    "of a class that shares its entries": (SHARED, "nets = Nets(enc=enc, dec=dec)", "nets.dec(nets.enc(x))"),
    "of a class that reads its entries": (READ, "nets = Nets({'enc': enc, 'dec': dec})", "nets.dec(nets.enc(x))"),
    "of a class with the methods of dict": (TAKEN, "nets = Nets(enc=enc, dec=dec)", "nets.dec(nets.enc(x))"),
    "updated": ("from munch import Munch", "nets = Munch(enc=enc); nets.update(dec=dec)", "nets.dec(nets.enc(x))"),
}


@pytest.mark.parametrize(("imported", "built", "applied"), FORMS.values(), ids=FORMS)
def test_networks_are_applied_by_name(imported: str, built: str, applied: str) -> None:
    assert _reported(imported, built, applied, "total += loss_of(nets, x).item()") == ["LL303"]


@pytest.mark.parametrize(("imported", "built", "applied"), FORMS.values(), ids=FORMS)
def test_and_the_correct_program_is_silent(imported: str, built: str, applied: str) -> None:
    assert _reported(imported, built, applied, "with torch.no_grad(): total += loss_of(nets, x).item()") == []


def test_a_method_of_the_dict_is_no_entry() -> None:
    text = """\
from munch import Munch
from torch import nn


def main(x):
    nets = Munch(enc=nn.Linear(4, 2))
    for net in nets.values():
        net.train()
    for name, net in nets.items():
        net(x).sum().backward()
"""
    assert [f.code for f in looplint.lint(text, isolated=True, select=["LL107", "LL103"])] == []


SETTINGS = """\
import torch
import yaml
from munch import Munch
from torch import nn


def main(net: nn.Module, loader, path):
    settings = {made}
    {changed}
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for x, y in loader:
        if {asked}:
            opt.zero_grad()
        net(x).sum().backward()
        opt.step()
"""


@pytest.mark.parametrize(("made", "asked"), [("Munch(erase=False)", "settings.erase"), ("dict(erase=False)", "settings['erase']")])
@pytest.mark.parametrize(
    ("changed", "expected"),
    [("pass", ["LL102"]), ("settings.update(yaml.safe_load(path))", []), ("settings.update({'other': True})", ["LL102"])],
)
def test_settings_that_a_file_may_change_are_not_known(made: str, asked: str, changed: str, expected: list[str]) -> None:
    text = SETTINGS.format(made=made, asked=asked, changed=changed)
    assert [f.code for f in looplint.lint(text, isolated=True) if f.severity != "advice"] == expected


def _reported(imported: str, built: str, applied: str, context: str) -> list[str]:
    text = SCRIPT.format(imported=imported, built=built, applied=applied, context=context)
    return [f.code for f in looplint.lint(text, isolated=True) if f.severity != "advice"]
