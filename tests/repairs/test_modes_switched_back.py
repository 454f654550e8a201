"""The repair of a pass in train mode puts train() after it, unless something does so before each forward that trains the model."""

from __future__ import annotations

from pathlib import Path

import pytest

from repaired_text import fixed

CLIENTS = """\
import torch
from torch import nn


class Client:
    def __init__(self, model):
        self.model = model
        self.generator = None
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def set_parameters(self, generator):
        self.generator = generator

    def train(self, loader):
        self.model.train()
        for x, y in loader:
            self.optimizer.zero_grad()
            loss = nn.functional.mse_loss(self.model(x), y) + self.model(self.generator(x)).mean()
            loss.backward()
            self.optimizer.step()

    def evaluate(self, loader):
        self.model.eval()
        total = 0
        with torch.no_grad():
            for x, y in loader:
                total += nn.functional.mse_loss(self.model(self.generator(x)), y).item()
        return total


class Server:
    def __init__(self, loader):
        self.loader = loader
        self.generator = nn.Sequential(nn.Linear(8, 8), nn.BatchNorm1d(8))
        self.optimizer = torch.optim.Adam(self.generator.parameters())
        self.clients = [Client(nn.Linear(8, 8)) for _ in range(3)]

    def train(self):
        for _ in range(5):
            for client in self.clients:
                client.set_parameters(self.generator)
                print(client.evaluate(self.loader))
            for client in self.clients:
                client.train(self.loader)
            self.train_generator()

    def train_generator(self):
        self.generator.train()
        for x, y in self.loader:
            self.optimizer.zero_grad()
            loss = nn.functional.mse_loss(self.generator(x), y)
            loss.backward()
            self.optimizer.step()


Server([(torch.randn(4, 8), torch.randn(4, 8)) for _ in range(8)]).train()
"""
PASS = """\
        with torch.no_grad():
            for x, y in loader:
                total += nn.functional.mse_loss(self.model(self.generator(x)), y).item()
"""
SWITCHED = "        self.model.train()\n        self.generator.train()\n"
LATER = """\
            for client in self.clients:
                client.set_parameters(self.generator)
                print(client.evaluate(self.loader))
            for client in self.clients:
                client.train(self.loader)
            self.train_generator()
"""
FIRST = """\
            self.train_generator()
            for client in self.clients:
                client.set_parameters(self.generator)
                print(client.evaluate(self.loader))
"""


@pytest.mark.parametrize(
    ("program", "switches_back"),
    [
        (CLIENTS, True),  # the clients train with it before the server puts it in train mode
        (CLIENTS.replace("        self.model.train()\n", SWITCHED), False),
        (CLIENTS.replace(LATER, FIRST), False),
        (CLIENTS.replace(LATER, FIRST + "            client.train(self.loader)\n"), True),
    ],
)
def test_train_stands_after_the_pass_where_nothing_else_does_it_in_time(tmp_path: Path, program: str, switches_back: bool) -> None:
    kept, back = (
        ("        was_training = self.generator.training\n", "        self.generator.train(was_training)\n") if switches_back else ("", "")
    )
    repaired = fixed(tmp_path / "loop.py", program.encode()).decode()
    assert repaired == program.replace(PASS, kept + "        self.generator.eval()\n" + PASS + back)
    assert fixed(tmp_path / "loop.py", repaired.encode()).decode() == repaired
