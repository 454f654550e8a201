"""What no run comes to: a mistake in a function that nothing in its project uses is advice, with the place of what is unused."""

from __future__ import annotations

from pathlib import Path

import pytest

import looplint
from command_line import looplint_text

TRAINERS = """
import torch
from torch import nn


class Trainer:
    def __init__(self, net):
        self.net = net
        self.opt = torch.optim.SGD(net.parameters(), lr=0.1)

    def train(self, loader):
        for x, y in loader:
            nn.functional.mse_loss(self.net(x), y).backward()
            self.opt.zero_grad()
            self.opt.step()


class Evaluator:
    def score(self, net, loader):
        return [net(x) for x in loader]
"""
MAIN = """
from trainers import Evaluator

Evaluator().score(net, loader)
"""


def severities(folder: Path, **texts: str) -> dict[str, list[str]]:
    """How much what is found in a project matters, by file, without the advice of other rules."""
    folder.joinpath("README.md").write_text("A project.\n")
    for name, text in texts.items():
        stem, _, suffix = name.partition("__")
        (folder / f"{stem}.{suffix or 'py'}").write_text(text)
    found = looplint.lint([folder], isolated=True)
    return {file: [f.severity for f in found if f.filename.endswith(file) and f.code == "LL101"] for file in ("trainers.py", "main.py")}


def test_what_nothing_uses_is_advice_and_says_so(tmp_path: Path) -> None:
    assert severities(tmp_path, trainers=TRAINERS, main=MAIN)["trainers.py"] == ["advice"]
    [finding] = [f for f in looplint.lint([tmp_path], isolated=True) if f.code == "LL101"]
    assert "no code in use calls Trainer" in [each.message for each in finding.related]
    assert " in code that nothing uses: " in looplint_text("check", ".", "--isolated", cwd=tmp_path).stdout


USED = {
    "a call": {"main": MAIN.replace("import Evaluator", "import Evaluator, Trainer") + "Trainer(net).train(loader)\n"},
    "a module's attribute": {"main": MAIN + "import trainers\nfor_one = lambda net: trainers.Trainer(net).train(loader)\n"},
    "all of a module": {"main": MAIN + "from trainers import *\nTrainer(net).train(loader)\n"},
    "by another name": {"main": MAIN + "from trainers import Trainer as Runner\nRunner(net).train(loader)\n"},
    "in a text": {"main": MAIN + "import trainers\ngetattr(trainers, 'Trainer')(net).train(loader)\n"},
    "settings": {"main": MAIN + "made(settings).train(loader)\n", "run__yaml": "trainer: trainers.Trainer\n"},
    "a document": {"main": MAIN, "guide__md": "Call `Trainer(net).train(loader)`.\n"},
    "through another module": {
        "main": MAIN + "from kinds import Trainer\nTrainer(net).train(loader)\n",
        "kinds": "from trainers import Trainer\n",
    },
    "lookups by made names": {"main": MAIN, "trainers": TRAINERS + "\n\ndef make(name):\n    return globals()[name]\n"},
    "nothing of the file": {"main": "print(1)\n"},
    "a subclass": {"main": MAIN + "from trainers import Trainer\n\n\nclass Mine(Trainer):\n    pass\n\n\nMine(net).train(loader)\n"},
    "what cannot be read": {"main": MAIN, "old": "from trainers import Trainer\nprint Trainer.train\n"},
    "a decorator that keeps it": {
        "main": MAIN + "made(settings).train(loader)\n",
        "trainers": TRAINERS.replace("class Trainer", "@register\nclass Trainer"),
    },
    "a program's own file": {"trainers": TRAINERS.split("class Evaluator")[0]},
}


@pytest.mark.parametrize("texts", USED.values(), ids=USED)
def test_what_may_be_used_stays_an_error(tmp_path: Path, texts: dict[str, str]) -> None:
    found = severities(tmp_path, **{"trainers": TRAINERS, **texts})
    assert [each for file in found.values() for each in file] == ["error"]


UNUSED = {
    "only others that are unused call it": {
        "main": MAIN + "from trainers import Trainer\n\n\ndef old(net):\n    Trainer(net).train(loader)\n"
    },
    "a name of something else": {"main": MAIN + "\n\nclass Trainer:\n    pass\n\n\nTrainer()\n"},
    "imported from elsewhere": {"main": MAIN + "from transformers import Trainer\nTrainer(net).train()\n"},
    "imported, and no more": {"main": MAIN + "from trainers import Trainer\n"},
    "a comment": {"main": MAIN + "# Trainer(net).train(loader)\n"},
    "a method": {
        "main": MAIN + "from trainers import Trainer\nTrainer(net).evaluate()\n",
        "trainers": TRAINERS.replace("def train", "def evaluate(self):\n        pass\n\n    def train_by_hand"),
    },
}


@pytest.mark.parametrize("texts", UNUSED.values(), ids=UNUSED)
def test_what_is_named_and_not_used(tmp_path: Path, texts: dict[str, str]) -> None:
    assert severities(tmp_path, **{"trainers": TRAINERS, **texts})["trainers.py"] == ["advice"]


def test_a_part_of_a_project_tells_nothing_of_the_rest(tmp_path: Path) -> None:
    part = tmp_path / "part"
    part.mkdir()
    severities(tmp_path, trainers=TRAINERS, main=MAIN)
    for name in ("trainers.py", "main.py"):
        (tmp_path / name).rename(part / name)
    assert {f.severity for f in looplint.lint([part], isolated=True) if f.code == "LL101"} == {"error"}
    assert {f.severity for f in looplint.lint([part / "trainers.py"], isolated=True) if f.code == "LL101"} == {"error"}


def test_what_a_package_offers_is_for_others_to_call(tmp_path: Path) -> None:
    package = tmp_path / "package"
    package.mkdir()
    (tmp_path / "setup.py").write_text("from setuptools import setup\nsetup(packages=['package'])\n")
    (package / "__init__.py").write_text("")
    (package / "trainers.py").write_text(TRAINERS)
    (package / "main.py").write_text(MAIN)
    assert {f.severity for f in looplint.lint([tmp_path], isolated=True) if f.code == "LL101"} == {"error"}


def test_the_settings_have_the_last_word(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.looplint.severity]\nLL101 = "warning"\n')
    (tmp_path / "trainers.py").write_text(TRAINERS)
    (tmp_path / "main.py").write_text(MAIN)
    assert {f.severity for f in looplint.lint([tmp_path]) if f.code == "LL101"} == {"warning"}
