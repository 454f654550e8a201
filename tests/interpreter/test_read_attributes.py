"""What a class computes where an attribute of it is read is no function, which would always hold in a condition."""

from __future__ import annotations

from pathlib import Path

import pytest

import looplint

RUNTIME = """\
import functools


class classproperty:
    def __init__(self, fget):
        self.fget = fget

    def __get__(self, instance, owner):
        return self.fget(owner)


class lazy:
    def __init__(self, fget):
        self.fget = fget

    def __get__(self, instance, owner):
        return self.fget(instance)


def publish(func):
    def wrapper(*args, **kwargs):
        return func(*args, **kwargs)

    return wrapper


def context():
    return getattr(functools, "context", None)


class Site:
    publish = publish

    @{decorator}
    def aborted({first}):
        found = context()
        return found.aborted()


class Other(Site):
    pass


site = Site()
"""
SCRIPT = """\
import torch
from torch import nn
from runtime import Other, Site, classproperty, site


class Trainer:
    def __init__(self, lr=0.1):
        self.lr, self.model = lr, None

    @Site.publish
    def train(self, loader):
        if {test}:
            return None
        if self.model is None:
            self.model = nn.Linear(2, 1)
        optimizer = torch.optim.SGD(self.model.parameters(), lr=self.lr)
        for x, y in loader:
            {clear}
            nn.functional.mse_loss(self.model(x), y).backward()
            optimizer.step()
        return self.model
"""
READ = [
    ("classproperty", "cls", "Site.aborted"),
    ("classproperty", "cls", "Other.aborted"),
    ("classproperty", "cls", "site.aborted"),
    ("lazy", "self", "site.aborted"),
    ("functools.cached_property", "self", "site.aborted"),
    ("util.lazy_property", "self", "site.aborted"),
    ("unknown", "self", "site.aborted"),
    ("classmethod\n    @property", "cls", "Site.aborted"),
]


def codes(folder: Path, decorator: str, first: str, test: str, clear: str) -> list[str]:
    (folder / "runtime.py").write_text(RUNTIME.format(decorator=decorator, first=first))
    script = folder / "script.py"
    script.write_text(SCRIPT.format(test=test, clear=clear))
    return [f.code for f in looplint.lint([script], isolated=True) if f.severity != "advice"]


@pytest.mark.parametrize(("decorator", "first", "test"), READ)
def test_what_stands_after_is_followed(tmp_path: Path, decorator: str, first: str, test: str) -> None:
    assert codes(tmp_path, decorator, first, test, "pass") == ["LL102"]
    assert codes(tmp_path, decorator, first, test, "optimizer.zero_grad()") == []


def test_what_is_read_is_what_the_method_gives() -> None:
    text = """\
import torch
from torch import nn


class classproperty:
    def __init__(self, fget):
        self.fget = fget

    def __get__(self, instance, owner):
        return self.fget(owner)


class Parts:
    made = nn.Linear(2, 1)

    @classproperty
    def net(cls):
        return cls.made


optimizer = torch.optim.SGD(Parts.net.parameters(), lr=0.1)
for x, y in torch.utils.data.DataLoader(data):
    {clear}
    nn.functional.mse_loss(Parts.net(x), y).backward()
    optimizer.step()
"""
    found = [f.code for f in looplint.lint(text.format(clear="pass"), isolated=True) if f.severity != "advice"]
    assert found == ["LL102"]
    assert [f.code for f in looplint.lint(text.format(clear="optimizer.zero_grad()"), isolated=True) if f.severity != "advice"] == []
