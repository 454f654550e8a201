"""What is written into an item of data out of sight has its graph there: `action[0] = actor(state)`."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
net = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5))
critic = nn.Linear(8, 1)
opt = torch.optim.Adam(net.parameters())
for step in range(1000):
    x, y = torch.load(f"{{step}}.pt")
    opt.zero_grad()
    {written}
    loss = -critic(action).mean()
    loss.backward()
    opt.step(){mark}
"""
GONE = "  # expect: LL107"


@pytest.mark.parametrize(
    ("written", "mark"),
    [
        pytest.param("action = y.clone().detach(); action[0, :] = net(x)[0]", "", id="rows"),
        pytest.param("action = y.clone(); action[y > 0] = net(x)[y > 0]", "", id="a mask"),
        pytest.param("made = []; action = y[0].clone(); action[0] = net(x)[0]; made.append(action); action = torch.stack(made)", "", id="collected"),
        pytest.param("action = y.clone(); action['a'] = net(x)", "", id="a key"),
        pytest.param("action = y.clone(); action[0] = net(x)[0].detach()", GONE, id="values alone"),
        pytest.param("other = y.clone(); other[0] = net(x)[0]; action = y", GONE, id="another one is used"),
    ],
)  # fmt: skip
def test_its_graph_is_there(written: str, mark: str) -> None:
    assert_marked(PROGRAM.format(written=written, mark=mark))
