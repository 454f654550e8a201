"""LL503: what a model puts out is a tensor where its forward returns one for certain, however it is used."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
from elsewhere import Graph, compare

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x):
        h = self.one(x)
        {returned}

def train(loader, device):
    net = {net}
    opt = torch.optim.Adam(net.parameters())
    for x, y in loader:
        out = net(x)
        out.to(device){mark}
        loss = compare(out.float(), y.to(device).float())
        opt.zero_grad()
        loss.backward()
        opt.step()
"""
FOUND = "  # expect: LL503"


@pytest.mark.parametrize(
    ("net", "returned", "mark"),
    [
        pytest.param("Net()", "return self.two(h)", FOUND, id="of a layer"),
        pytest.param("Net()", "return torch.relu(self.two(h)) + h", FOUND, id="of an operation"),
        pytest.param("nn.Sequential(Net(), nn.Linear(8, 8))", "return h", FOUND, id="of several layers"),
        pytest.param("Net()", "return Graph(h, self.two(h))", "", id="an object out of sight, which may move in place"),
        pytest.param("Graph()", "return h", "", id="of a model out of sight"),
        pytest.param("Net()", "return self.two(h) if h.any() else Graph(h)", "", id="one of both"),
    ],
)
def test_outputs(net: str, returned: str, mark: str) -> None:
    assert_marked(PROGRAM.format(net=net, returned=returned, mark=mark))
