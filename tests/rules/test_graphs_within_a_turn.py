"""LL110: a hidden state that a loop inside the turn carries on, and that each turn begins anew, takes no graph of the turn before with it."""

from __future__ import annotations

import pytest

import looplint
from tests.programs import assert_marked

PROGRAM = """
from torch import optim


class Trainer:
    def __init__(self):
        self.cell, self.head = nn.GRUCell(2, 4), nn.Linear(4, 2)
        self.optimizer = optim.SGD([*self.cell.parameters(), *self.head.parameters()], lr=0.1)
        self.hidden = torch.zeros(1, 4)
        self.states = []

    def train(self, loader, memory):
        hidden = torch.zeros(1, 4)
        self.cell.train()
        self.head.train()
        for x, y in loader:
            self.optimizer.zero_grad()
{turn}
            loss.backward(retain_graph=True){mark}
            self.optimizer.step()
"""
MARK = "  # expect: LL110"
ANEW = {
    "a name": """\
            hidden = torch.zeros(len(x), 4)
            loss = 0
            for t in range(5):
                hidden = self.cell(x[:, t], hidden)
                loss = loss + nn.functional.mse_loss(self.head(hidden), y[:, t])""",
    "a name on two ways": """\
            if len(x) > 4:
                state = torch.zeros(len(x), 4)
            else:
                state = torch.ones(len(x), 4)
            for t in range(5):
                state = self.cell(x[:, t], state)
            loss = nn.functional.mse_loss(self.head(state), y)""",
    "what is cut off": """\
            loss = 0
            hidden = hidden.detach()
            for part in x.unbind(1):
                hidden = self.cell(part, hidden)
                loss = loss + self.head(hidden).square().mean()""",
    "what an object out of sight keeps is cut off": """\
            loss, state = 0, memory.states[0]
            for t in range(5):
                state = self.cell(x[:, t], state)
                memory.states[t] = state.detach()
                loss = loss + nn.functional.mse_loss(self.head(state), y[:, t])""",
    "a list of them": """\
            states = [torch.zeros(len(x), 4)]
            for t in range(5):
                states.append(self.cell(x[:, t], states[-1]))
            loss = nn.functional.mse_loss(self.head(torch.stack(states)), y)""",
}
CARRIED = {
    "a name": """\
            loss = 0
            for t in range(5):
                hidden = self.cell(x[:, t], hidden)
                loss = loss + nn.functional.mse_loss(self.head(hidden), y[:, t])""",
    "a name that some turns begin anew": """\
            loss = 0
            if y.sum() > 0:
                hidden = torch.zeros(len(x), 4)
            for t in range(5):
                hidden = self.cell(x[:, t], hidden)
                loss = loss + nn.functional.mse_loss(self.head(hidden), y[:, t])""",
    "another name for it": """\
            loss, state = 0, hidden
            for t in range(5):
                state = self.cell(x[:, t], state)
                loss = loss + nn.functional.mse_loss(self.head(state), y[:, t])
            hidden = state""",
    "an attribute": """\
            loss = 0
            for t in range(5):
                self.hidden = self.cell(x[:, t], self.hidden)
                loss = loss + nn.functional.mse_loss(self.head(self.hidden), y[:, t])""",
    "an object out of sight": """\
            loss, state = 0, memory.state
            for t in range(5):
                state = self.cell(x[:, t], state)
                loss = loss + nn.functional.mse_loss(self.head(state), y[:, t])
            memory.state = state""",
    "an item of an object out of sight": """\
            loss, state = 0, memory.states[0]
            for t in range(5):
                state = self.cell(x[:, t], state)
                memory.states[t] = state
                loss = loss + nn.functional.mse_loss(self.head(state), y[:, t])""",
    "a list that outlives the turn": """\
            loss = 0
            state = self.states[-1] if self.states else hidden
            for t in range(5):
                state = self.cell(x[:, t], state)
                loss = loss + nn.functional.mse_loss(self.head(state), y[:, t])
            self.states.append(state)""",
}


@pytest.mark.parametrize("case", ANEW)
def test_each_turn_begins_anew(case: str) -> None:
    assert_marked(PROGRAM.format(turn=ANEW[case], mark=MARK))


@pytest.mark.parametrize("case", CARRIED)
def test_a_turn_goes_on_from_the_one_before(case: str) -> None:
    program = PROGRAM.format(turn=CARRIED[case], mark="")
    assert "LL110" not in {f.code for f in looplint.lint(f"import torch\nfrom torch import nn\n{program}", isolated=True)}
