"""LL301 says which `eval()` stays in force, from which turn of which loop on, and where `train()` has to come."""

from __future__ import annotations

import pytest

import looplint

HEAD = """\
import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 9), nn.Dropout(), nn.Linear(9, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = torch.utils.data.DataLoader(train_set, shuffle=True)
valid = torch.utils.data.DataLoader(valid_set)


def evaluate():
    model.eval()
    with torch.no_grad():
        for x in valid:
            print(nn.functional.mse_loss(model(x), x).item())


def learn(x):
    loss = nn.functional.mse_loss(model(x), x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


"""
IN_EACH_BATCH = """\
model.train()
for epoch in range(9):
    for x in loader:
        learn(x)
        evaluate()
    model.train()
"""
BEFORE_THE_BATCHES = """\
for epoch in range(9):
    model.train()
    evaluate()
    for x in loader:
        learn(x)
"""
IN_ROUNDS_OF_AN_EPOCH = """\
for epoch in range(9):
    model.train()
    evaluate()
    for _ in range(5):
        for x in loader:
            learn(x)
        evaluate()
"""
AFTER_EACH_TASK = """\
for task in range(len(tasks)):
    for epoch in range(4):
        for x in loader:
            learn(x)
    evaluate()
"""
AFTER_EACH_CLIENT = """\
for client in clients:
    for x in client.loader:
        learn(x)
    evaluate()
"""
AFTER_EACH_EPOCH = """\
while True:
    for x in loader:
        learn(x)
    SWITCH
    with torch.no_grad():
        for x in valid:
            print(model(x))
"""


def said(program: str) -> str:
    (message,) = [f.message for f in looplint.lint(HEAD + program, isolated=True) if f.code == "LL301"]
    return message


@pytest.mark.parametrize(
    ("program", "since", "cure"),
    [
        (IN_EACH_BATCH, "from the second batch on, as nothing in this loop calls model.train() after the eval() in evaluate()", "right after that"),
        (BEFORE_THE_BATCHES, "from the first epoch on, as nothing between the eval() in evaluate() and here calls model.train()", "right after that"),
        (IN_ROUNDS_OF_AN_EPOCH, "from the first turn on, as nothing in this loop calls model.train() after the eval() in evaluate()", "right after that"),
        (AFTER_EACH_TASK, "from the second turn on, as nothing in this loop calls model.train() after the eval() in evaluate()", "right after that"),
        (AFTER_EACH_CLIENT, "from the second turn on, as nothing in this loop calls model.train() after the eval() in evaluate()", "right after that"),
        (AFTER_EACH_EPOCH.replace("SWITCH", "model.eval()"), "from the second epoch on, as nothing in this loop calls model.train() after model.eval()", "at the start of each epoch"),
        (AFTER_EACH_EPOCH.replace("SWITCH", "model.train(False)"), "from the second epoch on, as nothing in this loop calls model.train() after model.train(False)", "at the start of each epoch"),
    ],
    ids=["batch", "before", "rounds", "tasks", "clients", "eval", "train(False)"],
)  # fmt: skip
def test_since_when_and_why(program: str, since: str, cure: str) -> None:
    assert said(program) == f"model is in eval mode here {since}: dropout is off; call it {cure}"


@pytest.mark.parametrize(
    "program",
    [
        IN_EACH_BATCH.replace("        evaluate()", "        evaluate()\n        model.train()"),
        BEFORE_THE_BATCHES.replace("    model.train()\n    evaluate()", "    evaluate()\n    model.train()"),
        AFTER_EACH_TASK.replace("        for x in loader", "        model.train()\n        for x in loader"),
    ],
    ids=["batch", "before", "tasks"],
)
def test_the_call_that_is_asked_for_cures_it(program: str) -> None:
    assert [f for f in looplint.lint(HEAD + program, isolated=True) if f.code in ("LL301", "LL304")] == []
