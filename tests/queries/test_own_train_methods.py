"""LL301 and a `train()` of the program's own that puts its model into eval mode: that is the mode which it trains in."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
class Trainer:
    def __init__(self):
        self.net = nn.Sequential(nn.Conv2d(3, 3, 1), nn.BatchNorm2d(3))
        self.opt = torch.optim.SGD(self.net.parameters(), lr=0.1)

    def train(self):
        {train}
        return self

    def test(self):
        self.net.eval()
        return self

    def do_pass(self, x, y):
        loss = nn.functional.mse_loss(self.net(x), y){expected}
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()

    def measure(self, loader):
        with torch.no_grad():
            print(sum(nn.functional.mse_loss(self.net(x), y).item() for x, y in loader))


def main(loader):
    trainer = Trainer()
    for epoch in range(3):
        {begin}
        for x, y in loader:
            trainer.do_pass(x, y)
        trainer.test()
        trainer.measure(loader)


main([(torch.randn(1, 3, 4, 4), torch.randn(1, 3, 4, 4))])
"""


@pytest.mark.parametrize("train", ["self.net.eval()", "self.is_train = True; self.net.eval()", "self.net.train(); self.net.eval()"])
def test_it_is_meant(train: str) -> None:
    assert_marked(PROGRAM.format(train=train, begin="trainer.train()", expected=""))


def test_nothing_calls_it() -> None:
    assert_marked(PROGRAM.format(train="self.net.train()", begin="pass", expected="  # expect: LL301"))


def test_it_calls_train() -> None:
    assert_marked(PROGRAM.format(train="self.net.train()", begin="trainer.train()", expected=""))


LOOP = """
class Trainer:
    def __init__(self):
        self.net = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.1))
        self.opt = torch.optim.SGD(self.net.parameters(), lr=0.1)

    def train(self):
        for epoch in range(3):
            for x in torch.randn(8, 4, 3):
                self.opt.zero_grad()
                self.net(x).pow(2).mean().backward()  # expect: LL301
                self.opt.step()
            self.net.eval()
            with torch.no_grad():
                print(self.net(torch.ones(3)).sum().item())


Trainer().train()
"""


def test_it_is_the_training() -> None:
    assert_marked(LOOP)
