"""What the layers of a model tell: whether its train and eval mode differ, and whether it has parameters."""

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
    "layers of einops only rearrange": """
        from einops.layers.torch import Rearrange, Reduce
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = nn.Sequential(Rearrange("b c h w -> b (c h w)"), nn.LayerNorm(12), nn.Linear(12, 4))
                self.pool = Reduce("b d -> b", "mean")
            def forward(self, x):
                return self.pool(self.layers(x))
        def train(loader, valid):
            net = Net()
            opt = torch.optim.Adam(net.parameters())
            for epoch in range(3):
                for x, y in loader:
                    opt.zero_grad()
                    nn.functional.mse_loss(net(x), y).backward()
                    opt.step()
                with torch.no_grad():
                    for x, y in valid:
                        print(nn.functional.mse_loss(net(x), y).item())
        """,
    "layers of einops stand beside one with a mode": """
        from einops.layers.torch import Rearrange, Reduce
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = nn.Sequential(Rearrange("b c h w -> b (c h w)"), nn.LayerNorm(12), nn.Linear(12, 4), nn.Dropout(0.5))
                self.pool = Reduce("b d -> b", "mean")
            def forward(self, x):
                return self.pool(self.layers(x))
        def train(loader, valid):
            net = Net()
            opt = torch.optim.Adam(net.parameters())
            for epoch in range(3):
                for x, y in loader:
                    opt.zero_grad()
                    nn.functional.mse_loss(net(x), y).backward()
                    opt.step()
                with torch.no_grad():
                    for x, y in valid:
                        print(nn.functional.mse_loss(net(x), y).item())  # expect: LL302
        """,
    "a loss of the program that wraps those of torch has no parameters": """
        class WeightedLoss(nn.Module):
            def __init__(self, weight):
                super().__init__()
                self.weight = weight
                self.inner = nn.CrossEntropyLoss(reduction="none")
            def forward(self, logits, target):
                return (self.inner(logits, target) * self.weight).mean()
        def validate(net: nn.Module, valid):
            criterion, total = WeightedLoss(0.5), 0
            net.eval()
            for x, y in valid:
                with torch.no_grad():
                    logits = net(x)
                total += criterion(logits, y)
            return total
        """,
}


@pytest.mark.parametrize("program", [pytest.param(text, id=name) for name, text in PROGRAMS.items()])
def test_each_marked_line_is_reported_and_no_other(program: str) -> None:
    assert_marked(program)
