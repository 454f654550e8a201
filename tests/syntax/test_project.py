"""Where the modules of a project are found."""

from __future__ import annotations

from pathlib import Path

import pytest

import looplint

PACKAGE = """
def fit(model, optimizer, loader):
    for x, y in loader:
        loss = (model(x) - y).pow(2).mean()
        loss.backward()
        optimizer.step()
"""
SCRIPT = """
import torch
from acme.training import fit

model = torch.nn.Linear(4, 1)
model.train()
fit(model, torch.optim.SGD(model.parameters(), lr=0.1), torch.utils.data.DataLoader(data))
"""


@pytest.mark.parametrize(
    ("package", "script"),
    [("acme", "train.py"), ("acme", "examples/image/train.py"), ("src/acme", "examples/image/train.py"), ("src/acme", "train.py")],
)
def test_a_script_finds_the_package_of_its_project(tmp_path: Path, package: str, script: str) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'acme'\n")
    (tmp_path / package).mkdir(parents=True)
    (tmp_path / package / "__init__.py").touch()
    (tmp_path / package / "training.py").write_text(PACKAGE)
    main = tmp_path / script
    main.parent.mkdir(parents=True, exist_ok=True)
    main.write_text(SCRIPT)
    assert {(Path(f.filename).name, f.code) for f in looplint.lint([main], isolated=True)} == {("training.py", "LL102")}
