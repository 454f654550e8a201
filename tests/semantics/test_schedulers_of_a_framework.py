"""`self.lr_schedulers()` of a module that steps by hand gives what `configure_optimizers` returned, on whichever path, for the hooks to step (LL205)."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import lightning as L
import torch
from torch import nn
from torch.optim.lr_scheduler import CosineAnnealingLR, ExponentialLR, LinearLR, ReduceLROnPlateau, SequentialLR


class Net(L.LightningModule):
    def __init__(self, config):
        super().__init__()
        self.automatic_optimization = False
        self.config = config
        self.model = nn.Linear(8, 1)

    def training_step(self, batch, batch_idx):
        x, y = batch
        opt = self.optimizers()
        opt.zero_grad()
        loss = nn.functional.mse_loss(self.model(x), y)
        self.manual_backward(loss)
        opt.step()

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("loss", nn.functional.mse_loss(self.model(x), y))

    def build(self, optimizer):
        if self.config.warmup == 0:
            return CosineAnnealingLR(optimizer, T_max=5)
        first, then = LinearLR(optimizer, total_iters=2), CosineAnnealingLR(optimizer, T_max=5)
        return SequentialLR(optimizer, [first, then], [2])

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters())
"""
OF_TWO_KINDS = """\
        result = {"optimizer": optimizer}
        if self.config.name == "cosine":
            result["lr_scheduler"] = {"scheduler": self.build(optimizer), "interval": "epoch"}
        elif self.config.name == "exponential":
            result["lr_scheduler"] = ExponentialLR(optimizer, gamma=0.95)
        return result
"""
PLATEAU = OF_TWO_KINDS.replace("self.build(optimizer)", "ReduceLROnPlateau(optimizer)")
OF_ANY_FORM = """
    def on_train_epoch_end(self):
        found = self.lr_schedulers()
        if found is not None:
            if isinstance(found, list):
                for scheduler in found:
                    scheduler.step()
            else:
                found.step()
"""
OF_ONE_CLASS = """
    def on_validation_epoch_end(self):
        found = self.lr_schedulers()
        if found is None:
            return
        if isinstance(found, ReduceLROnPlateau):
            metric = self.trainer.callback_metrics.get("loss")
            if metric is not None:
                found.step(metric)
"""
TWO = """\
        first, second = ExponentialLR(optimizer, gamma=0.95), ReduceLROnPlateau(optimizer)
        return [optimizer], [first, second]
"""
EACH = """
    def on_train_epoch_end(self):
        for scheduler in self.lr_schedulers():
            if isinstance(scheduler, ReduceLROnPlateau):
                scheduler.step(self.trainer.callback_metrics["loss"])
            else:
                scheduler.step()
"""
UNPACKED = """
    def on_train_epoch_end(self):
        first, second = self.lr_schedulers()
        first.step()
        second.step(self.trainer.callback_metrics["loss"])
"""
BY_PATH = """\
        if self.config.name == "cosine":
            return [optimizer], [CosineAnnealingLR(optimizer, T_max=5)]
        return {"optimizer": optimizer, "lr_scheduler": ExponentialLR(optimizer, gamma=0.95)}
"""


def never_stepped(program: str) -> list[str]:
    found = [f for f in looplint.lint(program, isolated=True) if f.code == "LL205"]
    return [program.splitlines()[f.location.row - 1].strip() for f in found]


@pytest.mark.parametrize(
    "hooks",
    [
        OF_TWO_KINDS + OF_ANY_FORM,
        OF_TWO_KINDS + "\n    def on_train_epoch_end(self):\n        self.lr_schedulers().step()\n",
        TWO + OF_ANY_FORM,
        TWO + EACH,
        TWO + UNPACKED,
        BY_PATH + OF_ANY_FORM,
    ],
)
def test_what_the_hooks_step_is_stepped(hooks: str) -> None:
    assert never_stepped(PROGRAM + hooks) == []


@pytest.mark.parametrize("configured", [PLATEAU, BY_PATH.replace("CosineAnnealingLR(optimizer, T_max=5)", "ReduceLROnPlateau(optimizer)")])
def test_what_the_hooks_step_of_one_class_is_no_other(configured: str) -> None:
    (line,) = never_stepped(PROGRAM + configured + OF_ONE_CLASS)
    assert "ExponentialLR" in line


def test_what_no_hook_steps_is_never_stepped() -> None:
    assert len(never_stepped(PROGRAM + PLATEAU)) == 2
    assert len(never_stepped(PROGRAM + TWO + UNPACKED.replace("        first.step()\n", ""))) == 1


def test_another_choice_is_not_what_the_rate_follows() -> None:
    (found,) = [f for f in looplint.lint(PROGRAM + PLATEAU + OF_ONE_CLASS, isolated=True) if f.code == "LL205"]
    assert found.severity == "error"
    assert "alone" not in found.message


def test_a_scheduler_without_a_name_is_told_of_in_words() -> None:
    messages = [f.message for f in looplint.lint(PROGRAM + PLATEAU, isolated=True) if f.code == "LL205"]
    assert all("call its step(" in m for m in messages)
    assert any("call its step(metric) each time the metric is measured" in m for m in messages)


BY_HAND = "        self.automatic_optimization = False\n"


@pytest.mark.parametrize(
    "said",
    [
        "        if config.several:\n            self.automatic_optimization = False\n",
        "        self.automatic_optimization = not config.several\n",
        "        if config.several:\n            self.automatic_optimization = False\n        else:\n            self.automatic_optimization = True\n",
        "\n    @property\n    def automatic_optimization(self):\n        return not self.config.several\n\n    def build_model(self, config):\n",
    ],
)
def test_lightning_may_step_where_it_is_told_not_to_under_a_condition(said: str) -> None:
    program = (PROGRAM + PLATEAU).replace(BY_HAND, said)
    assert never_stepped(program) == []


@pytest.mark.parametrize(
    "said",
    [
        "",
        "\n    @property\n    def automatic_optimization(self):\n        return False\n\n    def build_model(self, config):\n",
        "        if config.several:\n            self.automatic_optimization = False\n        self.automatic_optimization = False\n",
    ],
)
def test_lightning_never_steps_where_it_is_told_not_to(said: str) -> None:
    assert len(never_stepped((PROGRAM + PLATEAU).replace(BY_HAND, said))) == 2
    assert (
        len(
            never_stepped(
                (PROGRAM + PLATEAU)
                .replace(BY_HAND, "")
                .replace("    def __init__", "    automatic_optimization = False\n\n    def __init__")
            )
        )
        == 2
    )
