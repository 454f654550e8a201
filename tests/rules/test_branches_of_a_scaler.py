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


CHECKED = """
import torch
from torch import nn


def run(net, loader, opt, device, limit, scaler=None):
    for x, y in loader:
        opt.zero_grad()
        loss = nn.functional.mse_loss(net(x), y)
        if {test}:
            scaler.scale(loss).backward()
            if limit is not None:
                {clip}
            scaler.step(opt)
            scaler.update()
        else:
            loss.backward()
            opt.step()


def main(args, loader):
    device = torch.device(args.device)
    if device.type == "cuda" and not torch.cuda.is_available():
        raise RuntimeError("no GPU")
    net = nn.Linear(3, 3).to(device)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cuda", enabled=args.amp and device.type == "cuda")
    for _ in range(args.epochs):
        run(net, loader, opt, device, args.limit, scaler)
"""


@pytest.mark.parametrize("test", ["scaler is not None and scaler.is_enabled()", "scaler.is_enabled()", "scaler and scaler.is_enabled()"])
def test_in_the_branch_of_a_scaler_that_says_it_is_on(test: str) -> None:
    clip = "torch.nn.utils.clip_grad_norm_(net.parameters(), limit)"
    assert_marked(CHECKED.format(test=test, clip=f"{clip}  # expect: LL601"))
    assert_marked(CHECKED.format(test=test, clip=f"scaler.unscale_(opt); {clip}"))


def test_another_one_says_nothing_of_it() -> None:
    clip = "torch.nn.utils.clip_grad_norm_(net.parameters(), limit)"
    assert_marked(CHECKED.format(test='device.type == "cpu" and profiler.is_enabled()', clip=clip))


AT_ONCE = """
import torch
from torch import nn


def main(args, loader):
    device = torch.device(args.device)
    {checked}
    net = nn.Linear(3, 3).to(device)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cuda", enabled=device.type == "cuda")
    for x, y in loader:
        opt.zero_grad()
        scaler.scale(nn.functional.mse_loss(net(x), y)).backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0){mark}
        scaler.step(opt)
        scaler.update()
"""


@pytest.mark.parametrize(
    ("checked", "mark"),
    [
        ('if device.type == "cuda" and not torch.cuda.is_available():\n        raise RuntimeError("no GPU")', "  # expect: LL601"),
        ('assert not (device.type == "cuda" and args.slow)', "  # expect: LL601"),
        ('if device.type == "cuda":\n        raise RuntimeError("no GPU")', ""),
        ('if device.type == "cuda" or args.fast:\n        raise RuntimeError("no GPU")', ""),
    ],
)
def test_an_error_before_the_scaler_is_built(checked: str, mark: str) -> None:
    assert_marked(AT_ONCE.format(checked=checked, mark=mark))
