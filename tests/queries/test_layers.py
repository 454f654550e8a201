"""Layers of a model that are taken by a number: what they are decides whether train and eval mode differ."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAMS = {
    "the last of the layers that a loop has appended": """
        from torch.nn import functional as F
        class MLP(nn.Module):
            def __init__(self, width, depth):
                super().__init__()
                self.depth = depth
                self.layers = nn.ModuleList()
                for i in range(depth + 1):
                    self.layers.append(nn.Linear(width, width))
            def forward(self, x):
                for i in range(self.depth):
                    x = F.relu(self.layers[i](x))
                return self.layers[-1](x)
        def fit(loader, held_out, width, depth):
            net = MLP(width, depth)
            opt = torch.optim.Adam(net.parameters())
            net.train()
            for epoch in range(3):
                for x, y in loader:
                    opt.zero_grad()
                    F.cross_entropy(net(x), y).backward()
                    opt.step()
                with torch.no_grad():
                    for x, y in held_out:
                        print(F.cross_entropy(net(x), y).item())
        """,
    "the last of the layers with dropout that a loop has appended": """
        from torch.nn import functional as F
        class MLP(nn.Module):
            def __init__(self, width, depth):
                super().__init__()
                self.depth = depth
                self.layers = nn.ModuleList()
                for i in range(depth + 1):
                    self.layers.append(nn.Sequential(nn.Linear(width, width), nn.Dropout()))
            def forward(self, x):
                for i in range(self.depth):
                    x = F.relu(self.layers[i](x))
                return self.layers[-1](x)
        def fit(loader, held_out, width, depth):
            net = MLP(width, depth)
            opt = torch.optim.Adam(net.parameters())
            net.train()
            for epoch in range(3):
                for x, y in loader:
                    opt.zero_grad()
                    F.cross_entropy(net(x), y).backward()
                    opt.step()
                with torch.no_grad():
                    for x, y in held_out:
                        print(F.cross_entropy(net(x), y).item())  # expect: LL302
        """,
}


@pytest.mark.parametrize("program", [pytest.param(text, id=name) for name, text in PROGRAMS.items()])
def test_each_marked_line_is_reported_and_no_other(program: str) -> None:
    assert_marked(program)
