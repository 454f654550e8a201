"""A model that a call makes in each turn, and that nothing older holds, brings no mode from the turn before (LL304); one that is kept does."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        from fast import Fast{imports}
        class Kept:
            def __init__(self, net):
                self.net = net
        def network():
            return nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.Linear(8, 1))
        {makes}
        def measure(loader, name{taken}):
            net = network()
            net.train()
            {gets}
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            for x, y in loader:
                opt.zero_grad()
                nn.functional.mse_loss(net(x), y).backward(){mark}
                opt.step()
            net.eval()
            with torch.no_grad():
                for x, y in loader:
                    print(nn.functional.mse_loss(net(x), y).item())
            return {given}
        def run(loader, names):
            {before}
            for name in names:
                {call}
"""
FAST = """def prepare(name, net):
            if name == "fast":
                made = Fast(8)
                with torch.no_grad():
                    made.first.copy_(net[0].weight)
                return Kept(made)
            return Kept(net)"""
PLAIN = """def prepare(name, net):
            if name == "fast":
                made = Fast(8)
                with torch.no_grad():
                    made.first.copy_(net[0].weight)
                return made
            return net"""
MARK = "  # expect: LL304"


def program(makes: str, gets: str, call: str = "print(measure(loader, name))", **parts: str) -> str:
    filled = {"taken": "", "given": "name", "before": "pass", "mark": "", "imports": "", **parts}
    return PROGRAM.format(makes=makes, gets=gets, call=call, **filled)


PROGRAMS = {
    "an attribute of what is made": program(FAST, "net = prepare(name, net).net"),
    "what is made": program(PLAIN, "net = prepare(name, net)"),
    "one of a dict that is made": program(
        PLAIN.replace("return made", 'return {"net": made}').replace("return net", 'return {"net": net}'), 'net = prepare(name, net)["net"]'
    ),
    "a result that gets a name": program(FAST, "net = prepare(name, net).net", call="result = measure(loader, name); print(result)"),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_turn_makes_another(name: str) -> None:
    assert_marked(PROGRAMS[name])


ROUND = """
                opt = torch.optim.SGD({net}.parameters(), lr=0.1)
                for x, y in loader:
                    opt.zero_grad()
                    nn.functional.mse_loss({net}(x), y).backward(){mark}
                    opt.step()
                {net}.eval()
                with torch.no_grad():
                    for x, y in loader:
                        print(nn.functional.mse_loss({net}(x), y).item())
"""
KEPT = {
    "an attribute of what is older": """
        class Trainer:
            def round(self, loader, number):
                if number == 0:
                    self.net = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.Linear(8, 1))"""
    + ROUND.format(net="self.net", mark=MARK)
    + """
        def run(loader, rounds: int):
            trainer = Trainer()
            for number in range(rounds):
                trainer.round(loader, number)
        """,
    "a result that is handed in again": """
        class Trainer:
            def round(self, loader, net):
                if net is None:
                    net = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.Linear(8, 1))"""
    + ROUND.format(net="net", mark=MARK)
    + """
                return net
        def run(loader, rounds: int):
            net = None
            for number in range(rounds):
                net = Trainer().round(loader, net)
        """,
}


@pytest.mark.parametrize("name", KEPT)
def test_one_is_kept(name: str) -> None:
    assert_marked(KEPT[name])
