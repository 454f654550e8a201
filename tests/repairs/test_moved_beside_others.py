"""A tensor that is moved, and then meets one that stays on the other side, raises where it did not: its repair is unsafe (LL503)."""

from __future__ import annotations

from textwrap import dedent

import pytest

import looplint

PROGRAM = """
    import torch
    import torch.nn.functional as F
    from torch import ones

    weights = torch.rand(8)

    def score(ys, ps, use_cuda, device, n):
        y = torch.cat(ys, 0)
        {before}
        if use_cuda:
            y.{move}
        {after}
        return y.mean()
"""
UNSAFE = {
    "made on the processor": ("", "cuda()", "guess = (0.5 * torch.ones(len(y)) < y).float()"),
    "under another name": ("cut = torch.Tensor([0.5]).float()", "to(device)", "y = y.float(); hit = (cut < y)"),
    "by a function of torch": ("one = ones(n)", "cuda()", "print(F.mse_loss(y, one))"),
    "in a list": ("one = torch.zeros(n)", "cuda()", "print(torch.cat([y, one]))"),
    "fetched before": ("p = torch.cat(ps).cpu()", "cuda()", "print(F.mse_loss(p, y))"),
    "of the file": ("", "cuda()", "y = y * weights"),
    "a copy of it": ("one = torch.zeros(n)", "cuda()", "z = y.view(-1); z += one"),
    "chosen by it": ("names = torch.arange(n)", "cuda()", "print(names[y])"),
    "in the next turn": (
        "total = torch.zeros(n)",
        "cuda()",
        "for p in ps:\n            total = total + p\n            p = y * 2\n            total = total * p",
    ),
    "fetched itself": ("p = torch.cat(ps).cuda()", "cpu()", "print(F.mse_loss(p, y))"),
}
SAFE = {
    "alone": ("", "cuda()", "y = y.float()"),
    "made there": ("one = torch.ones(n, device=device)", "to(device)", "print(F.mse_loss(y, one))"),
    "moved as well": ("one = torch.ones(n)", "cuda()", "one = one.cuda(); print(F.mse_loss(y, one))"),
    "moved where they meet": ("one = torch.ones(n)", "cuda()", "print(F.mse_loss(y, one.to(y.device)))"),
    "made like it": ("", "cuda()", "print(F.mse_loss(y, torch.zeros_like(y)))"),
    "a number": ("half = torch.tensor(0.5)", "cuda()", "print(y > half, y * n)"),
    "met before": ("print(F.mse_loss(y, torch.ones(n)))", "cuda()", "y = y.float()"),
    "fetched where they meet": ("one = torch.ones(n)", "cuda()", "print(y.sum().item() * one)"),
    "chosen by the processor's": ("order = torch.randperm(n)", "cuda()", "y = y[order]"),
    "kept side by side": ("one = torch.ones(n)", "cuda()", "print(y, one); ys.append((y, one))"),
    "copied into": ("one = torch.ones(n)", "cuda()", "one[0] = y.sum()"),
    "unknown": ("p = torch.cat(ps)", "cuda()", "print(F.mse_loss(p, y))"),
}
BATCH = """
    import torch

    def score(loader, use_cuda, step):
        for {batch} in loader:
            if use_cuda:
                x.cuda()
                {also}
            print(torch.nn.functional.mse_loss(2 * x, y))
"""


def _repairs(program: str) -> list[str | None]:
    found = looplint.lint(dedent(program), isolated=True, select=["LL503"])
    return [f.fix.applicability if f.fix is not None else None for f in found]


def _filled(before: str, move: str, after: str) -> list[str | None]:
    return _repairs(PROGRAM.replace("{before}", before or "pass").replace("{move}", move).replace("{after}", after))


@pytest.mark.parametrize(("before", "move", "after"), UNSAFE.values(), ids=UNSAFE)
def test_another_tensor_stays_elsewhere(before: str, move: str, after: str) -> None:
    assert _filled(before, move, after) == ["unsafe"]


@pytest.mark.parametrize(("before", "move", "after"), SAFE.values(), ids=SAFE)
def test_nothing_is_met_that_stays_elsewhere(before: str, move: str, after: str) -> None:
    assert _filled(before, move, after) == ["safe"]


def test_what_comes_with_it_in_a_batch_stays_on_the_processor() -> None:
    assert _repairs(BATCH.replace("{batch}", "x, y").replace("{also}", "pass")) == ["unsafe"]


@pytest.mark.parametrize("also", ["y = y.cuda()", "y.cuda()"])
def test_the_rest_of_a_batch_is_moved_as_well(also: str) -> None:
    assert set(_repairs(BATCH.replace("{batch}", "x, y").replace("{also}", also))) == {"safe"}


def test_an_attribute_of_an_object_that_is_no_module() -> None:
    program = """
        import torch

        class Score:
            def __init__(self, n):
                self.weights = torch.ones(n)

            def __call__(self, ys):
                y = torch.cat(ys)
                y.cuda()
                return y * self.weights
    """
    assert _repairs(program) == ["unsafe"]
    assert _repairs(program.replace("class Score:", "class Score(torch.nn.Module):")) == ["safe"]
