"""What a forward puts out lies in an object that code out of sight gets: that may make a loss of it, which goes backward beside what is known of."""

from __future__ import annotations

import pytest

import looplint

LIST = """\
class Episode:
    def __init__(self):
        self.kept = []

    def add(self, value):
        self.kept.append(value)
"""
FIELD = """\
@dataclass
class Episode:
    kept: dict = field(default_factory=dict)

    def add(self, value):
        self.kept.setdefault("values", []).append(value)
"""
MODULE = """\
class Episode(nn.Module):
    def add(self, value):
        self.last = value
"""
PROGRAM = """\
from dataclasses import dataclass, field

import torch
from torch import nn
from elsewhere import batches, objective


{episode}

def play(policy, episode):
    for x, y in batches():
        out = policy(x)
        episode.add({kept})
        print((out.argmax(1) == y).sum().item())


def main():
    policy, baseline = nn.Linear(4, 2), nn.Linear(4, 1)
    optimizer = torch.optim.Adam([*policy.parameters(), *baseline.parameters()], lr=0.01)
    for _ in range(100):
        episode = Episode()
        play(policy, episode)
        loss = {loss}baseline(torch.ones(4)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
"""


def codes(episode: str, kept: str, loss: str) -> set[str]:
    return {f.code for f in looplint.lint(PROGRAM.format(episode=episode, kept=kept, loss=loss), isolated=True)}


@pytest.mark.parametrize("episode", [LIST, FIELD, MODULE])
def test_what_code_out_of_sight_may_make_a_loss_of_keeps_its_graph(episode: str) -> None:
    assert not codes(episode, "out", "objective(episode) + ") & {"LL303", "LL401"}


@pytest.mark.parametrize("episode", [LIST, FIELD, MODULE])
@pytest.mark.parametrize(("kept", "loss"), [("out", ""), ("out.detach()", "objective(episode) + ")])
def test_what_nothing_makes_a_loss_of_needs_none(episode: str, kept: str, loss: str) -> None:
    assert "LL303" in codes(episode, kept, loss)
