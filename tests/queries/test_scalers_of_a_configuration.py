"""Scalers that settings switch on, that are one of two, or whose optimizer is known by the scaler alone."""

from __future__ import annotations

import pytest

import looplint

SCALED = """\
import argparse
import torch
from torch import nn, optim

parser = argparse.ArgumentParser()
parser.add_argument("--dtype", default="bfloat16")
parser.add_argument("--every", type=int, default=4)
parser.add_argument("--precision", default="full")
args = parser.parse_args()

def train(net, loader):
    opt = optim.SGD(net.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cuda", enabled=args.dtype == "float16")
    for number, (x, y) in enumerate(loader, 1):
        with torch.autocast("cuda"):
            loss = nn.functional.mse_loss(net(x), y) / args.every
        scaler.scale(loss).backward()
BODY
"""


def _codes(body: str, code: str = SCALED) -> list[str]:
    return [f.code for f in looplint.lint(code.replace("BODY", body)) if f.code.startswith("LL60")]


DONE = """\
        if number % args.every == 0:
            scaler.unscale_(opt)
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            scaler.step(opt)
            scaler.update()
            opt.zero_grad()
"""
LEFT_OVER = """\
    if number % args.every:
        scaler.unscale_(opt)
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        scaler.step(opt)
        scaler.update()
        opt.zero_grad()
"""


@pytest.mark.parametrize(
    ("spelled", "instead", "codes"),
    [
        ("scaler.unscale_(opt)", "pass", ["LL601"]),
        ("scaler.step(opt)", "opt.step()", ["LL604"]),
        ("scaler.update()", "pass", ["LL602"]),
        ("pass", "pass", []),
    ],
)
@pytest.mark.parametrize("after", ["", LEFT_OVER])
@pytest.mark.parametrize("settings", ["args", "self.settings", "config.training"])
def test_other_settings_of_one_object_say_nothing_of_the_scaler(
    spelled: str, instead: str, codes: list[str], after: str, settings: str
) -> None:
    if after and codes == ["LL602"]:
        codes = codes * 2  # the step that is left over is a second one as well
    code = SCALED.replace("(net, loader)", "(self, config, net, loader)") if settings != "args" else SCALED
    assert _codes(DONE.replace(spelled, instead) + after, code.replace("args.", f"{settings}.").replace("args =", "options =")) == codes


@pytest.mark.parametrize(
    "body",
    [
        # The scaler is used in the other branch of a condition that may be another word for its switch.
        '        if args.precision == "amp":\n            scaler.step(opt)\n            scaler.update()\n        else:\n            opt.step()\n        opt.zero_grad()',
        '        if args.precision == "full":\n            opt.step()\n        if not args.precision == "full":\n            scaler.step(opt)\n            scaler.update()\n        opt.zero_grad()',
        '        if args.precision == "full":\n            opt.step()\n        if args.precision == "amp":\n            scaler.step(opt)\n            scaler.update()\n        opt.zero_grad()',
        '        if args.precision == "amp":\n            scaler.unscale_(opt)\n            nn.utils.clip_grad_norm_(net.parameters(), 1.0)\n            scaler.step(opt)\n            scaler.update()\n'
        "        else:\n            nn.utils.clip_grad_norm_(net.parameters(), 1.0)\n            opt.step()\n        opt.zero_grad()",
        '        if args.dtype != "float16":\n            opt.step()\n        else:\n            scaler.step(opt)\n            scaler.update()\n        opt.zero_grad()',
    ],
)
def test_where_it_may_be_off(body: str) -> None:
    assert _codes(body) == []


@pytest.mark.parametrize("condition", ["args.precision", "number % args.every == 0"])
def test_a_branch_that_uses_the_scaler_has_it_on(condition: str) -> None:
    body = (
        f"        if {condition}:\n            scaler.unscale_(opt)\n            opt.step()\n        else:\n            scaler.step(opt)\n"
    )
    assert _codes(f"{body}        scaler.update()\n        opt.zero_grad()") == ["LL604"]


GIVEN = """\
import torch

def train(model: torch.nn.Module, loader, criterion, scaler, updated):
    for x, y in loader:
        model.zero_grad()
        with torch.autocast("cuda"):
            loss = criterion(model(x), y)
        scaler.scale(loss).backward()
BODY
"""


@pytest.mark.parametrize(
    ("body", "codes"),
    [
        (
            "        scaler.unscale_(updated)\n        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n        scaler.step(updated)\n        scaler.update()",
            [],
        ),
        (
            "        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n        scaler.step(updated)\n        scaler.update()",
            ["LL601"],
        ),
        ("        scaler.unscale_(updated)\n        scaler.step(updated)", ["LL602"]),
        ("        scaler.step(updated)", ["LL602"]),
        # What steps it is no scaler, for all one knows.
        ("        engine.step(updated)\n        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)", []),
    ],
)
def test_what_a_scaler_steps_is_an_optimizer(body: str, codes: list[str]) -> None:
    assert _codes(body, GIVEN) == codes


EITHER = """\
import torch
from torch import nn, optim
from torch.distributed.fsdp.sharded_grad_scaler import ShardedGradScaler

def train(net, loader, amp, sharded):
    opt = optim.SGD(net.parameters(), lr=0.1)
BUILT
    for x, y in loader:
        opt.zero_grad()
        with torch.autocast("cuda", enabled=amp):
            loss = nn.functional.mse_loss(net(x), y)
        if scaler is not None:
            scaler.scale(loss).backward()
            scaler.step(opt)
            UPDATED
        else:
            loss.backward()
            opt.step()
"""


@pytest.mark.parametrize(
    "built",
    [
        '    scaler = torch.amp.GradScaler("cuda") if amp else None\n    scaler = ShardedGradScaler() if sharded else scaler',
        '    scaler = torch.amp.GradScaler("cuda")\n    if sharded:\n        scaler = ShardedGradScaler()',
        '    scaler = ShardedGradScaler() if sharded else torch.amp.GradScaler("cuda")',
        '    scaler = torch.amp.GradScaler("cuda", enabled=amp)\n    scaler = scaler if not sharded else ShardedGradScaler(enabled=amp)',
    ],
)
def test_one_of_two_scalers(built: str) -> None:
    code = EITHER.replace("BUILT", built)
    assert _codes("", code.replace("UPDATED", "scaler.update()")) == []
    assert _codes("", code.replace("UPDATED", "pass")) == ["LL602"]


def test_one_of_two_scalers_may_be_off_where_one_of_them_is() -> None:
    built = '    scaler = torch.amp.GradScaler("cuda")\n    if sharded:\n        scaler = ShardedGradScaler(enabled=amp)'
    code = EITHER.replace("BUILT", built).replace(
        "scaler.step(opt)\n            UPDATED",
        "if amp:\n                scaler.step(opt)\n                scaler.update()\n            else:\n                opt.step()",
    )
    assert _codes("", code) == []


KEPT = """\
import torch

class Wrapper:
    def __init__(self, optimizer):
        self.optimizer = optimizer

def build(model, sort):
    if sort == "adam":
        return Wrapper(torch.optim.Adam(model.parameters()))
    return Wrapper(torch.optim.SGD(model.parameters(), lr=0.1))

class Trainer:
    def __init__(self, model, sort, amp):
        self.model = model
        self.optim = build(model, sort)
        self.scaler = torch.amp.GradScaler("cuda", enabled=amp)

    def run(self, loader):
        for x in loader:
            self.optim.optimizer.zero_grad()
            self.scaler.scale(self.model(x).mean()).backward()
BODY
"""


@pytest.mark.parametrize(
    ("body", "codes"),
    [
        ("            self.scaler.step(self.optim.optimizer)\n            self.scaler.update()", []),
        ("            self.scaler.step(self.optim.optimizer)", ["LL602"]),
        ("            self.optim.optimizer.step()\n            self.scaler.update()", ["LL604"]),
        (
            "            torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)\n            self.scaler.step(self.optim.optimizer)\n"
            "            self.scaler.update()",
            ["LL601"],
        ),
        # One update for the steps of all.
        (
            "            for self.optim in self.all:\n                self.scaler.step(self.optim.optimizer)\n            self.scaler.update()",
            [],
        ),
        (
            "            for each in (self.optim, self.other):\n                self.scaler.step(each.optimizer)\n            self.scaler.update()",
            [],
        ),
    ],
)
def test_whichever_optimizer_an_object_keeps_the_scaler_steps(body: str, codes: list[str]) -> None:
    assert _codes(body, KEPT) == codes


ENGINE = """\
import torch

class Trainer:
    def __init__(self, deepspeed):
        self.deepspeed = deepspeed

    def train(self, model, optim, scaler, loader):
        for x in loader:
            self.back(model, scaler, model(x).mean())
            self.update(model, optim, scaler)

    def back(self, model, scaler, loss):
        if self.deepspeed:
            model.backward(loss)
        elif scaler:
            scaler.scale(loss).backward()
        else:
            loss.backward()

    def update(self, model, optim, scaler):
        if self.deepspeed:
            model.step()
        else:
            if scaler:
                STEP
            else:
                optim.step()
            optim.zero_grad()
"""


def test_an_engine_on_another_way_is_no_rival() -> None:
    assert _codes("", ENGINE.replace("STEP", "scaler.step(optim); scaler.update()")) == []
    assert _codes("", ENGINE.replace("STEP", "optim.step(); scaler.update()")) == ["LL604"]
    clipped = "torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0); scaler.step(optim); scaler.update()"
    assert _codes("", ENGINE.replace("STEP", clipped)) == ["LL601"]
    # What changes between two calls says nothing of both.
    changing = ENGINE.replace("        for x in loader:\n", "        for x in loader:\n            self.deepspeed = not self.deepspeed\n")
    assert _codes("", changing.replace("STEP", clipped)) == []


HOROVOD = """\
import torch

def train(model, optimizer, scaler, loader, horovod):
    for x in loader:
        optimizer.zero_grad()
        scaler.scale(model(x).mean()).backward()
        if horovod:
            optimizer.synchronize()
            scaler.unscale_(optimizer)
            with optimizer.skip_synchronize():
                STEP
        else:
            scaler.step(optimizer)
        scaler.update()
"""


def test_horovod_waits_for_the_gradients() -> None:
    assert _codes("", HOROVOD.replace("STEP", "scaler.step(optimizer)")) == []
    assert _codes("", HOROVOD.replace("STEP", "optimizer.step()")) == ["LL604"]


SHOWN = """\
import torch

class Trainer:
    def __init__(self, model, loader, logger, every):
        self.model, self.loader, self.logger, self.every = model, loader, logger, every
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        self.scaler = torch.amp.GradScaler("cuda")

    def run(self):
        for number, x in enumerate(self.loader):
            self.optimizer.zero_grad()
            self.scaler.scale(self.model(x).mean()).backward()
BODY
"""


@pytest.mark.parametrize(
    ("body", "codes"),
    [
        (
            "            self.scaler.step(self.optimizer)\n            if number % self.every == 0:\n                self.logger.save(self)",
            ["LL602"],
        ),
        (
            "            self.scaler.step(self.optimizer)\n            if self.logger is not None:\n                if number > 3:\n                    self.logger.save(self)",
            ["LL602"],
        ),
        ("            self.scaler.step(self.optimizer)\n            self.logger.save(self)", []),
        (
            "            if number % self.every == 0:\n                self.scaler.step(self.optimizer)\n                self.logger.save(self)",
            [],
        ),
        # The two conditions may be one.
        (
            "            if number % self.every == 0:\n                self.scaler.step(self.optimizer)\n            if self.logger.stepped:\n                self.logger.save(self)",
            [],
        ),
    ],
)
def test_what_only_sees_the_scaler_now_and_then_does_not_update_it(body: str, codes: list[str]) -> None:
    assert _codes(body, SHOWN) == codes
