"""Gradients are cleared once an epoch: each step of the epoch uses the sum of all its batches up to then."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import nn

from benchmarks.found_in_the_wild.loading import load

REPO = "mjun0812/PyTorch-Project-Template"
COMMIT = "7c7f05ccc745a4e7e50ef448eaa2d6e00a5b76b3"
PATH = "src/runner/base_trainer.py"
FOUND = {304: "LL102"}

BATCHES = 50


def measure(checkout: Path) -> dict[str, Any]:
    runner = load(checkout, "src.runner.base_trainer", without=PACKAGES)
    one = runner.BaseTrainer.__new__(runner.BaseTrainer)
    torch.manual_seed(0)
    one.model = _Regression()
    one.optimizer = torch.optim.SGD(one.model.parameters(), lr=0.0)  # the parameters stay, so that all gradients are of one point
    one.scaler = torch.amp.GradScaler("cpu", enabled=False)
    one.params = runner.TrainerParams(epochs=1, output_dir=Path(), use_clip_grad=False)
    one.device, one.samplers, one.evaluators = torch.device("cpu"), {"train": None}, {"train": None}
    one.batched_transforms, one.iter_lr_scheduler, one.epoch_lr_scheduler = {"train": None}, None, None
    x = torch.randn(8, 4)
    one.dataloaders = {"train": [{"x": x, "y": x.sum(1, keepdim=True)}] * BATCHES}
    norms: list[float] = []
    one.optimizer.register_step_pre_hook(
        lambda *_: norms.append(float(torch.nn.utils.get_total_norm([p.grad for p in one.model.parameters()])))
    )
    state = runner.TrainingState("train", 1, 0, 0.0, None)
    for _ in range(2):
        one._before_epoch(state)
        one._do_one_epoch(state)
    return {
        "gradient_norm_at_first_step": norms[0],
        "gradient_norm_at_last_step_of_epoch": norms[BATCHES - 1],
        "ratio": norms[BATCHES - 1] / norms[0],
        "gradient_norm_at_first_step_of_next_epoch": norms[BATCHES],
    }


class _Regression(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def forward(self, batch: dict[str, torch.Tensor]) -> dict[str, Any]:
        return {"losses": {"total_loss": nn.functional.mse_loss(self.layer(batch["x"]), batch["y"])}, "preds": None}


PACKAGES = [
    "loguru",
    "torchmetrics",
    "omegaconf",
    "dacite",
    "mlflow",
    "torchvision",
    "wandb",
    "matplotlib",
    "cv2",
    "dotenv",
    "PIL",
    "git",
    "tabulate",
    "torchinfo",
    "timm",
    "schedulefree",
    "psutil",
    "requests",
]
