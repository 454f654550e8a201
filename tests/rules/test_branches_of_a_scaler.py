"""LL601 and LL604 in the branch that a scaler is switched on for, whatever the flag is made of, and in branches in it."""

from __future__ import annotations

import pytest

from tests.programs import assert_marked

PROGRAM = """
import torch
from torch import nn


def train(args, loader, device):
    net = nn.Linear(3, 3).cuda()
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    use_amp = {flag}
    scaler = torch.amp.GradScaler("cuda", enabled={enabled})
    for x, y in loader:
        opt.zero_grad()
        if {test}:
            with torch.autocast("cuda", dtype=torch.float16):
                loss = nn.functional.mse_loss(net(x), y)
            scaler.scale(loss).backward()
            {clip}
            {step}
            scaler.update()
        else:
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            if args.clip > 0:
                torch.nn.utils.clip_grad_norm_(net.parameters(), args.clip)
            opt.step()
"""
MADE = 'bool(args.amp) and device == "cuda"'
UNSCALED = "scaler.unscale_(opt); torch.nn.utils.clip_grad_norm_(net.parameters(), args.clip)"
CLIPPED = "torch.nn.utils.clip_grad_norm_(net.parameters(), args.clip)"
IF = "if args.clip > 0:\n                {}{}"


@pytest.mark.parametrize(
    ("flag", "enabled", "test"), [(MADE, "use_amp", "use_amp"), ("args.amp", "use_amp", "use_amp"), ("0", "args.amp", "args.amp")]
)
@pytest.mark.parametrize(
    ("clip", "step"),
    [
        (IF.format(CLIPPED, "  # expect: LL601"), "scaler.step(opt)"),
        (CLIPPED + "  # expect: LL601", "scaler.step(opt)"),
        (IF.format(UNSCALED, ""), "opt.step()  # expect: LL604"),
        (IF.format(UNSCALED, ""), "scaler.step(opt)"),
    ],
)
def test_in_the_branch_of_the_scaler(flag: str, enabled: str, test: str, clip: str, step: str) -> None:
    assert_marked(PROGRAM.format(flag=flag, enabled=enabled, test=test, clip=clip, step=step))
