"""A module whose own forward switches gradients off records no graph, whoever calls it."""

from __future__ import annotations

import pytest

import looplint

SCRIPT = """\
import torch
from torch import nn


class Features(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 4)
        self.scale = nn.Parameter(torch.ones(4))

    {forward}


net = Features()
net.eval()
for batch in torch.utils.data.DataLoader(torch.randn(8, 3)):
    out = net(batch)
    print(out.mean().item())
"""
WHOLE = """\
def forward(self, x):
        with torch.no_grad():
            x = self.body(x)
            return x"""
DECORATED = """\
@torch.inference_mode()
    def forward(self, x):
        return self.body(x)"""
RETURNED_AFTER = """\
def forward(self, x):
        x = x.float()
        with torch.no_grad():
            out = self.body(x)
        return out.flatten(1)"""
IN_PART = """\
def forward(self, x):
        with torch.no_grad():
            out = self.body(x)
        return out * self.scale"""
WITH_GRADIENTS = """\
def forward(self, x):
        return self.body(x)"""


@pytest.mark.parametrize(
    ("forward", "expected"), [(WHOLE, []), (DECORATED, []), (RETURNED_AFTER, []), (IN_PART, ["LL303"]), (WITH_GRADIENTS, ["LL303"])]
)
def test_such_a_forward_needs_no_context_around_it(forward: str, expected: list[str]) -> None:
    assert [f.code for f in looplint.lint(SCRIPT.format(forward=forward), isolated=True)] == expected


CAPTURED = """\
import torch
from torch import nn


class Capture{name}:
    def __init__(self, model, off=True):
        self.off = off

    def __call__(self, function):
        def run(*args):
            with torch.set_grad_enabled(not self.off):
                return function(*args)

        return run


def train(net, loader, valid):
    opt = torch.optim.SGD(net.parameters(), lr=0.1)

    @Capture{name}(net)
    def step(x):
        return net(x)

    for x, y in loader:
        opt.zero_grad()
        nn.functional.mse_loss(net(x), y).backward()
        opt.step()
    net.eval()
    total = 0
    for x, y in valid:
        total += nn.functional.mse_loss(step(x), y).item()
    return total
"""


@pytest.mark.parametrize(("name", "codes"), [("NoGrad", []), ("EvaluateNoGrad", []), ("Graphs", ["LL303"])])
def test_an_object_in_the_place_of_a_function_may_switch_them_off(name: str, codes: list[str]) -> None:
    assert sorted(f.code for f in looplint.lint(CAPTURED.format(name=name), isolated=True) if f.severity != "advice") == codes


DETECTORS = """\
import torch
from torch import nn


class Dense(nn.Module):
    def __init__(self, training_now):
        super().__init__()
        self.body = nn.Linear(3, 4)
        self.trainable = training_now

    {decorator}
    def infer(self, x):
        return self.body(x).numpy()

    def forward(self, x):
        if not self.trainable:
            return self.infer(x)
        else:
            return self.body(x)


class Wide(Dense):
    def forward(self, x):
        if self.trainable:
            x = self.body(x)
            return x
        found = self.infer(x)
        return found


def build(kind, training_now):
    if kind == "dense":
        return Dense(training_now)
    return Wide(training_now)


def main(args):
    net = build(args.kind, {trainable})
    net.eval()
    {before}
    for batch in torch.utils.data.DataLoader(torch.randn(8, 3)):
        out = net(batch)
        print(out.mean().item())
"""


@pytest.mark.parametrize(
    ("decorator", "trainable", "before", "codes"),
    [
        ("@torch.no_grad()", "False", "pass", []),
        ("@torch.inference_mode()", "0", "net.train(False)", []),
        ("@torch.no_grad()", "True", "net.trainable = args.trains = False", []),
        ("@torch.no_grad()", "True", "pass", ["LL303"]),
        ("@torch.no_grad()", "args.trains", "pass", ["LL303"]),
        ("@staticmethod", "False", "pass", ["LL303"]),
    ],
)
def test_the_forward_of_one_of_several_that_leaves_it_to_another_method(
    decorator: str, trainable: str, before: str, codes: list[str]
) -> None:
    program = DETECTORS.format(decorator=decorator, trainable=trainable, before=before)
    assert [f.code for f in looplint.lint(program, isolated=True)] == codes
