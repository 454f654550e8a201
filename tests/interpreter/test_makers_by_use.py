"""What is handed in and called makes a model where the program uses what the call gives as one, whatever its name says."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAMS = {
    "kept by a class that also has makers of its own": """
        class Estimator:
            def __init__(self, model="mlp"):
                self.net = None
                self.build = self.build_mlp if isinstance(model, str) else model

            def build_mlp(self, width):
                return nn.Sequential(nn.Linear(width, width), nn.Dropout(), nn.Linear(width, 2))

            def fit(self, loader, valid, width):
                if self.net is None:
                    self.net = self.build(width)
                optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)
                for epoch in range(3):
                    for x, y in loader:
                        optimizer.zero_grad()
                        loss = nn.functional.mse_loss(self.net(x), y)  # expect: LL301
                        loss.backward()
                        optimizer.step()
                    self.net.eval()
                    with torch.no_grad():
                        for x, y in valid:
                            print(nn.functional.mse_loss(self.net(x), y).item())
        """,
    "called for a model of this function": """
        def fit(model, loader, width):
            net = model(width)
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            for x, y in loader:
                loss = nn.functional.mse_loss(net(x), y)
                loss.backward()  # expect: LL102
                optimizer.step()
        """,
    "kept under another name": """
        class Trainer:
            def __init__(self, backbone, width):
                self.maker = backbone
                self.width = width

            def fit(self, loader):
                self.net = self.maker(self.width)
                optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)
                for x, y in loader:
                    loss = nn.functional.mse_loss(self.net(x), y)
                    loss.backward()  # expect: LL102
                    optimizer.step()
        """,
    "a model gives no model": """
        def fit(model, loader):
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for x, y in loader:
                out = model(x)
                loss = nn.functional.mse_loss(out, y)
                loss.backward()  # expect: LL102
                optimizer.step()
        """,
}


@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_what_it_gives_is_the_model(text: str) -> None:
    assert_marked(text)
