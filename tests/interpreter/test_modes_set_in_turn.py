"""A loop that sets the mode of each model it goes over: behind it all of them are in that mode, however many there are."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
    def build():
        return nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.Linear(8, 2))

    class Model:
        def __init__(self, args):
            self.net = build()
            self.nets, self.named = [], {{}}
            if args.adversarial:
                self.critic = build()
                self.nets.append(self.critic)
                self.named["critic"] = self.critic
            self.nets.append(self.net)
            self.named["net"] = self.net

        def eval(self):
            {evaluation}

    def validate(model, loader):
        for x, y in loader:
            print(model.net(x).argmax(1)){found}

    model = Model(arguments())
    model.eval()
    validate(model, torch.utils.data.DataLoader(data()))
"""
EACH = {
    "of a list": "for net in self.nets:\n                net.eval()",
    "of a list, by train()": "for net in self.nets:\n                net.train(False)",
    "with its number": "for number, net in enumerate(self.nets):\n                net.eval()",
    "of a dictionary": "for name, net in self.named.items():\n                print(name)\n                net.eval()",
}
SOME = {
    "those that a condition picks": "for net in self.nets:\n                if args.all: net.eval()",
    "none": "pass",
}


@pytest.mark.parametrize("evaluation", EACH.values(), ids=EACH)
def test_each_is_in_eval_mode(evaluation: str) -> None:
    assert_marked(PROGRAM.format(evaluation=evaluation, found="  # expect: LL303"))


@pytest.mark.parametrize("evaluation", SOME.values(), ids=SOME)
def test_some_may_not_be(evaluation: str) -> None:
    assert_marked(PROGRAM.format(evaluation=evaluation, found=""))


TRAINING = """
    def evaluate(nets, loader):
        for net in nets:
            net.eval()
        with torch.no_grad():
            for x, y in loader:
                print((nets[0](x).argmax(1) == y).sum())

    def fit(args, loader, valid):
        net = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.Linear(8, 2))
        nets = [net]
        if args.teacher:
            nets.append(nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.Linear(8, 2)))
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        for epoch in range(10):
            {again}
            for x, y in loader:
                loss = nn.functional.cross_entropy(net(x), y){found}
                opt.zero_grad()
                loss.backward()
                opt.step()
            evaluate(nets, valid)
"""


def test_train_mode_in_each_epoch() -> None:
    assert_marked(TRAINING.format(again="for each in nets:\n                each.train()", found=""))
    assert_marked(TRAINING.format(again="pass", found="  # expect: LL301"))
