"""Three examples of parallel training clear no gradients: each step uses the sum of all batches up to then."""

from __future__ import annotations

import os
import runpy
import sys
import tempfile
from pathlib import Path
from typing import Any

import torch
import torch.multiprocessing
from torch.optim.optimizer import register_optimizer_step_pre_hook

REPO = "pytorch/examples"
COMMIT = "77f55b912142e11fcfdf5b530231fb9c52f181e8"
PATH = "distributed/tensor_parallelism/tensor_parallel_example.py"
FOUND = {120: "LL102"}

PROCESSES = 2


def measure(checkout: Path) -> dict[str, Any]:
    """The gradient of the last layer's bias: the loss is the sum of the outputs, so a batch of 20 gives 20 for each of its entries."""
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder, "gradients.pt")
        torch.multiprocessing.spawn(_run, (checkout, str(result)), nprocs=PROCESSES)
        gradients = torch.load(result)
    return {f"bias_gradient_at_step_{i + 1}": gradients[i] for i in (0, 1, len(gradients) - 1)}


def _run(rank: int, checkout: Path, result: str) -> None:
    """One process of the example, with the CPU in the place of an accelerator."""
    os.environ |= {
        "RANK": str(rank),
        "LOCAL_RANK": str(rank),
        "WORLD_SIZE": str(PROCESSES),
        "MASTER_ADDR": "localhost",
        "MASTER_PORT": "29517",
    }
    torch.accelerator.is_available = lambda: True
    torch.accelerator.device_count = lambda: PROCESSES
    torch.accelerator.current_accelerator = lambda *_, **__: torch.device("cpu")
    torch.set_num_threads(1)
    gradients: list[float] = []

    def keep(optimizer: torch.optim.Optimizer, *_: Any) -> None:
        bias = optimizer.param_groups[0]["params"][-1].grad
        gradients.append(float(bias.full_tensor()[0]))

    register_optimizer_step_pre_hook(keep)
    script = checkout / PATH
    sys.path.insert(0, str(script.parent))
    runpy.run_path(str(script), run_name="__main__")
    if not rank:
        torch.save(gradients, result)
