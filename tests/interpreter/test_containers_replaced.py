"""An attribute that is given a new container holds what is put into that alone, and no longer what the one before has."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
class Trainer:
    def __init__(self, net):
        self.net = net
        self.kept = {{}}

    def fit(self, loader, path):
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)
        for epoch in range(9):
            {each_epoch}
            for x, y in loader:
                {each_batch}
                self.update(x, y)
                if y.mean() > self.best:
                    self.save(path + ".best")
                {last}

    def renew(self):
        del self.kept
        self.kept = {{}}

    def add(self, key, value):
        if key in self.kept:
            key = key + "_"
        self.kept[key] = value

    def cost(self, x, y):
        {cost}

    def update(self, x, y):
        loss = self.cost(x, y)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

    def save(self, path):
        self.add("net", self.net.state_dict()){marked}
        torch.save(self.kept, path)
"""
COST = "return nn.functional.mse_loss(self.net(x), y)"
SAVED = "self.save(path)"
STALE = "  # expect: LL801"


def _program(*, each_batch: str, each_epoch: str = "pass", cost: str = COST, last: str = SAVED, marked: str = "") -> str:
    return PROGRAM.format(each_batch=each_batch, each_epoch=each_epoch, cost=cost, last=last, marked=marked)


PROGRAMS = {
    "a method gives another one in each turn": _program(each_batch="self.renew()"),
    "the loop gives another one": _program(each_batch="self.kept = dict()"),
    "what is left to subclasses is called in between": _program(each_batch="self.renew()", cost="raise NotImplementedError"),
    "it is saved in three places": _program(each_batch="self.kept, self.worst = {}, 0", last=f"{SAVED}\n                {SAVED}"),
    "it is the same one throughout": _program(each_batch="pass", marked=STALE),
    "only each epoch gives another one": _program(each_batch="pass", each_epoch="self.renew()", marked=STALE),
    "a batch may give another one": _program(each_batch="self.renew() if x.mean() > 0 else None", marked=STALE),
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_what_is_put_into_one_that_was_replaced(program: str) -> None:
    assert_marked(program)


SUMMED = """
class Trainer:
    def __init__(self, net):
        self.net, self.losses = net, []
        self.optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

    def fit(self, loader):
        for epoch in range(9):
            {each_epoch}
            for x, y in loader:
                {each_batch}
                loss = nn.functional.mse_loss(self.net(x), y)
                self.losses.append(loss){marked}
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
            print(self.losses)
"""


@pytest.mark.parametrize(
    ("each_epoch", "each_batch", "marked"),
    [("pass", "self.losses = []", ""), ("self.losses = []", "pass", "  # expect: LL401"), ("pass", "pass", "  # expect: LL401")],
)
def test_losses_put_into_it(each_epoch: str, each_batch: str, marked: str) -> None:
    assert_marked(SUMMED.format(each_epoch=each_epoch, each_batch=each_batch, marked=marked))
