"""A solver of differential equations applies the function that it is given: the loop around it is judged."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        import torchdiffeq
        from torchdiffeq import odeint, odeint_adjoint
        class Change(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.net = nn.Sequential(nn.Linear(width, 50), nn.Tanh(), nn.Linear(50, width))
            def forward(self, t, y):
                return self.net(y ** 3)
            def of_either(self, t, y):
                return self.net(y)
        def train(batches, width, times):
            change = Change(width)
            optimizer = torch.optim.Adam(change.parameters())
            for epoch in range(9):
                for start, wanted in batches:
                    found = {call}
                    {first}
                    {second}{mark}
        """
CALLS = {
    "a module": "odeint(change, start, times)",
    "by the adjoint": "odeint_adjoint(change, start, times, method='dopri5', rtol=1e-3).to(wanted.device)",
    "by names": "torchdiffeq.odeint(func=change, y0=start, t=times)",
    "a method": "odeint(change.of_either, start, times)",
    "a function": "odeint(lambda t, y: change(t, y), start, times)",
}
LOSS = "loss = torch.mean(torch.abs(found - wanted))"


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_gradients_add_up(call: str) -> None:
    assert_marked(
        PROGRAM.format(call=call, first=LOSS, second="loss.backward()", mark="  # expect: LL102\n                    optimizer.step()")
    )


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_nothing_goes_backward(call: str) -> None:
    assert_marked(PROGRAM.format(call=call, first=LOSS, second="optimizer.step()", mark="  # expect: LL107"))


def test_cleared() -> None:
    step = "optimizer.zero_grad(); loss.backward(); optimizer.step()"
    assert_marked(PROGRAM.format(call=CALLS["a module"], first=LOSS, second=step, mark=""))


def test_what_it_applies_is_not_known() -> None:
    program = PROGRAM.replace("times):", "times, given):")
    assert_marked(program.format(call="odeint(change, **given)", first=LOSS, second="optimizer.step()", mark=""))
