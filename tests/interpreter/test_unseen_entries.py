"""What code out of sight has made, and a dictionary holds under keys that vary: what the program does with its entries tells of models."""

from __future__ import annotations

import pytest

from programs import assert_marked

TRAINER = """
        from lib import factory
        class Trainer:
            def __init__(self, names, loader, held_out):
                self.names, self.loader, self.held_out = names, loader, held_out
                self.models, self.optimizers = {}, {}
                for name in names:
                    self.make(name)
                for name in names:
                    self.models[name].cuda()
                    self.optimizers[name] = torch.optim.Adam(self.models[name].parameters(), lr=0.1)
            def make(self, name):
                MAKE
            def train(self):
                for epoch in range(9):
                    for name in self.names:
                        BEGIN
                    for x, y in self.loader:
                        for name in self.names:
                            loss = nn.functional.mse_loss(self.models[name](x), y)TRAINED
                            self.optimizers[name].zero_grad()
                            BACKWARD
                            self.optimizers[name].step()MARK
                    with torch.no_grad():
                        for name in self.names:
                            self.models[name].eval()
                            for x, y in self.held_out:
                                print(nn.functional.mse_loss(self.models[name](x), y).item())
"""
FUNCTION = """
        from lib import factory
        def train(names, loader):
            nets = {}
            for name in names:
                nets[name] = factory.create(name)
            optimizers = {name: torch.optim.SGD(net.parameters(), lr=0.1) for name, net in nets.items()}
            for name in names:
                nets[name].train()
            for x, y in loader:
                for name in names:
                    loss = nn.functional.mse_loss(nets[name](x), y)
                    optimizers[name].zero_grad()
                    BACKWARD
                    optimizers[name].step()MARK
"""
MADE = {
    "an entry": "self.models[name] = factory.create(name)",
    "a name, and an entry": "model = factory.create(name)\n                self.models[name] = model",
    "by a class": "cls = factory.find(name)\n                model = cls(width=3)\n                model.apply(print)\n                self.models[name] = model",
    "by a class that is named for models": "model_obj = factory.find(name)\n                model = model_obj(width=3)\n                self.models[name] = model",
}
ASKED = {"BACKWARD": "loss.backward()", "BEGIN": "self.models[name].train()", "MARK": "", "TRAINED": ""}


def program(text: str, **changed: str) -> str:
    for word, written in (ASKED | changed).items():
        text = text.replace(word, written)
    return text


@pytest.mark.parametrize("name", MADE)
def test_its_training_is_judged(name: str) -> None:
    trainer = TRAINER.replace("MAKE", MADE[name])
    assert_marked(program(trainer))
    assert_marked(program(trainer, BACKWARD="print(loss.item())", MARK="  # expect: LL107"))
    assert_marked(program(trainer, BACKWARD="loss.backward(retain_graph=True)  # expect: LL110"))
    assert_marked(program(trainer, BEGIN="pass", TRAINED="  # expect: LL301"))


def test_a_local_dictionary() -> None:
    assert_marked(program(FUNCTION))
    assert_marked(program(FUNCTION, BACKWARD="print(loss.item())", MARK="  # expect: LL107"))


SILENT = {
    "one of them teaches another": """
        from lib import factory
        def train(names, loader):
            nets = {}
            for name in names:
                nets[name] = factory.create(name)
            optimizer = torch.optim.SGD(nets["student"].parameters(), lr=0.1)
            for epoch in range(9):
                for x, y in loader:
                    nets["teacher"].eval()
                    with torch.no_grad():
                        target = nets["teacher"](x)
                    loss = nn.functional.mse_loss(nets["student"](x), target)
                    optimizer.zero_grad()
                    loss.backward()
                    optimizer.step()
        """,
    "what is called, and is no model": """
        from lib import metrics
        def train(names, net, loader):
            losses = {}
            for name in names:
                losses[name] = metrics.create(name)
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            for x, y in loader:
                optimizer.zero_grad()
                sum(losses[name](net(x), y) for name in names).backward()
                optimizer.step()
        """,
}


@pytest.mark.parametrize("name", SILENT)
def test_what_is_right_stays_right(name: str) -> None:
    assert_marked(SILENT[name])
