"""Two optimizers of shared parameters: what the other one's backward leaves is wiped on purpose, and hides no step before its own backward (LL105)."""

from __future__ import annotations

from textwrap import dedent

import pytest

import looplint
from programs import assert_marked

PROGRAM = """
        def train(loader, dim, few):
            features, actor, critic = nn.Linear(dim, 8), nn.Linear(8, 2), nn.Linear(8, 1)
            first = torch.optim.Adam([*features.parameters(), *actor.parameters()], lr=0.1)
            second = torch.optim.Adam([*features.parameters(), *critic.parameters()], lr=0.1)
            for x, y in loader:
                code = features(x)
                {turn}
"""
ACTOR = ["first.zero_grad()", "nn.functional.cross_entropy(actor(code), y).backward()", "first.step()"]
CRITIC = ["second.zero_grad()", "critic(features(x)).pow(2).mean().backward()", "second.step()"]
MARK = "  # expect: LL105"


def _program(*lines: str) -> str:
    return PROGRAM.format(turn="\n                ".join(lines))


def test_the_second_steps_before_its_backward() -> None:
    clear, backward, step = CRITIC
    assert_marked(_program(*ACTOR, clear, step + MARK, backward))
    assert_marked(_program(*ACTOR, *CRITIC))


def test_the_first_steps_before_its_backward() -> None:
    clear, backward, step = ACTOR
    assert_marked(_program(clear, step + MARK, backward, *CRITIC))


def test_the_other_one_steps_under_a_condition() -> None:
    clear, backward, step = CRITIC
    under = ["if few:", *(f"    {line}" for line in ACTOR)]
    assert_marked(_program(*under, clear, step + MARK, backward))
    assert_marked(_program(*under, *CRITIC))


@pytest.mark.parametrize(
    "turn",
    [
        # One backward is for both.
        ["second.zero_grad()", *ACTOR, "second.step()", CRITIC[1]],
        # Nothing steps on what is wiped: that clear stands at the wrong place.
        [ACTOR[0], ACTOR[1], "second.zero_grad()", "second.step()", CRITIC[1], "first.step()"],
    ],
)
def test_what_no_other_one_uses_is_its_own(turn: list[str]) -> None:
    text = f"import torch\nfrom torch import nn\n{dedent(_program(*turn))}"
    assert "LL105" not in [f.code for f in looplint.lint(text, isolated=True)]
