"""What a project only restores from checkpoints, and has nothing to train with, runs none of its hooks: a mistake in them is advice."""

from __future__ import annotations

from pathlib import Path

import pytest

import looplint

MODULES = """
import pytorch_lightning as pl
import torch
from torch import nn


class Normal(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.net = nn.Linear(3, 1)

    def configure_optimizers(self):
        return torch.optim.Adam(self.net.parameters(), lr=1e-3)

    def training_step(self, batch, batch_idx):
        opt = self.optimizers()
        loss = nn.functional.mse_loss(self.net(batch[0]), batch[1])
        self.manual_backward(loss)
        opt.zero_grad()
        opt.step()
"""
RESTORED = "from modules import Normal\n\nnet = Normal.load_from_checkpoint('normal.ckpt')\nnet.eval()\n"
FUNCTION = "from modules import Normal\n\n\ndef main(path):\n    return Normal.load_from_checkpoint(path).eval()\n\n\nmain('a.ckpt')\n"
UNUSED = {
    "by the program": {"main": RESTORED},
    "by a function": {"main": FUNCTION},
    "with an old call of super": {"main": RESTORED, "modules": MODULES.replace("super()", "super(Normal, self)")},
    "in two files": {"main": RESTORED, "demo": FUNCTION},
    "with another thing of its name": {"main": RESTORED, "results__md": "| Normal(L2) | 0.04 |\n"},
    "with a trainer of its own that nothing uses": {
        "main": RESTORED,
        "training": "import pytorch_lightning as pl\n\n\nclass Own(pl.Trainer):\n    pass\n\n\ndef rate():\n    return 1\n\n\nprint(rate())\n",
    },
}
USED = {
    "a trainer": {"main": RESTORED + "import pytorch_lightning as pl\npl.Trainer().fit(net)\n"},
    "an object built by itself": {"main": RESTORED, "other": "from modules import Normal\n\nnet = Normal()\nrun(net)\n"},
    "a class that is handed on": {"main": RESTORED, "other": "from modules import Normal\n\nrun(Normal)\n"},
    "settings": {"main": RESTORED, "run__yaml": "trainer:\n  _target_: pytorch_lightning.Trainer\n"},
    "a document": {"main": RESTORED, "guide__md": "Train with `Trainer().fit(Normal.load_from_checkpoint(path))`.\n"},
    "a command line": {"main": RESTORED, "cli": "from pytorch_lightning.cli import LightningCLI\n\nLightningCLI()\n"},
    "nothing at all": {"main": "print(1)\n"},
}


def found(folder: Path, texts: dict[str, str]) -> list[tuple[str, bool]]:
    folder.joinpath("README.md").write_text("A project.\n")
    for name, text in {"modules": MODULES, **texts}.items():
        stem, _, suffix = name.partition("__")
        (folder / f"{stem}.{suffix or 'py'}").write_text(text)
    findings = [f for f in looplint.lint([folder], isolated=True) if f.code == "LL101"]
    return [(f.severity, "no code in use trains Normal" in [each.message for each in f.related]) for f in findings]


@pytest.mark.parametrize("texts", UNUSED.values(), ids=UNUSED)
def test_what_is_only_restored_is_not_trained(tmp_path: Path, texts: dict[str, str]) -> None:
    assert found(tmp_path, texts) == [("advice", True)]


@pytest.mark.parametrize("texts", USED.values(), ids=USED)
def test_what_may_be_trained_is(tmp_path: Path, texts: dict[str, str]) -> None:
    assert found(tmp_path, texts) == [("error", False)]
