"""LL903 judges a trainer that no code in sight builds, where its own method goes over all epochs and lets no others take part in them."""

from __future__ import annotations

import pytest

from tests.programs import assert_marked

PROGRAM = """
import torch
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler
{imports}

class Prefetcher:
    def __init__(self, loader):
        self.loader = loader
        self.batches = iter(loader)

    def next(self):
        return next(self.batches, None)

    def reset(self):
        self.batches = iter(self.loader)


class Trainer{bases}:
    def __init__(self, config, net, data{given}):
        self.config = config
        self.net = net
        self.epoch = 0
        {kept}
        self.sampler = None
        if config["distributed"]:
            self.sampler = DistributedSampler(data){mark}
        self.loader = DataLoader(data, shuffle=self.sampler is None, sampler=self.sampler)
        self.prefetcher = Prefetcher(self.loader)
        self.opt = torch.optim.SGD(net.parameters(), lr=0.1)

    def train(self):
        while True:
            self.epoch += 1
            {between}
            self.train_epoch()
            if self.epoch > self.config["epochs"]:
                break

    def train_epoch(self):
        {over}
            self.opt.zero_grad()
            nn.functional.mse_loss(self.net(x), y).backward()
            self.opt.step()
{methods}
"""
OVER = {
    "its loader": "for x, y in self.loader:",
    "a prefetcher of it": "self.prefetcher.reset()\n        while (batch := self.prefetcher.next()) is not None:\n            x, y = batch",
}
PLAIN = {"imports": "", "bases": "", "given": "", "kept": "pass", "between": "pass", "methods": "", "over": OVER["its loader"]}
MAY_TELL = {
    "the program": {"between": "if self.sampler is not None: self.sampler.set_epoch(self.epoch)"},
    "what a subclass writes": {"between": "self.start(self.epoch)", "methods": "\n    def start(self, epoch):\n        pass\n"},
    "what a base out of sight does": {"imports": "from base import Base\n", "bases": "(Base)", "between": "self.start(self.epoch)"},
    "code that gets the object": {"imports": "import library\n", "between": "library.begin(self)"},
    "hooks": {
        "kept": "self.hooks = []",
        "between": "for hook in self.hooks: hook.begin()",
        "methods": "\n    def register(self, hook):\n        hook.trainer = self\n        self.hooks.append(hook)\n",
    },
    "callbacks that it is given": {
        "given": ", callbacks",
        "kept": "self.callbacks = callbacks",
        "between": "self.callbacks.run(self.epoch)",
    },
}


@pytest.mark.parametrize("over", OVER.values(), ids=OVER.keys())
def test_nobody_sets_the_epoch(over: str) -> None:
    assert_marked(PROGRAM.format(**{**PLAIN, "over": over}, mark="  # expect: LL903"))


def test_what_is_in_sight_between_epochs_sets_none() -> None:
    save = "\n    def save(self):\n        torch.save(self.net.state_dict(), self.config['path'])\n"
    assert_marked(PROGRAM.format(**{**PLAIN, "between": "self.save()", "methods": save}, mark="  # expect: LL903"))


@pytest.mark.parametrize("parts", MAY_TELL.values(), ids=MAY_TELL.keys())
def test_others_may_set_it(parts: dict[str, str]) -> None:
    assert_marked(PROGRAM.format(**{**PLAIN, **parts}, mark=""))


def test_a_caller_may_set_it_for_each_epoch() -> None:
    text = (
        PROGRAM.format(**PLAIN, mark="")
        .replace("        while True:\n", "        if self.epoch >= 0:\n")
        .replace("                break\n", "                return\n")
    )
    assert_marked(text)
