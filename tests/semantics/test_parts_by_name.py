"""A part that a container is built with under a key is the module itself: what goes backward through it is no other optimizer's."""

from __future__ import annotations

import pytest

from programs import assert_marked

AGENT = """
        from collections import OrderedDict

        class Agent:
            def __init__(self, net, condition):
                self.model = {built}
                self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)

            def update(self, x, c):
                loss = ((self.model["net"](x) + self.model["condition"](c) - x) ** 2).mean()
                loss.backward()
                self.optimizer.step()
                self.optimizer.zero_grad()

        def main(loader):
            critic = nn.Linear(8, 1)
            agent = Agent(nn.Linear(8, 8), nn.Linear(8, 8))
            optimizer = torch.optim.SGD(critic.parameters(), lr=0.1)
            for x, y in loader:
                agent.update(x, y)
                optimizer.zero_grad()
                loss = nn.functional.mse_loss(critic(x), y)
                {steps}
"""
EARLY = "optimizer.step()  # expect: LL105\n                loss.backward()"
RIGHT = "loss.backward()\n                optimizer.step()"
BY_KEY = 'nn.ModuleDict({"net": net, "condition": condition})'

PROGRAMS = {
    "by its key": AGENT.format(built=BY_KEY, steps=EARLY),
    "by its key, as it should be": AGENT.format(built=BY_KEY, steps=RIGHT),
    "of a dict with keywords": AGENT.format(built="nn.ModuleDict(dict(net=net, condition=condition))", steps=EARLY),
    "of pairs": AGENT.format(built='nn.ModuleDict([("net", net), ["condition", condition]])', steps=EARLY),
    "of a dict in order": AGENT.format(built='nn.ModuleDict(OrderedDict([("net", net), ("condition", condition)]))', steps=EARLY),
    "of an update": AGENT.format(
        built='nn.ModuleDict({"net": net})\n                self.model.update({"condition": condition})', steps=EARLY
    ),
    "of one that is moved": AGENT.format(
        built=BY_KEY.replace("net}", 'net.to("cuda")}').replace(": net,", ': net.to("cuda"),'), steps=EARLY
    ),
    "a part that a branch replaces may be either": """
        def main(args, loader):
            old, new = nn.Linear(8, 2), nn.Linear(8, 2)
            net = nn.ModuleDict({"head": old})
            if args.new:
                net["head"] = new
            optimizer = torch.optim.SGD(old.parameters(), lr=0.1)
            for x, y in loader:
                optimizer.zero_grad()
                nn.functional.cross_entropy(net["head"](x), y).backward()
                optimizer.step()
        """,
    "what a class gives under a key is what its method returns": """
        class Heads(nn.Module):
            def __init__(self):
                super().__init__()
                self.first, self.second = nn.Linear(8, 2), nn.Linear(8, 2)

            def __getitem__(self, name):
                return self.second if name == "first" else self.first

        def main(loader):
            heads = Heads()
            optimizer = torch.optim.SGD(heads.second.parameters(), lr=0.1)
            for x, y in loader:
                optimizer.zero_grad()
                nn.functional.cross_entropy(heads["first"](x), y).backward()
                optimizer.step()
        """,
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_parts_by_name(program: str) -> None:
    assert_marked(program)
