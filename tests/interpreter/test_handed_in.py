"""What a caller hands in is an object of the loop, or a class that makes one: its use shows which."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAMS = {
    "the class of an optimizer is handed in, and its object takes its name": """
        class Trainer:
            def __init__(self, model, data):
                self.model, self.data = model, data
            def find_learning_rate(self, optimizer, iterations=10, **kwargs):
                optimizer = optimizer(self.model.parameters(), lr=0.1, **kwargs)
                for batch in DataLoader(self.data, batch_size=8, shuffle=True):
                    loss = self.model.forward_loss(batch)
                    loss.backward()
                    optimizer.zero_grad()  # expect: LL101
                    optimizer.step()
        """,
    "an optimizer or its class is handed in": """
        def fit(model, loader, optimizer=optim.SGD, **kwargs):
            if inspect.isclass(optimizer):
                optimizer = optimizer(model.parameters(), **kwargs)
            optimizer = cast(optim.Optimizer, optimizer)
            for batch in loader:
                loss = model.forward_loss(batch)
                loss.backward()
                optimizer.zero_grad()  # expect: LL101
                optimizer.step()
        """,
    "an optimizer is handed in, or built": """
        def fit(model: nn.Module, loader, optimizer=None):
            if optimizer is None:
                optimizer = optim.Adam(model.parameters())
            for x, y in loader:
                nn.functional.mse_loss(model(x), y).backward()  # expect: LL102
                optimizer.step()
        """,
    "the class of a model is handed in, and its object takes its name": """
        def fit(model, optimizer, loader):
            model = model(hidden=3)
            optimizer = optimizer(model.parameters())
            for x, y in loader:
                optimizer.zero_grad()
                optimizer.step()  # expect: LL105
                nn.functional.mse_loss(model(x), y).backward()
        """,
    "the base class keeps what the constructor of the class that trains is given": """
        class Base:
            def __init__(self, net, loss, opt):
                self.net, self.loss = net, loss
                self.opt = opt
        class Trainer(Base):
            def __init__(self, net, loss, opt, loader):
                super().__init__(net, loss, opt)
                self.loader = loader
            def epoch(self):
                for x, y in self.loader:
                    self.opt.zero_grad()
                    loss = self.loss(self.net(x), y)
                    self.opt.step()  # expect: LL107
        """,
    "the base of a base class keeps what it is given by keyword": """
        class Base:
            def __init__(self, loss, **options):
                self.loss = loss
        class Middle(Base):
            def __init__(self, net, opt, **options):
                super(Middle, self).__init__(**options)
                self.net, self.opt = net, opt
        class Trainer(Middle):
            def __init__(self, net, opt, loss, loader):
                super(Trainer, self).__init__(net, opt=opt, loss=loss)
                self.loader = loader
            def epoch(self):
                for x, y in self.loader:
                    loss = self.loss(self.net(x), y)
                    loss.backward()  # expect: LL102
                    self.opt.step()
        """,
    "a method of the base class keeps it, and another class derived from it calls it otherwise": """
        class Base:
            def keep(self, criterion, opt):
                self.criterion, self.opt = criterion, opt
        class Writer(Base):
            def __init__(self, criterion, opt):
                self.keep(criterion, opt)
            def write(self):
                self.criterion.close()
        class Trainer(Base):
            def __init__(self, net: nn.Module, criterion, opt):
                self.net = net
                self.keep(criterion, opt)
            def epoch(self, loader):
                for x, y in loader:
                    self.opt.zero_grad()
                    self.opt.step()  # expect: LL105
                    self.criterion(self.net(x), y).backward()
        """,
    "what is called to take its own place is called again": """
        def fit(model, optimizer, loader):
            loss = nn.MSELoss()
            for x, y in loader:
                x = x(1)
                optimizer.zero_grad()
                loss(model(x), y).backward()
                optimizer.step()
        """,
}


@pytest.mark.parametrize("program", [pytest.param(text, id=name) for name, text in PROGRAMS.items()])
def test_each_marked_line_is_reported_and_no_other(program: str) -> None:
    assert_marked(program)
