"""Classes in the body of a class, and attributes whose name is not known: `self.Optimizers(net=optimizer)`, and `getattr(self, field.name)` for each."""

from __future__ import annotations

import pytest

from programs import assert_marked

HOLDER = """
        from dataclasses import dataclass, fields
        class Record:
            def to_dict(self):
                return {field.name: getattr(self, field.name) for field in fields(self)}
        class Base:
            @dataclass
            class Optimizers(Record):
                pass
"""
PROGRAMS = {
    "read under its name": HOLDER
    + """
        class Trainer(Base):
            @dataclass
            class Optimizers(Base.Optimizers):
                net: object = None
            def setup(self):
                self.net = nn.Linear(2, 1)
                return self.Optimizers(net=torch.optim.SGD(self.net.parameters(), 0.1))
            def fit(self, loader):
                optimizers = self.setup()
                for x, y in loader:
                    loss = nn.functional.mse_loss(self.net(x), y)
                    loss.backward()
                    optimizers.net.zero_grad()  # expect: LL101
                    optimizers.net.step()
        Trainer().fit(loader)
        """,
    "read as one of all": HOLDER
    + """
        class Trainer(Base):
            @dataclass
            class Optimizers(Base.Optimizers):
                net: object = None
            def setup(self, net):
                return self.Optimizers(net=torch.optim.SGD(net.parameters(), 0.1))
            def fit(self, loader):
                net = nn.Linear(2, 1)
                optimizers = self.setup(net).to_dict()
                for x, y in loader:
                    loss = nn.functional.mse_loss(net(x), y)
                    loss.backward()
                    optimizers["net"].zero_grad()  # expect: LL101
                    optimizers["net"].step()
        Trainer().fit(loader)
        """,
    "named by the class": HOLDER
    + """
        def setup(net):
            return Base.Optimizers(torch.optim.SGD(net.parameters(), 0.1))
        class Trainer:
            class State:
                def __init__(self, net):
                    self.net = net
                    self.optimizer = torch.optim.SGD(net.parameters(), 0.1)
        def fit(loader):
            state = Trainer.State(nn.Linear(2, 1))
            for x, y in loader:
                loss = nn.functional.mse_loss(state.net(x), y)
                loss.backward()
                state.optimizer.zero_grad()  # expect: LL101
                state.optimizer.step()
        fit(loader)
        """,
    "right": HOLDER
    + """
        class Trainer(Base):
            @dataclass
            class Optimizers(Base.Optimizers):
                net: object = None
                head: object = None
            def fit(self, loader):
                net, head = nn.Linear(2, 2), nn.Linear(2, 1)
                made = self.Optimizers(torch.optim.SGD(net.parameters(), 0.1), torch.optim.SGD(head.parameters(), 0.1))
                optimizers = made.to_dict()
                for x, y in loader:
                    for name in optimizers:
                        optimizers[name].zero_grad()
                    nn.functional.mse_loss(head(net(x)), y).backward()
                    for name in optimizers:
                        optimizers[name].step()
        Trainer().fit(loader)
        """,
    "of several kinds": HOLDER
    + """
        class Trainer:
            def __init__(self):
                self.net = nn.Linear(2, 1)
                self.optimizer = torch.optim.SGD(self.net.parameters(), 0.1)
            def fit(self, loader, name):
                for x, y in loader:
                    nn.functional.mse_loss(self.net(x), y).backward()
                    getattr(self, name).run(x)
                    self.optimizer.step()
        Trainer().fit(loader, input())
        """,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_inner_classes_and_attributes_of_any_name(name: str) -> None:
    assert_marked(PROGRAMS[name])
