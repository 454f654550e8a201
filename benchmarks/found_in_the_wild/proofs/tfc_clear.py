"""Gradients are cleared before the loop over the batches: each step of an epoch of pre-training uses the sum of all its batches up to then."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import nn

from benchmarks.found_in_the_wild.loading import load

REPO = "mims-harvard/TFC-pretraining"
COMMIT = "96675826e9ef234a9b01cc63d484c66cb0441bc0"
PATH = "code/TFC/trainer.py"
FOUND = {139: "LL102"}

BATCHES = 20


def measure(checkout: Path) -> dict[str, Any]:
    trainer = load(checkout / "code" / "TFC", "trainer", without=["sklearn"])
    config = load(checkout / "code", "config_files.SleepEEG_Configs").Config()
    torch.manual_seed(0)
    model = trainer.TFC(config)
    for layer in model.modules():  # one batch again and again has one gradient
        if isinstance(layer, nn.Dropout):
            layer.p = 0.0
        if isinstance(layer, nn.MultiheadAttention):
            layer.dropout = 0.0
    optimizer = torch.optim.Adam(model.parameters(), lr=0.0)  # the parameters stay, so that all gradients are of one point
    norms: list[float] = []
    optimizer.register_step_pre_hook(
        lambda *_: norms.append(float(torch.nn.utils.get_total_norm([p.grad for p in model.parameters() if p.grad is not None])))
    )
    shape = (config.batch_size, 1, config.TSlength_aligned)
    batch = (torch.randn(shape), torch.zeros(config.batch_size), *(torch.randn(shape) for _ in range(3)))
    for _ in range(2):
        trainer.model_pretrain(model, optimizer, None, [batch] * BATCHES, config, torch.device("cpu"), "pre_train")
    return {
        "gradient_norm_at_first_step": norms[0],
        "gradient_norm_at_last_step_of_epoch": norms[BATCHES - 1],
        "ratio": norms[BATCHES - 1] / norms[0],
        "gradient_norm_at_first_step_of_next_epoch": norms[BATCHES],
    }
