"""A clip of a norm does not move where each process has a part of the gradients: torch's own clips by the norm of that part."""

from __future__ import annotations

import pytest

import looplint

TEXT = """\
import torch
from torch import nn, optim
from torch.nn.utils import clip_grad_norm_
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP, fully_shard


class Trainer:
    def __init__(self, net, loader, accelerator):
        self.net, self.loader, self.accelerator = {wrapped}, loader, accelerator
        self.opt = optim.Adam(self.net.parameters())

    def fit(self):
        for x, y in self.loader:
            loss = nn.functional.mse_loss(self.net(x), y)
            {clip}
            loss.backward()
            self.opt.step()
            self.opt.zero_grad()


Trainer(nn.Linear(2, 1), read(), take()).fit()
"""
CLIP = "clip_grad_norm_(self.net.parameters(), 1.0)"


def _finding(wrapped: str, clip: str) -> looplint.Finding:
    (found,) = looplint.lint(TEXT.format(wrapped=wrapped, clip=clip), isolated=True, select=["LL103"])
    return found


@pytest.mark.parametrize("clip", [CLIP, f"torch.nn.utils.{CLIP}", f"nn.utils.{CLIP}"])
@pytest.mark.parametrize("wrapped", ["FSDP(net)", "FSDP(net, device_id=0).to('cuda')", "torch.compile(FSDP(net))"])
def test_it_stays_where_it_clips_by_the_norm_of_a_part(wrapped: str, clip: str) -> None:
    finding = _finding(wrapped, clip)
    assert finding.fix is None
    assert "the model's own clip_grad_norm_()" in finding.unrepaired


@pytest.mark.parametrize(
    ("wrapped", "clip"),
    [
        pytest.param("net", CLIP, id="in one process"),
        pytest.param("nn.parallel.DistributedDataParallel(net)", CLIP, id="in each process whole"),
        pytest.param("FSDP(net)", "nn.utils.clip_grad_value_(self.net.parameters(), 1.0)", id="one by one"),
    ],
)
def test_it_moves(wrapped: str, clip: str) -> None:
    finding = _finding(wrapped, clip)
    assert finding.fix is not None
    assert finding.fix.message == "Move the clip to just before the step of self.opt"
