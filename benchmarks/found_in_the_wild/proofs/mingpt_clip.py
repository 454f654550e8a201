"""Gradients of a scaled loss are clipped with no `unscale_`: the clip takes the loss scale for a gradient."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import torch

from benchmarks.found_in_the_wild.loading import load

REPO = "pytorch/examples"
COMMIT = "77f55b912142e11fcfdf5b530231fb9c52f181e8"
PATH = "distributed/minGPT-ddp/mingpt/trainer.py"
FOUND = {107: "LL601"}

STEPS = 20


def measure(checkout: Path) -> dict[str, Any]:
    folder = checkout / "distributed/minGPT-ddp/mingpt"
    trainer = load(folder, "trainer", without=["boto3", "fsspec"])
    model = load(folder, "model")
    torch.manual_seed(0)
    gpt = model.GPT(
        model.GPTConfig(
            model_type=None, n_layer=2, n_head=2, n_embd=64, vocab_size=65, block_size=32, embd_pdrop=0, resid_pdrop=0, attn_pdrop=0
        )
    )
    tokens = torch.randint(0, 65, (8, 33))
    measured: dict[str, Any] = {}
    for name, amp in (("with_amp", True), ("without_amp", False)):
        one = trainer.Trainer.__new__(trainer.Trainer)  # its own __init__ wants an accelerator
        one.config = trainer.TrainerConfig(grad_norm_clip=1.0, use_amp=amp)
        one.device_type, one.model = "cpu", copy.deepcopy(gpt)
        one.optimizer = model.create_optimizer(one.model, model.OptimizerConfig())
        one.scaler = torch.amp.GradScaler("cpu")
        norms: list[float] = []
        one.optimizer.register_step_pre_hook(lambda optimizer, *_, norms=norms: norms.append(_norm(optimizer)))
        losses = [one._run_batch(tokens[:, :-1].contiguous(), tokens[:, 1:].contiguous()) for _ in range(STEPS)]
        measured[f"gradient_norm_at_step_{name}"] = max(norms)
        measured[f"loss_after_{STEPS}_steps_{name}"] = losses[-1]
        measured["first_loss"] = losses[0]
    return measured


def _norm(optimizer: torch.optim.Optimizer) -> float:
    grads = [p.grad for group in optimizer.param_groups for p in group["params"] if p.grad is not None]
    return float(torch.nn.utils.get_total_norm(grads))
