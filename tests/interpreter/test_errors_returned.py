"""`return NotImplementedError(...)`, written for `raise`: what callers do with a result of the function, they do with another one."""

from __future__ import annotations

import pytest

from programs import assert_marked

MADE = """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.Linear(8, 2))

        def forward(self, x):
            return self.layers(x)

    def make(name):
        if name == "net":
            net = Net()
        else:
            {other}
        print(name)
        return net

    def evaluate(net, loader):
        net.eval()
        with torch.no_grad():
            return sum((net(x).argmax(1) == y).sum().item() for x, y in loader)

    def main(name, loader, valid):
        net = make(name)
        net.to("cuda")
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        for epoch in range(10):
            {mode}
            for x, y in loader:
                loss = nn.functional.cross_entropy(net(x), y){marker}
                opt.zero_grad()
                loss.backward()
                opt.step()
            print(evaluate(net, valid))
"""
OTHERS = [
    "return NotImplementedError",
    "return NotImplementedError(name)",
    'return ValueError("no model " + name)',
    "return KeyError",
]


@pytest.mark.parametrize("other", OTHERS)
def test_what_an_error_is_returned_beside_is_what_a_caller_gets(other: str) -> None:
    assert_marked(MADE.format(other=other, mode="pass", marker="  # expect: LL301"))


@pytest.mark.parametrize("other", OTHERS)
def test_and_no_more_is_said_of_it_than_of_what_is_certain(other: str) -> None:
    assert_marked(MADE.format(other=other, mode="net.train()", marker=""))


def test_a_call_for_its_own_sake_goes_on() -> None:
    assert_marked("""
        def check(loader):
            return ValueError("never raised")

        def fit(net, loader):
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            check(loader)
            for x, y in loader:
                loss = nn.functional.mse_loss(net(x), y)
                loss.backward()  # expect: LL102
                opt.step()
    """)


def test_an_error_that_is_asked_for_is_no_error_that_ends() -> None:
    assert_marked("""
        def problem(loader):
            if not loader:
                return ValueError("no data")
            return None

        def fit(net, loader):
            error = problem(loader)
            if error is not None:
                raise error
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            for x, y in loader:
                loss = nn.functional.mse_loss(net(x), y)
                loss.backward()  # expect: LL102
                opt.step()
    """)
