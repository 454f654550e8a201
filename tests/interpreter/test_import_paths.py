"""Where a program's own modules are found: in a package that imports itself, and in the folders that it adds to the import path."""

from __future__ import annotations

from pathlib import Path

import pytest

import looplint

MAKES = """\
import torch
def build(model):
    return torch.optim.SGD(model.parameters(), lr=0.1)
"""
LOOP = """\
def main(loader):
    model = nn.Linear(3, 1)
    optimizer = {build}(model)
    for x, y in loader:
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
"""
PATHS = {
    "a neighbour that is imported for it": {
        "_init_paths.py": "import os.path as osp\nimport sys\n\ndef add_path(path):\n    sys.path.insert(0, path)\n\nlib_path = osp.join(osp.dirname(__file__), 'lib')\nadd_path(lib_path)\n",
        "train.py": "import _init_paths\nfrom torch import nn\nfrom making import build\n" + LOOP.format(build="build"),
        "lib/making.py": MAKES,
    },
    "the file itself, from the folder above": {
        "tools/train.py": "import os\nimport sys\nsys.path.append(os.path.join(os.path.dirname(__file__), '..', 'lib'))\nfrom torch import nn\nfrom making import build\n"
        + LOOP.format(build="build"),
        "lib/making.py": MAKES,
    },
    "by pathlib": {
        "tools/train.py": "import sys\nfrom pathlib import Path\nsys.path.append(str(Path(__file__).parents[1] / 'third_party' / 'lib'))\nfrom torch import nn\nimport making\n"
        + LOOP.format(build="making.build"),
        "third_party/lib/making.py": MAKES,
    },
    "relative to the project": {
        "setup.py": "",
        "tools/train.py": "import sys\nsys.path.append('lib')\nfrom torch import nn\nimport making\n" + LOOP.format(build="making.build"),
        "lib/making.py": MAKES,
    },
    "a package that imports its own parts by its name": {
        "setup.py": "",
        "train.py": "from torch import nn\nimport kit\n" + LOOP.format(build="kit.optim.build"),
        "kit/__init__.py": "from kit import optim\n",
        "kit/optim/__init__.py": "from .making import build\n",
        "kit/optim/making.py": MAKES,
    },
    "a package of the name that the importing module has": {
        "train.py": "from torch import nn\nfrom utils.model import build\n" + LOOP.format(build="build"),
        "utils/model.py": "from model import build\n",
        "model/__init__.py": "from .making import build\n",
        "model/making.py": MAKES,
    },
    "the package of that name, without a file of its own": {
        "train.py": "from torch import nn\nfrom utils.model import build\n" + LOOP.format(build="build"),
        "utils/model.py": "from model.making import build\n",
        "model/making.py": MAKES,
    },
    "the project itself is the package": {
        "Kit/setup.py": "",
        "Kit/__init__.py": "",
        "Kit/train.py": "from torch import nn\nfrom Kit.optim.making import build\n" + LOOP.format(build="build"),
        "Kit/optim/making.py": MAKES,
    },
    "the project itself is the package, in a folder named for its repository": {
        "KIT/setup.py": "",
        "KIT/__init__.py": "",
        "KIT/tools/train.py": "from torch import nn\nfrom kit import making\n" + LOOP.format(build="making.build"),
        "KIT/making.py": MAKES,
    },
    "beside the script, and not beside what it imports": {
        "train.py": "from torch import nn\nfrom utils.tools import build\n" + LOOP.format(build="build"),
        "utils/tools.py": "from making import build\n",
        "utils/making.py": "def build(model):\n    return None\n",
        "making.py": MAKES,
    },
    "beside what the script imports, where nothing else has the name": {
        "train.py": "from torch import nn\nfrom utils.tools import build\n" + LOOP.format(build="build"),
        "utils/tools.py": "from making import build\n",
        "utils/making.py": MAKES,
    },
}


def _write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return next(folder / name for name in files if name.endswith("train.py"))


@pytest.mark.parametrize("name", PATHS)
def test_a_module_of_the_program_is_found(name: str, tmp_path: Path) -> None:
    assert {f.code for f in looplint.lint(_write(tmp_path, PATHS[name]), isolated=True)} == {"LL102"}


def test_a_folder_that_nothing_adds_is_none_of_the_path(tmp_path: Path) -> None:
    files = dict(PATHS["the file itself, from the folder above"])
    files["tools/train.py"] = files["tools/train.py"].replace("sys.path.append", "print")
    assert not looplint.lint(_write(tmp_path, files), isolated=True)


@pytest.mark.parametrize("name", ["other.making", "making"])
def test_what_lies_beside_a_project_is_of_others(name: str, tmp_path: Path) -> None:
    files = {"kit/setup.py": "", "kit/__init__.py": "", "making.py": MAKES, "other/__init__.py": "", "other/making.py": MAKES}
    files["kit/train.py"] = f"from torch import nn\nfrom {name} import build\n" + LOOP.format(build="build")
    assert not looplint.lint(_write(tmp_path, files), isolated=True)


@pytest.mark.parametrize("build", ["making.__dict__['build']", "vars(making)['build']", "getattr(making, 'build')"])
def test_a_member_of_a_module_is_found_by_its_name(build: str, tmp_path: Path) -> None:
    (tmp_path / "making.py").write_text(MAKES, encoding="utf-8")
    train = tmp_path / "train.py"
    train.write_text("from torch import nn\nimport making\n" + LOOP.format(build=build) + "main([])\n", encoding="utf-8")
    assert [f.code for f in looplint.lint(train)] == ["LL102"]
