"""A pass over the test data with the model in train mode: the loss that is printed is one with dropout."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import torch

from benchmarks.found_in_the_wild.loading import load

REPO = "pytorch/examples"
COMMIT = "77f55b912142e11fcfdf5b530231fb9c52f181e8"
PATH = "distributed/minGPT-ddp/mingpt/trainer.py"
FOUND = {101: "LL302"}

EPOCHS = 100


def measure(checkout: Path) -> dict[str, Any]:
    folder = checkout / "distributed/minGPT-ddp/mingpt"
    trainer = load(folder, "trainer", without=["boto3", "fsspec"])
    model = load(folder, "model")
    torch.manual_seed(0)
    config = model.GPTConfig(model_type=None, n_layer=2, n_head=2, n_embd=64, vocab_size=16, block_size=32)  # dropout 0.1, as it comes
    gpt = model.GPT(config)
    one = trainer.Trainer.__new__(trainer.Trainer)  # its own __init__ wants an accelerator
    one.config = trainer.TrainerConfig(grad_norm_clip=1.0, use_amp=False, max_epochs=EPOCHS)
    one.device_type, one.model, one.optimizer = "cpu", gpt, model.create_optimizer(gpt, model.OptimizerConfig(learning_rate=3e-3))
    one.local_rank, one.global_rank, one.epochs_run, one.save_every = "cpu", 0, 0, EPOCHS + 1
    rows = (torch.arange(33) * torch.arange(1, 17)[:, None]) % 16  # sequences that can be learned
    data = [(rows[:, :-1].contiguous(), rows[:, 1:].contiguous())]
    one.train_loader, one.test_loader = _Loader(data), data
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        one.train()
    printed = [float(x) for x in re.findall(r"Eval Loss ([\d.]+)", output.getvalue())][-1]
    in_train_mode = gpt.training
    gpt.eval()
    return {
        "model_in_train_mode_after_test_pass": in_train_mode,
        "eval_loss_printed": printed,
        "eval_loss_in_eval_mode": one._run_batch(*data[0], train=False),
    }


class _Loader(list[Any]):
    class sampler:
        @staticmethod
        def set_epoch(epoch: int) -> None: ...
