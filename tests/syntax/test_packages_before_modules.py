"""A package comes before a module of its name: `seg.py`, which starts what lies in `seg/`, is not what its files import."""

from __future__ import annotations

from pathlib import Path

import pytest

import looplint

SCRIPT = "from seg.training import main\n\nif __name__ == '__main__':\n    main()\n"
TRAINING = """\
import torch
from torch import nn, optim
from torch.utils.data import DataLoader
{imported}


def main(train, valid):
    net = nn.Sequential(nn.Linear(4, 4), nn.Dropout(), nn.Linear(4, 2))
    opt = optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(10):
        net.train()
        for x, y in DataLoader(train, shuffle=True):
            opt.zero_grad()
            nn.functional.cross_entropy(net(x), y).backward()
            opt.step()
        {validated}
"""
VALIDATION = """\
import torch
from torch.utils.data import DataLoader


def validate(net, data):
    hits = 0
    with torch.no_grad():
        for x, y in DataLoader(data):
            hits += (net(x).argmax(1) == y).sum().item()
    print(hits)
"""
FORMS = {
    "a name of the package": ("from seg import validation", "validation.validate(net, valid)"),
    "the module itself": ("import seg.validation", "seg.validation.validate(net, valid)"),
    "a name of the module": ("from seg.validation import validate", "validate(net, valid)"),
    "what the package gives": ("from seg import validate", "validate(net, valid)"),
    "beside the file": ("from . import validation", "validation.validate(net, valid)"),
}


@pytest.mark.parametrize(("imported", "validated"), FORMS.values(), ids=FORMS)
def test_a_package_is_what_is_imported(imported: str, validated: str, tmp_path: Path) -> None:
    assert _reported(tmp_path, imported, validated) == ["LL302"]


def test_a_package_within_a_package_too(tmp_path: Path) -> None:
    inner = tmp_path / "seg" / "validation"
    inner.mkdir(parents=True)
    (inner / "__init__.py").write_text(VALIDATION)
    (tmp_path / "seg" / "validation.py").write_text("def validate(net, data):\n    net.eval()\n")
    assert _reported(tmp_path, "from seg.validation import validate", "validate(net, valid)", own=False) == ["LL302"]


def test_a_folder_that_is_no_package_comes_after_a_module(tmp_path: Path) -> None:
    (tmp_path / "checks").mkdir()
    (tmp_path / "checks" / "other.py").write_text("")
    (tmp_path / "checks.py").write_text(VALIDATION)
    assert _reported(tmp_path, "from checks import validate", "validate(net, valid)") == ["LL302"]


def test_the_correct_program_is_silent(tmp_path: Path) -> None:
    assert _reported(tmp_path, "from seg import validation", "net.eval(); validation.validate(net, valid)") == []


def _reported(root: Path, imported: str, validated: str, *, own: bool = True) -> list[str]:
    package = root / "seg"
    package.mkdir(exist_ok=True)
    (root / "requirements.txt").write_text("torch\n")
    (root / "seg.py").write_text(SCRIPT)
    (package / "__init__.py").write_text("from seg.validation import validate\n")
    if own:
        (package / "validation.py").write_text(VALIDATION)
    (package / "training.py").write_text(TRAINING.format(imported=imported, validated=validated))
    found = looplint.lint([package / "training.py"], isolated=True, select=["LL302"])
    return [f.code for f in found]
