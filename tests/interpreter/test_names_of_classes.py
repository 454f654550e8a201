"""The class of an object and its name are known where the object is: a test of the name chooses, and the class builds another one."""

from __future__ import annotations

import pytest

from programs import assert_marked

CHOSEN = """
def is_cyclic(scheduler):
    return "cycl" in scheduler.__class__.__name__.lower()

net = nn.Linear(2, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(opt)
for epoch in range(9):
    for x, y in loader:
        opt.zero_grad()
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        opt.step()
    if {test}:
        scheduler.step(loss.item())
    else:
        scheduler.step(){mark}
"""
BUILT = """
class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = {layer}

    def forward(self, x):
        return self.body(x)

first = Net(2)
net = {again}(3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(9):
    for x, y in loader:
        opt.zero_grad()
        nn.functional.mse_loss(net(x), y).backward(){mark}
        opt.step()
    net.eval()
    with torch.no_grad():
        print(sum(nn.functional.mse_loss(net(x), y).item() for x, y in valid))
"""


@pytest.mark.parametrize(
    "test",
    [
        "not is_cyclic(scheduler)",
        'type(scheduler).__name__ == "ReduceLROnPlateau"',
        'scheduler.__class__.__name__.startswith("Reduce")',
        '"plateau" in type(scheduler).__name__.lower()',
    ],
)
def test_a_name_that_is_known_chooses(test: str) -> None:
    assert_marked(CHOSEN.replace("{test}", test).replace("{mark}", ""))
    assert_marked(CHOSEN.replace("{test}", f"not ({test})").replace("{mark}", "  # expect: LL204"))


@pytest.mark.parametrize("again", ["type(first)", "first.__class__", "Net"])
def test_the_class_builds_another_one(again: str) -> None:
    program = BUILT.replace("{again}", again)
    assert_marked(program.replace("{layer}", "nn.Linear(width, 2)").replace("{mark}", ""))
    assert_marked(program.replace("{layer}", "nn.Sequential(nn.Linear(width, 2), nn.Dropout())").replace("{mark}", "  # expect: LL301"))
