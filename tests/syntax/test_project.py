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


@pytest.mark.parametrize("mark", ["requirements.txt", "setup.py", "pyproject.toml"])
def test_an_example_with_requirements_of_its_own_finds_the_package_it_is_an_example_of(tmp_path: Path, mark: str) -> None:
    main = tmp_path / "examples" / "image" / "train.py"
    for folder in (tmp_path / "acme", main.parent, tmp_path / ".git"):
        folder.mkdir(parents=True)
    (main.parent / mark).touch()
    (tmp_path / "acme" / "training.py").write_text(PACKAGE)
    main.write_text(SCRIPT)
    assert {(Path(f.filename).name, f.code) for f in looplint.lint([main], isolated=True)} == {("training.py", "LL102")}


def test_nothing_is_imported_from_outside_a_repository(tmp_path: Path) -> None:
    main = tmp_path / "mine" / "train.py"
    for folder in (tmp_path / "acme", tmp_path / "mine" / ".git"):
        folder.mkdir(parents=True)
    (tmp_path / "setup.py").touch()
    (tmp_path / "acme" / "training.py").write_text(PACKAGE)
    main.write_text(SCRIPT)
    assert looplint.lint([main], isolated=True) == []


def test_a_package_imports_its_own_parts_and_only_what_is_asked_for_is_read(tmp_path: Path) -> None:
    """`from . import losses` in a package's `__init__`, beside a hundred modules of which the script needs none."""
    package = tmp_path / "acme"
    (package / "losses").mkdir(parents=True)
    names = [f"part_{number}" for number in range(250)]
    (package / "__init__.py").write_text("".join(f"from .{name} import {name}\n" for name in names) + "from . import (\n    losses,\n)\n")
    for name in names:
        (package / f"{name}.py").write_text(f"def {name}():\n    pass\n")
    (package / "losses" / "__init__.py").write_text("from .squared import Squared\n")
    (package / "losses" / "squared.py").write_text(
        "import torch\nclass Squared(torch.nn.Module):\n    def forward(self, out, y):\n        return (out - y).pow(2).mean()\n"
    )
    main = tmp_path / "train.py"
    main.write_text(
        "import torch\nimport acme\nmodel = torch.nn.Linear(4, 1)\ncriterion = acme.losses.Squared()\n"
        "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\nfor x, y in torch.utils.data.DataLoader(data):\n"
        "    optimizer.zero_grad()\n    loss = criterion(model(x), y)\n    optimizer.step()\n"
    )
    assert [(f.code, f.location.row) for f in looplint.lint([main], isolated=True)] == [("LL107", 9)]


@pytest.mark.parametrize(
    ("imports", "fit"),
    [
        ("from acme import training", "training.fit"),
        ("from acme import training as t", "t.fit"),
        ("import acme.training", "acme.training.fit"),
        ("import acme.parts.loops", "acme.parts.loops.fit"),
        ("from acme.parts import loops", "loops.fit"),
        ("from acme.parts.loops import fit", "fit"),
        ("from acme import parts", "parts.loops.fit"),
    ],
)
def test_a_package_needs_no_init_file(tmp_path: Path, imports: str, fit: str) -> None:
    (tmp_path / "acme" / "parts").mkdir(parents=True)
    (tmp_path / "acme" / "training.py").write_text(PACKAGE)
    (tmp_path / "acme" / "parts" / "loops.py").write_text(f"from .. import training\n{PACKAGE}")
    main = tmp_path / "train.py"
    main.write_text(SCRIPT.replace("from acme.training import fit", imports).replace("\nfit(", f"\n{fit}("))
    assert {f.code for f in looplint.lint([main], isolated=True)} == {"LL102"}


@pytest.mark.parametrize(
    ("imports", "fit"), [("from acme import parts", "parts.loops.fit"), ("from acme import parts as p", "p.loops.fit")]
)
@pytest.mark.parametrize("init", [True, False])
def test_a_folder_that_holds_nothing_but_packages_is_one(tmp_path: Path, imports: str, fit: str, init: bool) -> None:
    (tmp_path / "acme" / "parts").mkdir(parents=True)
    (tmp_path / "acme" / "parts" / "loops.py").write_text(PACKAGE)
    if init:
        (tmp_path / "acme" / "parts" / "__init__.py").write_text("from . import loops\n")
    main = tmp_path / "train.py"
    main.write_text(SCRIPT.replace("from acme.training import fit", imports).replace("\nfit(", f"\n{fit}("))
    assert {f.code for f in looplint.lint([main], isolated=True)} == {"LL102"}


def test_an_installed_package_comes_before_a_folder_of_its_name(tmp_path: Path) -> None:
    (tmp_path / "bitsandbytes").mkdir()
    (tmp_path / "bitsandbytes" / "notes.py").touch()
    main = tmp_path / "train.py"
    main.write_text(
        "import torch\nimport bitsandbytes\nmodel = torch.nn.Linear(4, 1)\n"
        "optimizer = bitsandbytes.optim.Adam8bit(model.parameters())\nfor x, y in torch.utils.data.DataLoader(data):\n"
        "    loss = (model(x) - y).pow(2).mean()\n    loss.backward()\n    optimizer.step()\n"
    )
    assert {f.code for f in looplint.lint([main], isolated=True)} == {"LL102"}


def test_a_table_of_data_that_others_import_is_out_of_sight(tmp_path: Path) -> None:
    package = tmp_path / "acme"
    package.mkdir()
    (package / "__init__.py").touch()
    script = tmp_path / "train.py"
    script.write_text(SCRIPT.replace("acme.training", "acme.large"), encoding="utf-8")
    rows = "table = [\n" + "    [1, -1, 1, -1],\n" * 20_000 + "]\n"
    found = []
    for table in (rows, rows * 2):
        (package / "large.py").write_text(table + PACKAGE, encoding="utf-8")
        found.append([f.code for f in looplint.lint([script], isolated=True)])
    assert found == [["LL102"], []]
