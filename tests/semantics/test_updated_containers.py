"""`nn.ModuleDict.update` takes what a dict or another container holds as its parts, which an optimizer may have by themselves."""

from __future__ import annotations

import pytest

from programs import assert_marked

LOOP = """
        class Heads(nn.Module):
            def __init__(self, heads):
                super().__init__()
                self.heads = nn.ModuleDict()
                self.heads.update(heads)

            def forward(self, x):
                return {{name: head(x) for name, head in self.heads.items()}}

        def main(loader, rates):
            heads = {heads}
            groups = []
            for rate in rates:
                head = nn.Linear(8, 2)
                heads[f"at_{{rate}}"] = head
                groups.append({{"params": head.parameters(), "lr": rate}})
            net = Heads(heads)
            optimizer = torch.optim.SGD(groups, lr=0.1)
            for x in loader:
                {before}
                loss = sum(each.mean() for each in net(x).values())
                loss.backward()
                {after}
                optimizer.step()
"""
CLEAR = "optimizer.zero_grad()"
LATE = {"before": "pass", "after": f"{CLEAR}  # expect: LL101"}

PROGRAMS = {
    "with another container": LOOP.format(heads="nn.ModuleDict()", **LATE),
    "with a dict": LOOP.format(heads="{}", **LATE),
    "with another container, as it should be": LOOP.format(heads="nn.ModuleDict()", before=CLEAR, after="pass"),
    "of a container that is built": """
        def main(loader):
            net = nn.ModuleDict({"body": nn.Linear(8, 8)})
            net.update({"head": nn.Linear(8, 2)})
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            for x, y in loader:
                out = net["head"](net["body"](x))
                nn.functional.cross_entropy(out, y).backward()  # expect: LL102
                optimizer.step()
        """,
    "a method of this name that averages": """
        class Average(nn.Module):
            def __init__(self, net):
                super().__init__()
                self.net = net

            def update(self, net):
                for mine, other in zip(self.net.parameters(), net.parameters()):
                    mine.data.lerp_(other.data, 0.1)

        def main(loader):
            net, average = nn.Linear(8, 2), Average(nn.Linear(8, 2))
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            for x, y in loader:
                optimizer.zero_grad()
                nn.functional.cross_entropy(net(x), y).backward()
                optimizer.step()
                average.update(net)
        """,
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_updated_containers(program: str) -> None:
    assert_marked(program)
