"""A model by a name that nothing binds is never run, where all that may bind it is in sight; in a fragment, somebody else has it."""

from __future__ import annotations

from pathlib import Path

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn
{imports}


def main(loader):
    classifier.eval()
    for x, y in loader:
        print(nn.functional.cross_entropy(classifier(x), y).item())


main(batches())
"""
BOUND = {
    "by a star out of sight": "from library import *",
    "by code in another file": "exec(open('net.py').read())",
    "by a table": "globals().update(models())",
}


def _found(folder: Path, imports: str) -> list[str]:
    path = folder / "look.py"
    path.write_text(PROGRAM.format(imports=imports))
    return [f.code for f in looplint.lint(path, isolated=True) if f.code == "LL303"]


@pytest.mark.parametrize("imports", ["", "import os.path", "from parts import *", "from folder.missing import *"])
def test_nothing_binds_it(tmp_path: Path, imports: str) -> None:
    (tmp_path / "parts.py").write_text("from torch import optim\n\nRATE = 0.1\n")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "there.py").write_text("")
    assert _found(tmp_path, imports) == []


@pytest.mark.parametrize("imports", BOUND.values(), ids=BOUND)
def test_somebody_else_may_bind_it(tmp_path: Path, imports: str) -> None:
    assert _found(tmp_path, imports) == ["LL303"]


def test_a_fragment() -> None:
    assert [f.code for f in looplint.lint(PROGRAM.format(imports=""), isolated=True) if f.code == "LL303"] == ["LL303"]
