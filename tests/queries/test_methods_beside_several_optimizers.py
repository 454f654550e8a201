"""Methods of a model out of sight give the losses, and several optimizers hold its parts: each backward is for the optimizer that steps after it."""

from __future__ import annotations

from pathlib import Path

import pytest

from looplint.linting.files import lint_paths
from programs import assert_marked

AGENT = """\
import hydra
import torch


class Agent:
    def __init__(self, cfg):
        self.model = hydra.utils.instantiate(cfg.model)


class ActorCritic(Agent):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.actor_optimizer = torch.optim.AdamW(self.model.network.parameters(), lr=cfg.lr)
        self.critic_optimizer = torch.optim.AdamW(self.model.ensemble.values(), lr=cfg.lr)

    def run(self, loader):
        self.model.train()
        for state, action in loader:
            with torch.no_grad():
                self.model(state)
            critic_loss = self.model.loss_critic(state, action)
            self.critic_optimizer.zero_grad()
            critic_loss.backward()
            self.critic_optimizer.step()
            actor_loss = self.model.loss_actor(state)
            self.actor_optimizer.zero_grad()
            actor_loss.backward()
            self.actor_optimizer.step()
"""
JOINT = """\
import torch
from models import build

def run(loader, grad_accumulate, warmup):
    model = build()
    model.train()
    actor_optimizer = torch.optim.Adam(model.actor.parameters())
    critic_optimizer = torch.optim.Adam(model.critic.parameters())
    for epoch in range(9):
        for batch, x in enumerate(loader):
            policy_loss, value_loss = model.loss(x)
            loss = policy_loss + 0.5 * value_loss
            loss.backward()
            if (batch + 1) % grad_accumulate == 0:
                if epoch >= warmup:
                    actor_optimizer.step()
                critic_optimizer.step()
                actor_optimizer.zero_grad()
                critic_optimizer.zero_grad()
"""


def _without(program: str, left_out: str, *expected: str) -> str:
    """A program without a statement, in which lines are marked."""
    assert left_out in program
    program = program.replace(left_out, "pass")
    for line in expected:
        text, _, _ = line.partition("  #")
        assert text in program
        program = program.replace(text, line)
    return program


@pytest.mark.parametrize(
    ("left_out", "expected"),
    [
        ("self.actor_optimizer.step()", "actor_loss.backward()  # expect: LL106"),
        ("self.critic_optimizer.step()", "critic_loss.backward()  # expect: LL106"),
        ("self.critic_optimizer.zero_grad()", "actor_loss.backward()  # expect: LL102"),
        ("self.actor_optimizer.zero_grad()", "critic_loss.backward()  # expect: LL102"),
    ],
)
def test_each_loss_is_for_the_optimizer_whose_step_uses_it(left_out: str, expected: str) -> None:
    assert_marked(_without(AGENT, left_out, expected))


@pytest.mark.parametrize("program", [AGENT, JOINT], ids=["each its own", "a joint loss"])
def test_a_loop_in_order_is_judged_and_silent(program: str, tmp_path: Path) -> None:
    assert_marked(program)
    path = tmp_path / "train.py"
    path.write_text(program, encoding="utf-8")
    assert not lint_paths([str(path)]).coverage.lost


def test_a_joint_loss_is_for_the_optimizer_that_steps_under_the_fewest_conditions() -> None:
    assert_marked(_without(JOINT, "critic_optimizer.zero_grad()", "loss.backward()  # expect: LL102"))


# What goes backward before both steps is for one of them, or for both: nothing tells.
TOGETHER = """\
from models import build

def run(loader):
    model = build()
    model.train()
    g_optimizer = torch.optim.Adam(model.generator.parameters())
    d_optimizer = torch.optim.Adam(model.discriminator.parameters())
    for x in loader:
        d_optimizer.zero_grad()
        model.loss_d(x).backward()
        g_optimizer.zero_grad()
        model.loss_g(x).backward()
        d_optimizer.step()
        g_optimizer.step()
"""


def test_what_goes_backward_for_one_of_two_steps_is_for_none_of_them_surely() -> None:
    assert_marked(TOGETHER)


def test_a_part_of_another_optimizer_is_that_ones() -> None:
    assert_marked("""
        from models import build

        def run(loader):
            model = build()
            model.train()
            actor = torch.optim.Adam(model.actor.parameters())
            critic = torch.optim.Adam(model.critic.parameters())
            for x, y in loader:
                actor.zero_grad()
                critic.zero_grad()
                nn.functional.mse_loss(model.critic(x), y).backward()
                actor.step()
                critic.step()
    """)
