"""A model that is given a whole checkpoint, out of which the epoch was just read, raises: no run trains on behind that (LL802, LL803)."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
import zoo
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 2)
        {more}

    def forward(self, x):
        return self.layer(x)


def main(arch, resume, loader, epochs):
    start = 0
    model = {model}
    model.to("cuda" if torch.cuda.is_available() else "cpu")
    opt = torch.optim.Adam(model.parameters())
    if resume:
        checkpoint = torch.load(resume)
        {read}
        model.load_state_dict({given})
        print("resumed", checkpoint["epoch"])
    for epoch in range(start, epochs):
        for x, y in loader:
            opt.zero_grad()
            nn.functional.mse_loss(model(x), y).backward()
            {last}
        torch.save({{"epoch": epoch, "model": model.state_dict()}}, "last.pt")


main(zoo.arch, zoo.resume, zoo.loader, 3)
"""
READ, WHOLE, WRAPPED = 'start = checkpoint["epoch"] + 1', "checkpoint", "nn.DataParallel(zoo.build(arch))"


def found(model: str = WRAPPED, read: str = READ, given: str = WHOLE, more: str = "pass", last: str = "opt.step()") -> list[str]:
    text = PROGRAM.format(model=model, read=read, given=given, more=more, last=last)
    return [finding.code for finding in looplint.lint(text, isolated=True)]


@pytest.mark.parametrize("model", [WRAPPED, "Net()", "torch.nn.parallel.DistributedDataParallel(Net())"])
@pytest.mark.parametrize("read", [READ, 'best = checkpoint["best"]\n        start = int(checkpoint["epoch"])'])
@pytest.mark.parametrize("given", [WHOLE, "checkpoint, strict=True", "state_dict=checkpoint"])
def test_no_run_goes_on_behind_it(model: str, read: str, given: str) -> None:
    assert found(model=model, read=read, given=given) == []


def test_a_run_that_is_not_resumed_is_judged() -> None:
    assert found(last="pass") == ["LL106"]


@pytest.mark.parametrize(
    "case",
    [
        {"given": 'checkpoint["model"]'},
        {"given": "checkpoint, strict=False"},
        {"read": 'start = checkpoint.pop("epoch")'},
        {"read": READ + '\n        del checkpoint["epoch"]'},
        {"read": READ + '\n        checkpoint = checkpoint["model"]'},
        {"read": READ + "\n        checkpoint = {k: v for k, v in checkpoint.items() if k in model.state_dict()}"},
        {"read": READ + "\n        zoo.clean(checkpoint)"},
        {"read": 'if "epoch" in checkpoint:\n            start = checkpoint["epoch"]'},
        {"read": 'start = checkpoint["epoch"] if "epoch" in checkpoint else 0'},
        {"model": "zoo.build(arch)"},
        {"model": "Net()", "more": 'self.register_buffer("epoch", torch.zeros(()))'},
        {"model": "Net()", "more": "self.epoch = nn.Parameter(torch.zeros(()))"},
    ],
    ids=lambda case: "-".join(case.values()),
)
def test_it_may_go_on(case: dict[str, str]) -> None:
    assert sorted(found(**case)) == ["LL802", "LL803"]
