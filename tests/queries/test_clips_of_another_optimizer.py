"""A clip of parameters out of sight is for the optimizer whose step comes after it, and for no other."""

from textwrap import indent

import pytest

import looplint

HEAD = """\
import torch
from torch import nn
from lib import parameters_of


def learn(model, actor: nn.Module, critic: nn.Module, batches):
    critic_optimizer = torch.optim.Adam(critic.parameters())
    actor_optimizer = torch.optim.Adam(actor.parameters())
    for x, y in batches:
"""
PHASES = (
    HEAD
    + """\
        actor_optimizer.zero_grad()
        nn.functional.mse_loss(actor(x), y).backward()
        {of_actor}
        actor_optimizer.step()
        critic_optimizer.zero_grad()
        nn.functional.mse_loss(critic(x), y).backward()
        {of_critic}
        critic_optimizer.step()
"""
)


@pytest.mark.parametrize(
    ("of_actor", "of_critic"),
    [
        ("nn.utils.clip_grad_norm_(parameters_of('actor'), 1.0)", "nn.utils.clip_grad_norm_(parameters_of('critic'), 1.0)"),
        ("nn.utils.clip_grad_norm_(model.actor.parameters(), 1.0)", "nn.utils.clip_grad_norm_(model.critic.parameters(), 1.0)"),
        ("pass", "norm = nn.utils.clip_grad_norm_(parameters_of('critic'), 1.0)"),
        ("pass", "nn.utils.clip_grad_value_(model.critic.parameters(), 1.0)"),
        ("nn.utils.clip_grad_norm_(model.parameters(), 1.0)", "nn.utils.clip_grad_norm_(model.parameters(), 1.0)"),
    ],
)
def test_each_phase_clips_its_own(of_actor: str, of_critic: str) -> None:
    assert _found(PHASES.format(of_actor=of_actor, of_critic=of_critic)) == set()


def test_both_steps_at_the_end() -> None:
    # Which of the two the clip is for is not known, and it comes before both steps.
    both = """\
        actor_optimizer.zero_grad()
        critic_optimizer.zero_grad()
        (nn.functional.mse_loss(actor(x), y) + nn.functional.mse_loss(critic(x), y)).backward()
        nn.utils.clip_grad_norm_(parameters_of('critic'), 1.0)
        actor_optimizer.step()
        critic_optimizer.step()
"""
    assert _found(HEAD + both) == set()


@pytest.mark.parametrize(
    "clip", ["nn.utils.clip_grad_norm_(parameters_of('actor'), 1.0)", "nn.utils.clip_grad_norm_(actor.parameters(), 1.0)"]
)
def test_a_clip_after_the_only_step(clip: str) -> None:
    body = f"actor_optimizer.zero_grad()\nnn.functional.mse_loss(actor(x), y).backward()\nactor_optimizer.step()\n{clip}\n"
    head = HEAD.replace("    critic_optimizer = torch.optim.Adam(critic.parameters())\n", "")
    assert _found(head + indent(body, "        ")) == {("LL104", 12)}


def _found(text: str) -> set[tuple[str, int]]:
    return {(f.code, f.location.row) for f in looplint.lint(text, isolated=True) if f.code in ("LL103", "LL104")}
