"""The networks of tianshou are modules: their forwards are seen where nothing else says what they are, and a loss of theirs that goes nowhere (LL107)."""

from __future__ import annotations

import pytest

from tests.programs import assert_marked

PROGRAM = """
from torch import nn, optim
from tianshou.utils.net.common import ActorCritic, Net
from tianshou.utils.net.continuous import ActorProb, Critic


def train(batches, epochs: int):
    actor = ActorProb(Net(4), 2).to("cpu")
    {built}
    for epoch in range(epochs):
        for x, y in batches:
            loss = 0
            for critic in critics:
                loss += (y - critic(x).flatten()).pow(2).mean()
            optimizer.zero_grad()
            {backward}
            print(loss.item())


train([], 10)
"""
BUILT = {
    "a list that another one holds": """\
critics = [Critic(Net(4)).to("cpu") for _ in range(2)]
    optimizer = optim.Adam(ActorCritic(actor, critics).parameters(), lr=1e-3)""",
    "a ModuleList": """\
    critics = nn.ModuleList([Critic(Net(4)) for _ in range(2)])
    optimizer = optim.Adam(critics.parameters(), lr=1e-3)""",
    "one beside the actor": """\
critics = [Critic(Net(4))]
    optimizer = optim.Adam([*actor.parameters(), *critics[0].parameters()], lr=1e-3)""",
    "in a container with the actor": """\
critics = [Critic(Net(4)).to("cpu")]
    optimizer = optim.Adam(nn.ModuleList([actor, *critics]).parameters(), lr=1e-3)""",
}
STEP = "optimizer.step()"


@pytest.mark.parametrize("case", BUILT)
def test_a_step_without_a_backward(case: str) -> None:
    assert_marked(PROGRAM.format(built=BUILT[case].strip(), backward=f"{STEP}  # expect: LL107"))


@pytest.mark.parametrize("case", BUILT)
def test_a_step_behind_one(case: str) -> None:
    assert_marked(PROGRAM.format(built=BUILT[case].strip(), backward=f"loss.backward()\n            {STEP}"))
