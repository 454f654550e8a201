"""LL901 where each epoch sets the seed: a loader that shuffles then draws one order again, unless the seed changes."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """
import random

import numpy as np
import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset

from settings import args
{above}


def seed_all(seed=3):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def run(net, loader, epoch, opt=None):
    {before}
    for x, y in loader:
        loss = nn.functional.cross_entropy(net(x), y)
        if opt is not None:
            opt.zero_grad()
            loss.backward()
            opt.step()
    {behind}


data = TensorDataset(torch.randn(64, 8), torch.arange(64) // 32)
loader = DataLoader(data, batch_size=16{options})
net = nn.Linear(8, 2)
opt = optim.SGD(net.parameters(), lr=0.1)
{once}
for epoch in range(3):
    {each}
    run(net, loader, epoch, opt)
"""
NOTHING = dict.fromkeys(("before", "behind", "each"), "pass") | {"above": "", "options": "", "once": ""}
UNDONE = {
    "before the pass": {"before": "torch.manual_seed(args.seed)"},
    "in a function": {"before": "seed_all(args.seed)"},
    "a number": {"each": "torch.manual_seed(0)"},
    "a number by default": {"each": "seed_all()"},
    "behind the pass": {"behind": "seed_all(7)"},
    "of the module": {"once": "seed = args.seed", "each": "seed_all(seed)"},
    "in code out of sight": {"above": "from elsewhere import fix_seed", "each": "fix_seed(args.seed)"},
}
STANDS = {
    "never": {},
    "once": {"once": "seed_all(args.seed)"},
    "another one each time": {"each": "torch.manual_seed(args.seed + epoch)"},
    "another one in a function": {"each": "seed_all(args.seed + epoch)"},
    "the epoch, by name": {"before": "seed_all(epoch)"},
    "in the first epoch": {"each": "if epoch == 0: seed_all(args.seed)"},
    "of other libraries": {"each": "np.random.seed(0); random.seed(0)"},
    "a generator of its own": {"each": "seed_all(args.seed)", "options": ", generator=torch.Generator()"},
}


def _safety(given: dict[str, str]) -> tuple[str, bool]:
    (found,) = looplint.lint(PROGRAM.format_map(NOTHING | given), select=["LL901"], isolated=True)
    assert found.fix is not None
    return found.fix.applicability, "set the seed once" in found.message


@pytest.mark.parametrize("given", UNDONE.values(), ids=UNDONE)
def test_the_seed_undoes_it(given: dict[str, str]) -> None:
    assert _safety(given) == ("unsafe", True)


@pytest.mark.parametrize("given", STANDS.values(), ids=STANDS)
def test_each_epoch_draws_another_order(given: dict[str, str]) -> None:
    assert _safety(given) == ("safe", False)
