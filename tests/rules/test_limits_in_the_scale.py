"""LL601 and limits that have the scaler's factor themselves: the gradients are clipped as they would be once they are unscaled."""

from __future__ import annotations

import pytest

from tests.programs import assert_marked

PROGRAM = """
import torch
from torch import nn


def clip_gradients(net, limit, scale=1.0):
    torch.nn.utils.clip_grad_norm_(net.parameters(), limit * scale){marked}


def train(args, loader):
    net = nn.Linear(3, 3).cuda()
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cuda")
    for x, y in loader:
        opt.zero_grad()
        with torch.autocast("cuda", dtype=torch.float16):
            loss = nn.functional.mse_loss(net(x), y)
        scaler.scale(loss).backward()
        {clip}
        scaler.step(opt)
        scaler.update()
"""


@pytest.mark.parametrize(
    "clip",
    [
        "torch.nn.utils.clip_grad_norm_(net.parameters(), args.clip * scaler.get_scale())",
        "torch.nn.utils.clip_grad_value_(net.parameters(), clip_value=0.5 * scaler.get_scale())",
        "clip_gradients(net, args.clip, scale=scaler.get_scale())",
        "factor = scaler.get_scale(); torch.nn.utils.clip_grad_norm_(net.parameters(), factor * args.clip)",
        "limit = args.clip; limit *= scaler.get_scale(); torch.nn.utils.clip_grad_norm_(net.parameters(), limit)",
    ],
)
def test_a_limit_times_the_scale(clip: str) -> None:
    assert_marked(PROGRAM.format(clip=clip, marked=""))


def test_a_limit_without_it() -> None:
    marked = "  # expect: LL601"
    assert_marked(PROGRAM.format(clip=f"torch.nn.utils.clip_grad_norm_(net.parameters(), args.clip){marked}", marked=""))
    assert_marked(PROGRAM.format(clip="clip_gradients(net, args.clip)", marked=marked))
