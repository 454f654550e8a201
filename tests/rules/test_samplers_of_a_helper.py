"""LL903: a sampler that a helper in another file builds is told the epoch by each program that trains with it, or not; the report says which it is of."""

from __future__ import annotations

from pathlib import Path

import looplint

HELPER = """\
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler


def loader_of(dataset):
    sampler = DistributedSampler(dataset)
    return DataLoader(dataset, sampler=sampler)
"""
PROGRAM = """\
import torch
from torch import nn
from helper import loader_of

net = nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
loader = loader_of(dataset)
for epoch in range(9):
    TOLD
    for x, y in loader:
        opt.zero_grad()
        nn.functional.mse_loss(net(x), y).backward()
        opt.step()
"""


def found(folder: Path, told: str) -> list[tuple[int, list[str]]]:
    (folder / "helper.py").write_text(HELPER)
    path = folder / "train.py"
    path.write_text(PROGRAM.replace("TOLD", told))
    return [
        (f.location.row, [f"{Path(r.filename).name}:{r.location.row}" for r in f.related])
        for f in looplint.lint(path, isolated=True)
        if f.code == "LL903"
    ]


def test_the_program_that_tells_it_nothing_is_named(tmp_path: Path) -> None:
    assert found(tmp_path, "print(epoch)") == [(6, ["train.py:12", "train.py:7"])]


def test_the_program_that_tells_it_the_epoch_is_left_alone(tmp_path: Path) -> None:
    assert found(tmp_path, "loader.sampler.set_epoch(epoch)") == []
