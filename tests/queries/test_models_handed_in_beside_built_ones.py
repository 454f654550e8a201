"""A model that is handed to a function, and one that the function builds then, are two: what goes backward through the one is not for the other's step."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        class Critic(nn.Module):
            def __init__(self, args):
                super().__init__()
                self.fc = nn.Linear(args.n, 1)
            def forward(self, x):
                return self.fc(x)

        class Learner:
            def __init__(self, actor: nn.Module, args):
                BUILT

            def update(self, batch, epochs):
                for epoch in range(epochs):
                    loss = ((self.critic(batch["state"]) - batch["value"]) ** 2).mean()
                    self.critic_optimizer.zero_grad()
                    loss.backward()
                    self.critic_optimizer.step()
                    gain = -(self.actor(batch["state"]) * batch["advantage"]).mean()
                    STEPPED
        """
BUILT = {
    "the model handed in first": "self.actor = actor; self.actor_optimizer = torch.optim.Adam(actor.parameters()); self.critic = Critic(args); "
    "self.critic_optimizer = torch.optim.Adam(self.critic.parameters())",
    "the model built first": "self.critic = Critic(args); self.critic_optimizer = torch.optim.Adam(self.critic.parameters()); self.actor = actor; "
    "self.actor_optimizer = torch.optim.Adam(self.actor.parameters())",
    "one of two that are built": "self.critic = Critic(args) if args.small else nn.Linear(args.n, 1); self.actor = actor; "
    "self.critic_optimizer = torch.optim.Adam(self.critic.parameters()); self.actor_optimizer = torch.optim.Adam(self.actor.parameters())",
}
CLEAR, BACKWARD, STEP = "self.actor_optimizer.zero_grad()", "gain.backward()", "self.actor_optimizer.step()"


def _program(built: str, *stepped: str) -> str:
    return PROGRAM.replace("BUILT", built).replace("STEPPED", "\n                    ".join(stepped))


@pytest.mark.parametrize("built", BUILT)
def test_a_step_before_its_backward(built: str) -> None:
    assert_marked(_program(BUILT[built], CLEAR, f"{STEP}  # expect: LL105", BACKWARD))


@pytest.mark.parametrize("built", BUILT)
def test_a_right_loop_is_right(built: str) -> None:
    assert_marked(_program(BUILT[built], CLEAR, BACKWARD, STEP))


@pytest.mark.parametrize("built", BUILT)
def test_a_step_that_no_backward_is_for(built: str) -> None:
    assert_marked(_program(BUILT[built], f"{STEP}  # expect: LL107", CLEAR))


BOTH = "; self.actor_optimizer = torch.optim.Adam(actor.parameters()); self.critic_optimizer = torch.optim.Adam(self.critic.parameters())"


@pytest.mark.parametrize(
    "built",
    [
        "self.critic = actor.critic",
        "self.critic = nn.Sequential(actor.body, Critic(args))",
        "self.critic = Critic(args); self.critic.body = self.actor.body",
        "self.critic = Critic(args); self.critic.fc.weight = actor.head.weight",
        "self.critic = Critic(args); self.critic.share(actor)",
        "self.critic = Critic(args); self.share()",
    ],
)
def test_one_that_may_be_a_part_of_the_other(built: str) -> None:
    assert_marked(_program(f"self.actor = actor; {built}{BOTH}", STEP, CLEAR))
