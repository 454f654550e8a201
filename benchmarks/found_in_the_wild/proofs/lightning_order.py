"""A training loader with neither `shuffle` nor a sampler: every epoch takes the same batches, in the order of the files."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

import torch
from torch.utils.data import TensorDataset

from benchmarks.found_in_the_wild.loading import load

REPO = "Lightning-AI/pytorch-lightning"
COMMIT = "7f0c3436cd3f6ad3753125672024fc415cbcb414"
PATH = "examples/fabric/image_classifier/train_torch.py"
FOUND = {70: "LL901"}

EPOCHS, IMAGES, BATCH = 3, 640, 64


def measure(checkout: Path) -> dict[str, Any]:
    script = load(checkout / "examples/fabric/image_classifier", "train_torch", without=["torchvision"])
    images = torch.arange(IMAGES, dtype=torch.float32).view(-1, 1, 1, 1).expand(-1, 1, 28, 28) / IMAGES
    script.T.Compose = script.T.ToTensor = script.T.Normalize = lambda *_: None
    script.MNIST = lambda *_, train, **__: TensorDataset(
        images[: IMAGES if train else BATCH], torch.zeros(IMAGES if train else BATCH).long()
    )
    trained: list[tuple[float, ...]] = []
    forward = script.Net.forward

    def keep(net: Any, x: torch.Tensor) -> torch.Tensor:
        if net.training:
            trained.append(tuple(x[:, 0, 0, 0].tolist()))
        return forward(net, x)

    script.Net.forward = keep
    script.run(Namespace(seed=1, batch_size=BATCH, epochs=EPOCHS, lr=1.0, gamma=0.7, log_interval=10, dry_run=False, save_model=False))
    return {
        "epochs": EPOCHS,
        "batches_of_an_epoch": IMAGES // BATCH,
        "different_batches_in_all_epochs": len({tuple(sorted(batch)) for batch in trained}),
        "order_is_that_of_the_dataset": trained[: IMAGES // BATCH] == [tuple(x) for x in images[:, 0, 0, 0].view(-1, BATCH).tolist()],
    }
