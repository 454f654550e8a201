"""Loops with the vocabulary of frameworks: correct ones are silent, and what is left to the user is judged."""

from __future__ import annotations

import pytest

import looplint
from places import DATA

LOOPS = {p.stem: p.read_text(encoding="utf-8") for p in (DATA / "frameworks").glob("*.py")}
MANUAL = LOOPS["lightning_manual"]


def reported(text: str) -> list[tuple[str, str]]:
    """The codes and the lines they stand on."""
    lines = text.splitlines()
    return [(f.code, lines[f.location.row - 1].strip()) for f in looplint.lint(text)]


@pytest.mark.parametrize("name", sorted(LOOPS))
def test_correct_loops_are_silent(name: str) -> None:
    assert reported(LOOPS[name]) == []


ACCELERATED = """
from accelerate import Accelerator
from torch import nn, optim
accelerator = Accelerator()
model = nn.Linear(3, 1)
optimizer = optim.Adam(model.parameters())
PREPARE
model.to(accelerator.device)
for x, y in loader:
    optimizer.zero_grad()
    accelerator.backward(nn.functional.mse_loss(model(x), y))
    optimizer.step()
"""


@pytest.mark.parametrize(
    ("prepare", "codes"),
    [
        ("model, optimizer, loader = accelerator.prepare(model, optimizer, loader)", []),
        ("optimizer, loader = accelerator.prepare(optimizer, loader)", ["LL501"]),
    ],
)
def test_what_an_accelerator_prepares_is_on_its_device(prepare: str, codes: list[str]) -> None:
    assert [code for code, _ in reported(ACCELERATED.replace("PREPARE", prepare))] == codes


@pytest.mark.parametrize(
    ("name", "right", "wrong", "expected"),
    [
        ("accelerate_loop", "                optimizer.zero_grad()\n", "", [("LL102", "accelerator.backward(loss)")]),
        ("accelerate_loop", "loss.detach().float()", "loss", [("LL402", "total_loss += loss")]),
        ("accelerate_loop", "        model.train()\n", "", [("LL301", "outputs = model(**batch)")]),
        ("fabric_loop", "            optimizer.zero_grad()\n", "", [("LL102", "fabric.backward(loss)")]),
        ("fabric_loop", "        model.eval()\n", "", [("LL302", 'fabric.log("accuracy", (model(x).argmax(1) == y).float().mean())')]),
        (
            "fabric_loop",
            "            fabric.backward(loss)\n            fabric.clip_gradients(model, optimizer, max_norm=1.0)\n",
            "            fabric.clip_gradients(model, optimizer, max_norm=1.0)\n            fabric.backward(loss)\n",
            [("LL103", "fabric.clip_gradients(model, optimizer, max_norm=1.0)")],
        ),
        ("deepspeed_engine", "        engine.step()\n", "", [("LL106", "engine.backward(loss)")]),
        ("deepspeed_engine", "loss.item()", "loss", [("LL402", "total += loss")]),
        ("lightning_automatic", "loss.detach()", "loss", [("LL401", "self.losses.append(loss)")]),
        ("lightning_automatic", "self.seen += len(x)", "self.seen += loss", [("LL402", "self.seen += loss")]),
        ("lightning_automatic", '"lr_scheduler"', '"scheduler"', [("LL205", "scheduler = optim.lr_scheduler.StepLR(optimizer, 10)")]),
        (
            "lightning_automatic",
            "F.cross_entropy(logits, y)",
            "F.cross_entropy(logits.softmax(1), y)",
            [("LL701", "loss = F.cross_entropy(logits.softmax(1), y)")],
        ),
        ("transformers_trainer", '"loss": loss.detach()', '"loss": loss', [("LL401", "self.stored[key].append(value)")]),
        ("transformers_trainer", "self.seen.append(loss.detach())", "self.seen.append(loss)", [("LL401", "self.seen.append(loss)")]),
        ("transformers_trainer", "            self.optimizer.zero_grad()\n", "", [("LL102", "self.accelerator.backward(loss)")]),
        ("transformers_trainer", "margin.detach().mean()", "margin.cpu().mean()", [("LL401", "self.stored[key].append(value)")]),
    ],
)
def test_what_a_framework_leaves_to_the_loop_is_judged(name: str, right: str, wrong: str, expected: list[tuple[str, str]]) -> None:
    assert right in LOOPS[name]
    assert reported(LOOPS[name].replace(right, wrong)) == expected


@pytest.mark.parametrize(
    ("right", "wrong", "expected"),
    [
        ("        g_opt.zero_grad()\n", "", [("LL102", "self.manual_backward(errG)")]),
        (
            "        g_opt.zero_grad()\n        self.manual_backward(errG)\n",
            "        self.manual_backward(errG)\n        g_opt.zero_grad()\n",
            [("LL101", "g_opt.zero_grad()")],
        ),
        (
            "loss = nn.functional.cross_entropy(self(x), y) / 4",
            "loss = nn.functional.cross_entropy(self(x), y)",
            [("LL108", "self.manual_backward(loss)")],
        ),
        (
            "            sch.step()\n        return loss\n",
            "        return loss\n\n    def on_train_epoch_end(self):\n        self.lr_schedulers().step()\n",
            [("LL202", "self.lr_schedulers().step()")],
        ),
        (
            '        self.manual_backward(errD)\n        self.clip_gradients(d_opt, gradient_clip_val=1.0, gradient_clip_algorithm="norm")\n',
            '        self.clip_gradients(d_opt, gradient_clip_val=1.0, gradient_clip_algorithm="norm")\n        self.manual_backward(errD)\n',
            [("LL103", 'self.clip_gradients(d_opt, gradient_clip_val=1.0, gradient_clip_algorithm="norm")')],
        ),
    ],
)
def test_what_manual_optimization_leaves_to_the_user_is_judged(right: str, wrong: str, expected: list[tuple[str, str]]) -> None:
    assert right in MANUAL
    assert reported(MANUAL.replace(right, wrong)) == expected


def test_what_the_framework_does_is_not_asked_of_the_user() -> None:
    automatic = """
import lightning as L
import torch
from torch import nn


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.Linear(8, 2))

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters(), lr=1e-3)
        return {"optimizer": optimizer, "lr_scheduler": torch.optim.lr_scheduler.StepLR(optimizer, 10)}

    def training_step(self, batch, batch_idx):
        x, y = batch
        return nn.functional.cross_entropy(self.net(x), y)

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("loss", nn.functional.cross_entropy(self.net(x), y))


L.Trainer(max_epochs=3).fit(Net())
"""
    assert reported(automatic) == []


@pytest.mark.parametrize(
    "returned",
    [
        "[optimizer], [scheduler]",
        '[optimizer], [{"scheduler": scheduler, "interval": "step"}]',
        '{"optimizer": optimizer, "lr_scheduler": {"scheduler": scheduler, "monitor": "loss"}}',
        "dict(optimizer=optimizer, lr_scheduler=scheduler)",
        '{"optimizer": optimizer, "lr_scheduler": scheduler, **other}',
    ],
)
def test_what_lightning_is_given_it_steps(returned: str) -> None:
    text = LOOPS["lightning_automatic"]
    assert reported(text.replace('{"optimizer": optimizer, "lr_scheduler": scheduler}', returned)) == []
