"""What is drawn by chance from a list of objects is any of them: federated learning draws its clients."""

from __future__ import annotations

import pytest

import looplint

CLIENTS = """\
import random
import numpy as np
import torch
from torch import nn

class Client:
    def __init__(self):
        self.model = nn.Linear(2, 2)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)

    def learn(self, x, y):
        nn.functional.mse_loss(self.model(x), y).backward()

class Server:
    def __init__(self, count):
        self.clients = []
        for _ in range(count):
            self.clients.append(Client())

    def train(self, loader):
        for x, y in loader:
            client = DRAWN
            STEP

Server(10).train(loader)
"""


@pytest.mark.parametrize(
    "drawn",
    [
        "random.choice(self.clients)",
        "np.random.choice(self.clients)",
        "np.random.choice(self.clients, size=3)[0]",
        "random.sample(self.clients, k=5)[-1]",
        "list(np.random.permutation(self.clients))[0]",
    ],
)
def test_a_client_that_is_drawn(drawn: str) -> None:
    program = CLIENTS.replace("DRAWN", drawn)
    right = program.replace("STEP", "client.optimizer.zero_grad(); client.learn(x, y); client.optimizer.step()")
    wrong = program.replace("STEP", "client.learn(x, y); client.optimizer.zero_grad(); client.optimizer.step()")
    assert [f.code for f in looplint.lint(right)] == []
    assert [f.code for f in looplint.lint(wrong)] == ["LL101"]


def test_what_is_drawn_from_numbers_is_no_object() -> None:
    program = CLIENTS.replace("DRAWN", "self.clients[np.random.choice(range(3), 1)[0]]")
    wrong = program.replace("STEP", "client.learn(x, y); client.optimizer.zero_grad(); client.optimizer.step()")
    assert [f.code for f in looplint.lint(wrong)] == ["LL101"]
