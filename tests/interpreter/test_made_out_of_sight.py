"""What a program does with an object tells what it is, wherever it was made.

Each program says at its lines what must be found there; nothing else may be said.
"""

from __future__ import annotations

import re
from textwrap import dedent

import pytest

import looplint

PROGRAMS = {
    "an optimizer that shares its state among processes": """
        from torch.distributed.optim import ZeroRedundancyOptimizer
        def train(model: nn.Module, loader):
            optimizer = ZeroRedundancyOptimizer(model.parameters(), optimizer_class=torch.optim.Adam)
            for x, y in loader:
                loss = nn.functional.mse_loss(model(x), y)
                loss.backward()  # expect: LL102
                optimizer.step()
        """,
    "a class of torch.optim by its name": """
        def train(model: nn.Module, loader, name):
            optimizer = vars(torch.optim)[name](model.parameters(), lr=0.1)
            for x, y in loader:
                loss = nn.functional.mse_loss(model(x), y)
                loss.backward()  # expect: LL102
                optimizer.step()
        """,
    "main is launched by Fabric, which it gets": """
        from lightning.fabric import Fabric
        def main(fabric, rate):
            model = nn.Linear(4, 1)
            optimizer = torch.optim.SGD(model.parameters(), lr=rate)
            model, optimizer = fabric.setup(model, optimizer)
            for x, y in fabric.setup_dataloaders(data):
                loss = nn.functional.mse_loss(model(x), y)
                fabric.backward(loss)  # expect: LL102
                optimizer.step()
        Fabric(devices=1).launch(main, 0.1)
        """,
    "losses that went backward are handed back": """
        def train(model: nn.Module, objective, loader):
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            history = []
            for x, y in loader:
                optimizer.zero_grad()
                cost = objective(model(x), y)
                cost.backward()
                optimizer.step()
                history.append(cost)  # expect: LL401
            return history
        """,
    "losses that go backward in the caller are handed back": """
        def losses(model: nn.Module, objective, loader):
            found = []
            for x, y in loader:
                found.append(objective(model(x), y))
            return found
        """,
    "a module that a plain object builds is in train mode": """
        class Run:
            def __init__(self):
                self.net = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.Linear(8, 1))
                self.opt = torch.optim.SGD(self.net.parameters(), lr=0.1)
            def train(self, loader):
                for x, y in loader:
                    self.opt.zero_grad()
                    nn.functional.mse_loss(self.net(x), y).backward()
                    self.opt.step()
            @torch.no_grad()
            def validate(self, loader):
                total = 0.0
                for x, y in loader:
                    total += nn.functional.mse_loss(self.net(x), y).item()  # expect: LL302
                return total
        run = Run()
        for epoch in range(3):
            run.train(data)
            print(run.validate(held_out))
        """,
    "a part of a module has the mode of the whole": """
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.net = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.Linear(8, 1))
            def forward(self, x):
                return self.net(x)
        model = Model()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for epoch in range(3):
            model.train()
            for x, y in data:
                optimizer.zero_grad()
                nn.functional.mse_loss(model.net(x), y).backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                print(sum(nn.functional.mse_loss(model.net(x), y).item() for x, y in held_out))
        """,
}


@pytest.mark.parametrize("program", [pytest.param(text, id=name) for name, text in PROGRAMS.items()])
def test_what_is_said_is_what_is_wrong(program: str) -> None:
    text = f"import torch\nfrom torch import nn\n{dedent(program)}"
    expected = {(m[1], row) for row, line in enumerate(text.splitlines(), 1) for m in re.finditer(r"# expect: (LL\d+)", line)}
    found = {(f.code, f.location.row) for f in looplint.lint(text, isolated=True) if f.severity != "advice"}
    assert found == expected
