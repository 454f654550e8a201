"""Where another scheduler of the optimizer is stepped, the learning rate does change: one that is not stepped beside it has no effect, which is advice."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn
from torch.optim import lr_scheduler

model = nn.Linear(2, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
another = torch.optim.SGD(nn.Linear(2, 2).parameters(), lr=0.1)
{built}
for epoch in range(10):
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
    {stepped}
"""
VARIANTS = "stairs = lr_scheduler.StepLR(optimizer, 3)\ncosine = lr_scheduler.CosineAnnealingLR(optimizer, 10)"
MADE = "def warm(optimizer):\n    return lr_scheduler.LambdaLR(optimizer, lambda epoch: epoch / 10)\nfirst = warm(optimizer)\n"
OF_ANOTHER = "stairs = lr_scheduler.StepLR(optimizer, 3)\ncosine = lr_scheduler.CosineAnnealingLR(another, 10)"


@pytest.mark.parametrize(
    ("built", "stepped", "name"),
    [
        (VARIANTS, "cosine.step()", "stairs"),
        (VARIANTS, "stairs.step()", "cosine"),
        (MADE + VARIANTS.splitlines()[0], "stairs.step()", "first"),
    ],
)
def test_another_one_is_stepped(built: str, stepped: str, name: str) -> None:
    (found,) = looplint.lint(PROGRAM.format(built=built, stepped=stepped), isolated=True)
    assert (found.code, found.severity) == ("LL205", "advice")
    assert found.message.startswith(f"{name} is never stepped: the learning rate follows {stepped.split('.')[0]} alone; ")


@pytest.mark.parametrize(("built", "stepped"), [(OF_ANOTHER, "cosine.step()"), (VARIANTS.splitlines()[0], "pass")])
def test_none_of_the_optimizer_is(built: str, stepped: str) -> None:
    found = looplint.lint(PROGRAM.format(built=built, stepped=stepped), isolated=True)
    assert [(f.code, f.severity) for f in found] == [("LL205", "error")]
    assert "the learning rate keeps the value" in found[0].message


TRIED = """\
model = nn.Linear(2, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = lr_scheduler.StepLR(optimizer, 3)
{tried}
"""
ANEW = TRIED.format(tried="") + PROGRAM.partition("{built}")[2].format(stepped="scheduler.step()")
ONE_PASS = "for x, y in loader:\n    nn.functional.mse_loss(model(x), y).backward()\n    optimizer.step()\n    optimizer.zero_grad()"
IMPORTS = PROGRAM.partition("model = ")[0]


@pytest.mark.parametrize(
    ("tried", "expected"),
    [
        (ONE_PASS, []),
        (ONE_PASS.replace("for x, y in loader:", "for x, y in loader:\n    print(len(x))"), []),
        ("for epoch in range(10):\n    " + ONE_PASS.replace("\n", "\n    "), ["LL205"]),
    ],
)
def test_all_is_built_anew_after_a_pass_that_is_timed(tried: str, expected: list[str]) -> None:
    assert [f.code for f in looplint.lint(IMPORTS + TRIED.format(tried=tried) + ANEW, isolated=True)] == expected
