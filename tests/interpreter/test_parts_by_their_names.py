"""What is called of a model out of sight is the part of its name that one optimizer holds, further inside: `model.critic(x)`, `Adam(model.net.critic.parameters())`."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn
from models import build

model = build()
model.train()
actor_opt = torch.optim.Adam(model.{other}.parameters())
critic_opt = torch.optim.Adam(model.{held}.parameters())
for x, reward in torch.load("batches.pt"):
    value = model.{called}(x)
    loss = nn.functional.mse_loss(value, reward)
    {critic}
    actor_loss = -model.actor(x).log_prob(reward).mean()
    actor_opt.zero_grad()
    actor_loss.backward()
    actor_opt.step()
"""
IN_ORDER = "critic_opt.zero_grad()\n    loss.backward()\n    critic_opt.step()"
LATE = "loss.backward()\n    critic_opt.zero_grad()\n    critic_opt.step()"
NEVER = "loss.backward()\n    critic_opt.step()"
NO_STEP = "critic_opt.zero_grad()\n    loss.backward()"


def found(critic: str, held: str = "net.critic", called: str = "critic", other: str = "net.actor") -> list[str]:
    text = PROGRAM.format(other=other, held=held, called=called, critic=critic)
    return [finding.code for finding in looplint.lint(text, isolated=True)]


@pytest.mark.parametrize(
    ("critic", "codes"),
    [(IN_ORDER, []), (LATE, ["LL101"]), (NEVER, ["LL102"]), (NO_STEP, ["LL106"])],
    ids=["in order", "late", "never", "no step"],
)
@pytest.mark.parametrize("held", ["net.critic", "net.q.critic"])
def test_a_part_of_its_name_is_judged(critic: str, codes: list[str], held: str) -> None:
    assert found(critic, held=held) == codes


def test_each_of_two_losses_is_that_of_its_part() -> None:
    """What the critic's backward leaves is cleared before the actor's, which goes through the critic as well."""
    text = PROGRAM.replace("-model.actor(x)", "-model.critic(model.actor(x)) + model.actor(x)")
    text = text.format(other="net.actor", held="net.critic", called="critic", critic=IN_ORDER)
    assert not list(looplint.lint(text, isolated=True))


@pytest.mark.parametrize(
    ("held", "called", "other"),
    [("first.critic", "second.critic", "net.actor"), ("first.critic", "critic", "second.critic")],
    ids=["beside it", "two of its name"],
)
def test_others_are_not_told_apart(held: str, called: str, other: str) -> None:
    assert found(LATE, held=held, called=called, other=other) == []


def test_what_may_be_a_method_is_for_the_step_after_it() -> None:
    """Under another name it is a method that may apply any part: the place of its backward tells whose it is."""
    assert [found(critic, called="value") for critic in (IN_ORDER, LATE, NO_STEP)] == [[], ["LL101"], ["LL106"]]
