"""What `isinstance` says of an object decides which code is followed for it."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAMS = {
    "a tuple among arguments is told from a model": """
        def prepare(*pairs):
            made = []
            for pair in pairs:
                if isinstance(pair, tuple):
                    net, rate = pair
                    made.append((net, torch.optim.SGD(net.parameters(), lr=rate)))
                else:
                    made.append(pair)
            return made[0] if len(made) == 1 else made
        def main(loader):
            net, opt = prepare((nn.Linear(2, 1), 0.1))
            for x, y in loader:
                nn.functional.mse_loss(net(x), y).backward()  # expect: LL102
                opt.step()
        """,
    "a tensor is no text, sequence, mapping or array": """
        import collections
        import numpy as np
        import six
        TEXTS = six.string_types
        def mapped(function, value):
            if isinstance(value, TEXTS):
                return value
            elif isinstance(value, (collections.abc.Sequence, collections.UserList)):
                return [mapped(function, each) for each in value]
            elif isinstance(value, collections.abc.Mapping):
                return {key: mapped(function, each) for key, each in value.items()}
            elif isinstance(value, np.ndarray):
                return value
            return function(value)
        def number(value):
            return value.item()
        def main(loader):
            net = nn.Linear(2, 1)
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            total, sums = 0.0, 0.0
            for x, y in loader:
                loss = nn.functional.mse_loss(net(x), y)
                opt.zero_grad()
                loss.backward()
                opt.step()
                total += mapped(number, loss)
                sums += loss if isinstance(loss, collections.abc.Iterable) else 0.0  # expect: LL402
            print(total, sums)
        """,
    "a class of the project is told from others": """
        class Actor(nn.Module):
            def __init__(self):
                super().__init__()
                self.model = nn.Linear(2, 1)
            def forward(self, x):
                return self.model(x)
        class Critic(nn.Module):
            def __init__(self):
                super().__init__()
                self.head = nn.Linear(2, 1)
            def forward(self, x):
                return self.head(x)
        def main(loader):
            model = Critic()
            opt = torch.optim.SGD(model.parameters(), lr=0.1)
            for x, y in loader:
                loss = nn.functional.mse_loss(model(x), y)
                if not isinstance(model, Actor):
                    opt.zero_grad()
                    opt.step()  # expect: LL105
                    loss.backward()
                else:
                    opt.zero_grad()
                    loss.backward()
                    opt.step()
        """,
    "a subclass is of the class that it derives from": """
        class Base(nn.Module):
            pass
        class Net(Base):
            def __init__(self):
                super().__init__()
                self.head = nn.Linear(2, 1)
            def forward(self, x):
                return self.head(x)
        def main(loader):
            net = Net()
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            for x, y in loader:
                if isinstance(net, Base):
                    opt.zero_grad()
                nn.functional.mse_loss(net(x), y).backward()
                opt.step()
        """,
    "a list of optimizers is told from one": """
        def clear(opts):
            if isinstance(opts, (list, tuple)):
                for opt in opts:
                    opt.zero_grad()  # expect: LL101
            else:
                opts.zero_grad()
        def main(loader):
            net = nn.Linear(2, 1)
            opts = [torch.optim.SGD(net.parameters(), lr=0.1)]
            for x, y in loader:
                nn.functional.mse_loss(net(x), y).backward()
                clear(opts)
                opts[0].step()
        """,
    "what may be of a class that derives from it is not decided": """
        class Wrapped(nn.Module):
            pass
        def train(net: nn.Module, loader):
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            for x, y in loader:
                if isinstance(net, Wrapped):
                    opt.zero_grad()
                nn.functional.mse_loss(net(x), y).backward()
                opt.step()
                if not isinstance(net, Wrapped):
                    opt.zero_grad()
        """,
    "what holds an object on one side holds none on the other": """
        class Engine:
            def __init__(self, net):
                self.net = net
        def main(loader, wrap):
            net = nn.Linear(2, 1)
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            held = Engine(net) if wrap else net
            inner = held
            if isinstance(inner, Engine):
                inner = inner.net
            for x, y in loader:
                nn.functional.mse_loss(inner(x), y).backward()  # expect: LL102
                opt.step()
        """,
}

KEEPING = """
        from collections import OrderedDict, defaultdict
        def add(kept, losses):
            for name, value in losses.items():
                if {test}:
                    for each, one in value.items():
                        kept[name].append(one)
                else:
                    kept[name].append({otherwise}){mark}
        def train(net, loader):
            opt = torch.optim.SGD(net.parameters(), 0.1)
            kept = defaultdict(list)
            for x, y in loader:
                opt.zero_grad()
                loss = nn.functional.mse_loss(net(x), y)
                loss.backward()
                opt.step()
                add(kept, {{"mse": loss}})
            return kept
        """
TESTS = [
    "type(value) == defaultdict",
    "type(value) is OrderedDict",
    "type(value) in (dict, OrderedDict)",
    "isinstance(value, defaultdict)",
    "not type(value) != dict",
]


@pytest.mark.parametrize("test", TESTS)
def test_a_tensor_is_no_container(test: str) -> None:
    assert_marked(KEEPING.format(test=test, otherwise="value.item()", mark=""))
    assert_marked(KEEPING.format(test=test, otherwise="value", mark="  # expect: LL401"))


@pytest.mark.parametrize("test", ["type(value) == torch.Tensor", "type(value) in kinds", "type(value) != str"])
def test_what_may_be_a_tensor_is_kept(test: str) -> None:
    kept = KEEPING.replace("kept[name].append(one)", "kept[name].append(one)  # expect: LL401").replace(
        "one in value.items()", "one in [(0, value)]"
    )
    assert_marked(kept.format(test=test, otherwise="0", mark=""))


@pytest.mark.parametrize("program", [pytest.param(text, id=name) for name, text in PROGRAMS.items()])
def test_each_marked_line_is_reported_and_no_other(program: str) -> None:
    assert_marked(program)
