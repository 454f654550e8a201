"""Runs in several processes: torchrun and accelerate start the harness, and only the first process reports."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_DISTRIBUTED = """
import torch
import torch.distributed as dist
from torch import nn, optim
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

dist.init_process_group("gloo")
data = TensorDataset(torch.randn(128, 4), torch.randint(0, 3, (128,)))
sampler = DistributedSampler(data)
loader = DataLoader(data, batch_size=16, sampler=sampler, num_workers=1)
model = DistributedDataParallel(nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3)))
optimizer = optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    sampler.set_epoch(epoch)
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        nn.utils.clip_grad_norm_(model.parameters(), 0.1)
        loss.backward()
        optimizer.step()
dist.destroy_process_group()
"""
_ACCELERATED = """
import torch
from accelerate import Accelerator
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset

accelerator = Accelerator(cpu=True)
data = TensorDataset(torch.randn(128, 4), torch.randint(0, 3, (128,)))
loader = DataLoader(data, batch_size=16, shuffle=True)
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = optim.SGD(model.parameters(), lr=0.1)
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        accelerator.clip_grad_norm_(model.parameters(), 0.1)
        accelerator.backward(loss)
        optimizer.step()
"""
# Each process steps the parameters that it has a part of the state for, and steps are counted as the script takes them.
_SHARDED = _DISTRIBUTED.replace(
    "import torch.distributed as dist", "import torch.distributed as dist\nfrom torch.distributed.optim import ZeroRedundancyOptimizer"
).replace("optim.SGD(model.parameters(), lr=0.1)", "ZeroRedundancyOptimizer(model.parameters(), optimizer_class=optim.SGD, lr=0.1)")
_TORCHRUN = ["-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2", "--no-python"]
_ACCELERATE = ["-m", "accelerate.commands.launch", "--cpu", "--num_processes", "2", "--no_python"]


def _run(launcher: list[str], script: str, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    (folder / "train.py").write_text(script)
    command = [sys.executable, *launcher, sys.executable, "-m", "looplint", "run", "--steps", "6", *options, "train.py"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=240)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("launcher", "script", "line"),
    [(_TORCHRUN, _DISTRIBUTED, 19), (_TORCHRUN, _SHARDED, 20), (_ACCELERATE, _ACCELERATED, 17)],
    ids=["torchrun", "torchrun with a sharded optimizer", "accelerate launch"],
)
def test_the_first_of_several_processes_reports_what_the_run_confirms(launcher: list[str], script: str, line: int, tmp_path: Path) -> None:
    ran = _run(launcher, script, tmp_path, "--exit-zero")
    assert ran.stdout.count(f"train.py:{line}:") == 1, ran.stdout + ran.stderr
    assert f"train.py:{line}:9: LL103 clip-before-backward: happens" in ran.stdout
    assert "6 of 6 clips here came before the gradients were computed" in ran.stdout
    assert "6 optimizer steps: stopped after 6 steps, as asked" in ran.stdout
    # To the launcher the job has not failed.
    assert ran.returncode == 0 and "Error" not in ran.stderr, ran.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("launcher", "script"), [(_TORCHRUN, _DISTRIBUTED), (_ACCELERATE, _ACCELERATED)], ids=["torchrun", "accelerate launch"]
)
def test_a_launcher_hands_the_exit_code_of_a_finding_on(launcher: list[str], script: str, tmp_path: Path) -> None:
    assert _run(launcher, script, tmp_path).returncode == 1
