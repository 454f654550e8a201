"""Passes over data by a `while` loop, which takes a batch in each turn until there is none."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.Linear(8, 2))
            def forward(self, x):
                return self.body(x)
        def validate(model, source):
            correct = offset = 0
            LOOP
            return correct
        def main(args, loader, source):
            model = Net()
            opt = torch.optim.SGD(model.parameters(), lr=0.1)
            for epoch in range(args.epochs):
                model.train()
                for x, y in loader:
                    opt.zero_grad()
                    nn.functional.cross_entropy(model(x), y).backward()
                    opt.step()
                print(validate(model, source))
        """
# That a graph is built is told wherever it is.
GRAPH = "  # expect: LL303"
COUNTED = f"correct += (model(x).argmax(1) == y).sum().item(){GRAPH}  # expect: LL302"
DRAINED = [
    ["x, y = source.next()", "while x is not None:", f"    {COUNTED}", "    x, y = source.next()"],
    ["while True:", "    batch = source.next()", "    if batch is None:", "        break", "    x, y = batch", f"    {COUNTED}"],
    [
        "while 1:",
        "    x, y = source.read(start=offset)",
        "    if x is None:",
        "        print('done')",
        "        break",
        f"    {COUNTED}",
        "    offset += 1",
    ],
    ["batches = iter(source)", "while True:", "    try:", "        x, y = next(batches)", "    except StopIteration:", "        break"]
    + [f"    {COUNTED}"],
]
STEPPED = [
    ["x, y = source.reset()", "while x is not None:", f"    moved = model(x).argmax(1){GRAPH}", "    correct += (moved == y).sum().item()"]
    + ["    x, y = source.step(moved)"],
    ["x = source.first()", "while True:", f"    found = model(x).argmax(1){GRAPH}", "    x = source.after(found)", "    if x is None:"]
    + ["        break", "    correct += (found == 1).sum().item()"],
    [
        "x, y = source.next()",
        "while correct < 10:",
        f"    correct += (model(x).argmax(1) == y).sum().item(){GRAPH}",
        "    x, y = source.next()",
    ],
]


def _with(loop: list[str]) -> str:
    return PROGRAM.replace("LOOP", "\n            ".join(loop))


@pytest.mark.parametrize("loop", DRAINED, ids=["not None", "left where None", "from a place on", "StopIteration"])
def test_a_pass_until_nothing_is_left(loop: list[str]) -> None:
    assert_marked(_with(loop))


@pytest.mark.parametrize("loop", STEPPED, ids=["steps of a game", "steps of a decoder", "until a number"])
def test_steps_that_follow_from_each_other(loop: list[str]) -> None:
    assert_marked(_with(loop))
