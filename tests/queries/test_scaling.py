"""What switches a scaler on also says where it is on: there, a step or a clip of scaled gradients is wrong."""

from __future__ import annotations

import pytest

import looplint

TRAINED = """\
import argparse

import torch
from torch import nn, optim

def train(args, net, loader):
    opt = optim.SGD(net.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cuda"ENABLED)
    for x, y in loader:
        opt.zero_grad()
        with torch.autocast("cuda"ENABLED):
            loss = nn.functional.mse_loss(net(x), y)
        if TEST:
            scaler.scale(loss).backward()
            UNSCALE
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            STEP
            scaler.update()
        else:
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            opt.step()
"""


def _codes(enabled: str, test: str, *, unscale: str = "scaler.unscale_(opt)", step: str = "scaler.step(opt)") -> set[str]:
    code = TRAINED.replace("ENABLED", enabled).replace("TEST", test).replace("UNSCALE", unscale).replace("STEP", step)
    return {f.code for f in looplint.lint(code)}


@pytest.mark.parametrize(
    ("enabled", "test"),
    [
        (", enabled=args.amp", "args.amp"),
        (", enabled=not args.full", "not args.full"),
        (", enabled=args.amp", "args.amp and scaler is not None"),
        (", enabled=args.amp", "args.gpu and (args.amp and not args.probe)"),
        (", enabled=args.amp", "not (args.cpu or not args.amp)"),
    ],
)
def test_where_the_scaler_is_on(enabled: str, test: str) -> None:
    assert _codes(enabled, test) == set()
    assert _codes(enabled, test, step="opt.step()") == {"LL604"}
    assert _codes(enabled, test, unscale="pass") == {"LL601"}


@pytest.mark.parametrize(
    ("enabled", "test"),
    [
        (", enabled=args.amp", "not args.amp"),
        (", enabled=not args.full", "args.full"),
        (", enabled=args.amp", "args.gpu and not args.amp"),
        (", enabled=args.amp", "args.amp or args.gpu"),
    ],
)
def test_where_it_is_off(enabled: str, test: str) -> None:
    assert _codes(enabled, test, step="opt.step()") == set()
    assert _codes(enabled, test, unscale="pass") == set()


THROUGH = """\
import torch
from torch import nn, optim
FUNCTION

def train(net, loader):
    opt = optim.SGD(net.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cuda")
    for x, y in loader:
        opt.zero_grad()
        with torch.autocast("cuda"):
            loss = GIVEN(nn.functional.mse_loss(net(x), y))
        scaler.scale(loss).backward()
        opt.step()
        scaler.update()
"""
OWN = "\nclass Reduce(BASE):\n    @staticmethod\n    def forward(ctx, x):\n        return x\n\n    @staticmethod\n    def backward(ctx, g):\n        return g\n"


@pytest.mark.parametrize("base", ["torch.autograd.Function", "torch.autograd.function.Function"])
@pytest.mark.parametrize(("name", "given"), [("", "Reduce.apply"), ("\nreduce = Reduce.apply\n", "reduce")])
def test_a_function_of_the_program_gives_a_tensor_of_the_graph(base: str, name: str, given: str) -> None:
    code = THROUGH.replace("FUNCTION", OWN.replace("BASE", base) + name).replace("GIVEN", given)
    assert [f.code for f in looplint.lint(code)] == ["LL604"]


TWO = """\
import torch

def train(net_g, net_d, opt_g, opt_d, scaler, loader, criterion):
    for x, y in loader:
        opt_d.zero_grad()
        with torch.autocast("cuda"):
            fake = net_g(x)
            loss_d = criterion(net_d(fake.detach()), torch.zeros_like(y)) + criterion(net_d(y), torch.ones_like(y))
        scaler.scale(loss_d).backward()
        OF_D
        opt_g.zero_grad()
        with torch.autocast("cuda"):
            loss_g = criterion(net_d(fake), torch.ones_like(y))
        scaler.scale(loss_g).backward()
        OF_G
        scaler.update()
"""
CLIP_D, CLIP_G = (f"torch.nn.utils.clip_grad_norm_(net_{each}.parameters(), 1.0)" for each in "dg")


@pytest.mark.parametrize(
    ("of_d", "of_g", "codes"),
    [
        (f"{CLIP_D}; scaler.step(opt_d)", "scaler.step(opt_g)", ["LL601"]),
        (f"{CLIP_D}; scaler.step(opt_d)", f"{CLIP_G}; scaler.step(opt_g)", ["LL601", "LL601"]),
        (f"scaler.unscale_(opt_d); {CLIP_D}; scaler.step(opt_d)", f"scaler.unscale_(opt_g); {CLIP_G}; scaler.step(opt_g)", []),
        # Which of the two a clip belongs to is not told by steps that both come after it.
        ("pass", f"scaler.unscale_(opt_d); {CLIP_D}; scaler.unscale_(opt_g); {CLIP_G}; scaler.step(opt_d); scaler.step(opt_g)", []),
    ],
)
def test_a_clip_belongs_to_the_optimizer_that_steps_after_it(of_d: str, of_g: str, codes: list[str]) -> None:
    found = looplint.lint(TWO.replace("OF_D", of_d).replace("OF_G", of_g))
    assert [f.code for f in found if f.code == "LL601"] == codes


SOMETIMES = """\
import torch
from torch import nn, optim

def train(net, loader, k, asked):
    opt = optim.SGD(net.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cuda")
    opt.zero_grad()
    for i, (parts, y) in enumerate(loader):
        BACKWARD
        UNSCALE
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        scaler.step(opt)
        scaler.update()
        opt.zero_grad()
"""
OF_SOME_PARTS = """\
for part in parts:
            if part in asked:
                scaler.scale(nn.functional.mse_loss(net(part), y)).backward()"""
WHERE_THERE_IS_A_LOSS = """\
loss = nn.functional.mse_loss(net(parts), y)
        if torch.isfinite(loss):
            scaler.scale(loss).backward()"""
UNTIL_ENOUGH = """\
for part in parts:
            loss = nn.functional.mse_loss(net(part), y)
            if loss.item() < 0.1:
                break
            scaler.scale(loss).backward()"""


@pytest.mark.parametrize("backward", [OF_SOME_PARTS, WHERE_THERE_IS_A_LOSS, UNTIL_ENOUGH])
def test_a_clip_of_scaled_gradients_or_of_none(backward: str) -> None:
    def codes(unscale: str, backward: str) -> set[str]:
        return {f.code for f in looplint.lint(SOMETIMES.replace("BACKWARD", backward).replace("UNSCALE", unscale), select=["LL601"])}

    assert codes("pass", backward) == {"LL601"}
    assert codes("scaler.unscale_(opt)", backward) == set()
    assert (
        codes("pass", f"nn.functional.mse_loss(net(parts), y).backward()\n        {backward}") == set()
    )  # what there is is not all scaled
