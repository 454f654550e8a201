"""A validation step calls `eval()` and nothing calls `train()` again: from the second epoch on nothing is masked. The rows are never shuffled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.found_in_the_wild.loading import load

REPO = "jrzaurin/pytorch-widedeep"
COMMIT = "268dad9c228d3e6c598d677a023979707524a313"
PATH = "pytorch_widedeep/self_supervised_training/encoder_decoder_trainer.py"
FOUND = {136: "LL901", 221: "LL304"}

PACKAGES = [
    "sklearn",
    "pandas",
    "scipy",
    "gensim",
    "spacy",
    "torchvision",
    "einops",
    "transformers",
    "torchmetrics",
    "cv2",
    "imutils",
    "fastparquet",
    "pyarrow",
    "wrapt",
    "sentencepiece",
]
EPOCHS, ROWS, BATCH = 4, 256, 64


def measure(checkout: Path) -> dict[str, Any]:
    trainers = load(checkout, "pytorch_widedeep.self_supervised_training.encoder_decoder_trainer", without=PACKAGES)
    models = load(checkout, "pytorch_widedeep.models.tabular.mlp.tab_mlp")
    load(checkout, "pytorch_widedeep.models.tabular._base_tabular_model").einops.rearrange = lambda x, _: x.flatten(
        1
    )  # all that is used of it here
    torch.manual_seed(0)
    names = [f"c{i}" for i in range(6)]
    encoder = models.TabMlp(
        column_idx={name: i for i, name in enumerate(names)},
        continuous_cols=names,
        embed_continuous_method="standard",
        cont_embed_dim=4,
        mlp_hidden_dims=[16, 8],
        mlp_dropout=0.1,
    )
    trainer = trainers.EncoderDecoderTrainer(encoder, masked_prob=0.2, verbose=0, device="cpu", num_workers=0)
    masked: list[float] = []
    batches: list[tuple[float, ...]] = []
    loss = trainer.loss_fn.forward

    def keep(x_embed: torch.Tensor, x_embed_rec: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        if torch.is_grad_enabled():
            masked.append(mask.float().mean().item())
        return loss(x_embed, x_embed_rec, mask)

    step = trainer._train_step

    def train_step(rows: torch.Tensor, number: int) -> float:
        batches.append(tuple(rows[:, 0].tolist()))
        return float(step(rows, number))

    trainer.loss_fn.forward, trainer._train_step = keep, train_step
    rows = np.random.default_rng(0).normal(size=(ROWS, len(names))).astype(np.float32)
    trainer.pretrain(rows, X_tab_val=rows[:BATCH], n_epochs=EPOCHS, batch_size=BATCH)
    each = ROWS // BATCH
    return {
        **{f"share_in_the_loss_in_epoch_{i + 1}": float(np.mean(masked[i * each : (i + 1) * each])) for i in range(EPOCHS)},
        "epochs": EPOCHS,
        "batches_of_an_epoch": each,
        "different_batches_in_all_epochs": len({tuple(sorted(batch)) for batch in batches}),
    }
