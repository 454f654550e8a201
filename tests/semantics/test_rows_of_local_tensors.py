"""What a function adds to rows of a tensor that it has made itself: nothing of that is left in the next turn of its callers."""

import pytest

from programs import assert_marked

_TRAINING = """
def train(net: nn.Module, critic: nn.Module, loader, outside, B, mask):
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for x, y in loader:
        {use}
        opt.zero_grad()
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        opt.step()
"""
_IN_A_FUNCTION = """
def dynamics(states, mask, u, B):
    change = states @ B
    change[~mask] = 0.0
    change[mask] += u @ B.t()
    return change
"""
_IN_A_METHOD = """
class Drone:
    def dynamics(self, data, mask, u, B):
        change = torch.zeros(8, 6)
        change[mask] += u @ B.t()
        return change
"""
_IN_A_PARAMETER = """
def push(change, mask, u, B):
    change[mask] += u @ B.t()
    return change
"""


@pytest.mark.parametrize(
    ("functions", "use"),
    [
        pytest.param(_IN_A_FUNCTION, "outside.put(dynamics(x, mask, net(x), B))", id="a local of a function"),
        pytest.param(_IN_A_METHOD, "outside.put(Drone().dynamics(x, mask, net(x), B))", id="a local of a method"),
        pytest.param(_IN_A_PARAMETER, "outside.put(push(x @ B, mask, net(x), B))", id="a parameter that gets what the call computes"),
        pytest.param(
            _IN_A_PARAMETER,
            "change = x @ B\n        outside.put(push(change, mask, net(x), B))",
            id="a parameter that gets a local of the turn",
        ),
        pytest.param("", "rows = x @ B\n        rows[mask] += net(x) @ B\n        outside.put(rows)", id="a name of the turn itself"),
    ],
)
def test_is_quiet_about_rows_of_a_tensor_that_the_turn_makes(functions: str, use: str) -> None:
    assert_marked(functions + _TRAINING.format(use=use))


def test_reports_rows_of_a_tensor_that_is_made_before_the_loop() -> None:
    assert_marked(
        """
        def train(net: nn.Module, loader, kinds):
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            sums = torch.zeros(4)
            for n, (x, y) in enumerate(loader):
                opt.zero_grad()
                loss = nn.functional.mse_loss(net(x), y)
                loss.backward()
                opt.step()
                sums[n % 4] += loss  # expect: LL402
            print(sums)
        """
    )


def test_reports_rows_of_a_parameter_that_the_caller_keeps() -> None:
    assert_marked(
        """
        def note(sums, n, loss):
            sums[n % 4] += loss  # expect: LL402


        def train(net: nn.Module, loader, kinds):
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            sums = torch.zeros(4)
            for n, (x, y) in enumerate(loader):
                opt.zero_grad()
                loss = nn.functional.mse_loss(net(x), y)
                loss.backward()
                opt.step()
                note(sums, n, loss)
            print(sums)
        """
    )


def test_reports_rows_of_an_attribute_under_a_name_of_the_turn() -> None:
    assert_marked(
        """
        class Trainer:
            def __init__(self, net: nn.Module):
                self.net = net
                self.opt = torch.optim.SGD(net.parameters(), lr=0.1)
                self.sums = torch.zeros(4)

            def train(self, loader):
                for n, (x, y) in enumerate(loader):
                    self.opt.zero_grad()
                    loss = nn.functional.mse_loss(self.net(x), y)
                    loss.backward()
                    self.opt.step()
                    sums = self.sums
                    sums[n % 4] += loss  # expect: LL402
        """
    )
