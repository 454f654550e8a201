"""A name begins as a deep copy of a state; what takes its place may be the model's own tensors."""

from __future__ import annotations

import pytest

from programs import assert_marked

LOOP = """
        from copy import deepcopy
        def fit(net: nn.Module, loader, validate, keeper):
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            lowest = validate(net)
            {first}
            for epoch in range(9):
                for x, y in loader:
                    opt.zero_grad()
                    nn.functional.mse_loss(net(x), y).backward()
                    opt.step()
                error = validate(epoch)
                if error < lowest:
                    lowest = error
                    {then}
            net.load_state_dict({best})
"""
PROGRAMS = {
    "a name": LOOP.format(first="best = deepcopy(net.state_dict())", then="best = net.state_dict()  # expect: LL801", best="best"),
    "an attribute": """
        import copy
        class Trainer:
            def __init__(self, net: nn.Module, loader, validate):
                self.net, self.loader, self.validate = net, loader, validate
                self.opt = torch.optim.SGD(net.parameters(), lr=0.1)
                self.best = copy.deepcopy(net.state_dict())
            def fit(self):
                lowest = self.validate(self.net)
                for epoch in range(9):
                    for x, y in self.loader:
                        self.opt.zero_grad()
                        nn.functional.mse_loss(self.net(x), y).backward()
                        self.opt.step()
                    error = self.validate(self.net)
                    if error < lowest:
                        lowest, self.best = error, self.net.state_dict()  # expect: LL801
                self.net.load_state_dict(self.best)
    """,
    "an entry": LOOP.format(
        first="best = {'net': deepcopy(net.state_dict())}", then="best['net'] = net.state_dict()  # expect: LL801", best="best['net']"
    ),
    "one of two names": LOOP.format(
        first="best, when = deepcopy(net.state_dict()), 0", then="best, when = net.state_dict(), epoch  # expect: LL801", best="best"
    ),
    "both are copies": LOOP.format(first="best = deepcopy(net.state_dict())", then="best = deepcopy(net.state_dict())", best="best"),
    "a copy takes the place": LOOP.format(first="best = net.state_dict()", then="best = deepcopy(net.state_dict())", best="best"),
    "one or the other in each turn": LOOP.format(
        first="best = None", then="best = deepcopy(net.state_dict()) if epoch else net.state_dict()", best="best"
    ),
    "a copy of something from out of sight": LOOP.format(first="best = deepcopy(keeper.best)", then="best = net.state_dict()", best="best"),
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_what_takes_the_place_of_a_copy_is_read(program: str) -> None:
    assert_marked(program)
