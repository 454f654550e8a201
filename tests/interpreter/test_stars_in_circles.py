"""Star imports may lead in a circle: a package brings in its modules, and they bring in the package."""

from __future__ import annotations

from pathlib import Path

import pytest

import looplint

SCRIPT = """\
import torch
from torch import nn, optim
{imports}

model = {model}
optimizer = optim.SGD(model.parameters(), lr=0.1)
for x, y in torch.utils.data.DataLoader(data, batch_size=24, shuffle=True):
    {clear}
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
"""
NET = """\
import torch
from torch import nn
{star}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 2)

    def forward(self, x):
        return self.layer(F.relu(x))
"""
PACKAGE = {"nets/__init__.py": "from .blur import *\nfrom .net import *\n", "nets/net.py": NET.format(star="from nets import *")}
CIRCLES = [
    pytest.param("import nets", "nets.Net()", {**PACKAGE, "nets/blur.py": "from nets import *\n"}, id="modules and their package"),
    pytest.param("from nets import *", "Net()", {**PACKAGE, "nets/blur.py": "from . import *\n"}, id="by a star of its own"),
    pytest.param(
        "from one import *", "Net()", {"one.py": "from two import *\n", "two.py": NET.format(star="from one import *")}, id="two modules"
    ),
    pytest.param(
        "import one",
        "one.Net()",
        {"one.py": "from two import *\n", "two.py": "from three import *\n", "three.py": NET.format(star="from one import *")},
        id="three modules",
    ),
    pytest.param(
        "import nets", "nets.__dict__[arch]()", {**PACKAGE, "nets/blur.py": "from nets import *\n"}, id="a member of unknown name"
    ),
    pytest.param("from script import *", "nn.Linear(8, 2)", {}, id="the script itself"),
]


def linted(folder: Path, imports: str, model: str, files: dict[str, str], clear: str) -> list[str]:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    script = folder / "script.py"
    script.write_text(SCRIPT.format(imports=imports, model=model, clear=clear))
    return [f.code for f in looplint.lint([script], isolated=True) if f.severity != "advice"]


@pytest.mark.parametrize(("imports", "model", "files"), CIRCLES)
def test_circle_ends(tmp_path: Path, imports: str, model: str, files: dict[str, str]) -> None:
    assert linted(tmp_path, imports, model, files, "pass") == ["LL102"]


@pytest.mark.parametrize(("imports", "model", "files"), CIRCLES)
def test_correct_script_is_quiet(tmp_path: Path, imports: str, model: str, files: dict[str, str]) -> None:
    assert linted(tmp_path, imports, model, files, "optimizer.zero_grad()") == []


def test_many_modules_that_bring_in_each_other(tmp_path: Path) -> None:
    # A name is asked of each module once: along every path it would be asked ten million times.
    names = [f"part{number}" for number in range(10)]
    files = {f"{name}.py": "".join(f"from {other} import *\n" for other in names if other != name) for name in names}
    assert linted(tmp_path, "from part0 import *", "nn.Linear(8, 2)", files, "pass") == ["LL102"]
