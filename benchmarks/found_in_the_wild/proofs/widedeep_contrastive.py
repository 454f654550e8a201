"""A validation step calls `eval()` and nothing calls `train()` again: from the second epoch on nothing is corrupted, and both views are one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.found_in_the_wild.loading import load
from benchmarks.found_in_the_wild.proofs.widedeep_pretraining import PACKAGES

REPO = "jrzaurin/pytorch-widedeep"
COMMIT = "268dad9c228d3e6c598d677a023979707524a313"
PATH = "pytorch_widedeep/self_supervised_training/contrastive_denoising_trainer.py"
FOUND = {184: "LL901", 264: "LL304"}

EPOCHS, ROWS, BATCH = 3, 128, 32


def measure(checkout: Path) -> dict[str, Any]:
    trainers = load(checkout, "pytorch_widedeep.self_supervised_training.contrastive_denoising_trainer", without=PACKAGES)
    models = load(checkout, "pytorch_widedeep.models.tabular.transformers.tab_transformer")
    model = load(checkout, "pytorch_widedeep.models.tabular.self_supervised.contrastive_denoising_model")
    load(checkout, "pytorch_widedeep.models.tabular.transformers._attention_layers").einops.rearrange = _rearrange
    torch.manual_seed(0)
    names = [f"c{i}" for i in range(4)]
    columns = {name: i for i, name in enumerate(names)}
    encoder = models.TabTransformer(
        column_idx=columns,
        continuous_cols=names,
        embed_continuous=True,
        embed_continuous_method="standard",
        input_dim=8,
        n_heads=2,
        n_blocks=1,
    )
    trainer = trainers.ContrastiveDenoisingTrainer(encoder, preprocessor=None, verbose=0, device="cpu", num_workers=0)
    corrupted: list[bool] = []
    cut_mix, step = model.cut_mix, trainer._train_step

    def keep(x: torch.Tensor) -> torch.Tensor:
        corrupted[-1] = True
        return cut_mix(x)

    def train_step(rows: torch.Tensor, number: int) -> float:
        corrupted.append(False)
        return float(step(rows, number))

    model.cut_mix, trainer._train_step = keep, train_step
    rows = np.random.default_rng(0).normal(size=(ROWS, len(names))).astype(np.float32)
    trainer.pretrain(rows, X_tab_val=rows[:BATCH], n_epochs=EPOCHS, batch_size=BATCH)
    each = ROWS // BATCH
    return {
        "batches_of_an_epoch": each,
        **{f"corrupted_batches_in_epoch_{i + 1}": sum(corrupted[i * each : (i + 1) * each]) for i in range(EPOCHS)},
    }


def _rearrange(x: torch.Tensor, pattern: str, **sizes: int) -> torch.Tensor:
    """The patterns of `einops.rearrange` that are used here."""
    if pattern == "b m (h d) -> b h m d":
        return x.unflatten(-1, (sizes["h"], -1)).transpose(1, 2)
    if pattern == "b h s d -> b s (h d)":
        return x.transpose(1, 2).flatten(2)
    raise NotImplementedError(pattern)
