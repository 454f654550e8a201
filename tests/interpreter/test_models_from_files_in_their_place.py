"""A model from a file that a branch puts in the place of an attribute's model, with its optimizer, is one model with it to the program after that."""

from __future__ import annotations

import pytest

from programs import assert_marked

TRAINER = """
    import argparse

    import torch.nn.functional as F
    from torch import optim


    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.1))

        def pred(self, x):
            return self.layers(x)

        def cal_loss(self, x, y):
            return F.cross_entropy(self.layers(x), y){mark}


    class Coach:
        def __init__(self, loader, valid):
            self.loader = loader
            self.valid = valid

        def build(self):
            self.model = Net()
            self.opt = optim.Adam(self.model.parameters())

        def load(self, args):
            {load}
            {renew}

        def run(self, args):
            self.build()
            {taken}
            for epoch in range(args.epochs):
                {on}
                for x, y in self.loader:
                    loss = self.model.cal_loss(x, y)
                    self.opt.zero_grad()
                    loss.backward()
                    self.opt.step()
                self.test()

        def test(self):
            with torch.no_grad():
                self.model.eval()
                right = 0
                for x, y in self.valid:
                    right += (self.model.pred(x).argmax(1) == y).sum().item()
            print(right)


    def main(loader, valid):
        parser = argparse.ArgumentParser()
        parser.add_argument("--resume", default=None)
        parser.add_argument("--epochs", default=10, type=int)
        args = parser.parse_args()
        Coach(loader, valid).run(args)
"""
RENEW = "self.opt = optim.Adam(self.model.parameters())"
ASKED = "if args.resume is not None: self.load(args)"
HERE = (
    'if args.resume is not None: self.model = torch.load(args.resume, map_location="cpu"); self.opt = optim.Adam(self.model.parameters())'
)
WAYS = {
    "an entry": ('self.model = torch.load(args.resume, map_location="cpu")["model"]', RENEW, ASKED),
    "an entry of a name": ('state = torch.load(args.resume, map_location="cpu"); self.model = state["model"]', RENEW, ASKED),
    "the whole file": ('self.model = torch.load(args.resume, map_location="cpu")', RENEW, ASKED),
    "in the method that trains": ("pass", "pass", HERE),
}
EXPECTED = "  # expect: LL301"


@pytest.mark.parametrize(("load", "renew", "taken"), WAYS.values(), ids=WAYS)
def test_a_validation_that_leaves_eval_mode(load: str, renew: str, taken: str) -> None:
    assert_marked(TRAINER.format(load=load, renew=renew, taken=taken, on="print(epoch)", mark=EXPECTED))


@pytest.mark.parametrize(("load", "renew", "taken"), WAYS.values(), ids=WAYS)
def test_train_mode_in_each_epoch(load: str, renew: str, taken: str) -> None:
    assert_marked(TRAINER.format(load=load, renew=renew, taken=taken, on="self.model.train()", mark=""))


def test_an_optimizer_that_stays() -> None:
    """The model from the file is another one then: the optimizer goes on with the first."""
    load, _, taken = WAYS["an entry"]
    assert_marked(TRAINER.format(load=load, renew="pass", taken=taken, on="self.model.train()", mark=""))


def test_a_model_that_is_kept_beside() -> None:
    load, renew, taken = WAYS["an entry"]
    assert_marked(TRAINER.format(load="self.first = self.model; " + load, renew=renew, taken=taken, on="self.model.train()", mark=""))
