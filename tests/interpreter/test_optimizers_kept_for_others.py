"""What code out of sight makes of parameters and an object keeps is an optimizer where another object steps it by its name."""

from __future__ import annotations

from textwrap import dedent

import pytest

from programs import assert_marked

POLICY = """
class Policy(nn.Module):
    def __init__(self, width, optimizer_class=torch.optim.Adam, optimizer_kwargs=None):
        super().__init__()
        self.actor = nn.Linear(width, 1)
        self.critic = nn.Linear(width, 1)
        self.optimizer = None
        self.optimizer_class = optimizer_class
        self.optimizer_kwargs = optimizer_kwargs or {}
        self.build()

    def build(self):
        self.optimizer = self.optimizer_class(self.parameters(), lr=0.1, **self.optimizer_kwargs)
        self.critic.optimizer = self.optimizer_class(self.critic.parameters(), lr=0.1, **self.optimizer_kwargs)
        self.smooth = self.optimizer_class(self.parameters())

    def forward(self, x):
        return self.actor(x)
"""
LOUD = {
    "stepped by the object that keeps the model": """
        class Agent:
            def __init__(self, buffer, policy_kwargs=None):
                self.buffer, self.policy_kwargs = buffer, {} if policy_kwargs is None else policy_kwargs
                self.policy = Policy(4, **self.policy_kwargs)

            def train(self, steps):
                for _ in range(steps):
                    x, y = self.buffer.sample()
                    nn.functional.mse_loss(self.policy(x), y).backward()  # expect: LL102
                    self.policy.optimizer.step()
        """,
    "of a class that an argument chooses": """
        class Agent:
            def __init__(self, buffer, optimizer_class):
                self.buffer = buffer
                self.policy = Policy(4, optimizer_class)

            def train(self, steps):
                for _ in range(steps):
                    x, y = self.buffer.sample()
                    loss = nn.functional.mse_loss(self.policy(x), y)
                    loss.backward()
                    self.policy.optimizer.zero_grad()  # expect: LL101
                    self.policy.optimizer.step()
        """,
    "of a part of the model, under a name of its own": """
        class Agent:
            def __init__(self, buffer, **kwargs):
                self.buffer = buffer
                self.policy = Policy(4, **kwargs)
                self.critic = self.policy.critic

            def train(self, steps):
                for _ in range(steps):
                    x, y = self.buffer.sample()
                    loss = nn.functional.mse_loss(self.critic(x), y)
                    loss.backward()  # expect: LL102
                    self.critic.optimizer.step()
        """,
    "in a function": """
        def train(loader, **kwargs):
            policy = Policy(4, **kwargs)
            for x, y in loader:
                loss = nn.functional.mse_loss(policy(x), y)
                loss.backward()  # expect: LL102
                policy.optimizer.step()
        """,
    "stepped by a scaler": """
        def train(loader, **kwargs):
            policy, scaler = Policy(4, **kwargs), torch.amp.GradScaler("cuda")
            for x, y in loader:
                loss = nn.functional.mse_loss(policy(x), y)
                scaler.scale(loss).backward()  # expect: LL102
                scaler.step(policy.optimizer)
                scaler.update()
        """,
    "of one of two classes": """
        class Deep(Policy):
            def __init__(self, width, optimizer_class=torch.optim.SGD, optimizer_kwargs=None):
                super().__init__(width, optimizer_class, optimizer_kwargs)

        POLICIES = {"plain": Policy, "deep": Deep}

        class Agent:
            def __init__(self, buffer, name, **kwargs):
                self.buffer = buffer
                self.policy = POLICIES[name](4, **kwargs)
                self.critic = self.policy.critic

            def train(self, steps):
                for _ in range(steps):
                    x, y = self.buffer.sample()
                    loss = nn.functional.mse_loss(self.critic(x), y)
                    loss.backward()  # expect: LL102
                    self.critic.optimizer.step()
        """,
}
QUIET = {
    "cleared as it should be": """
        class Agent:
            def __init__(self, buffer, **kwargs):
                self.buffer = buffer
                self.policy = Policy(4, **kwargs)

            def train(self, steps):
                for _ in range(steps):
                    x, y = self.buffer.sample()
                    loss = nn.functional.mse_loss(self.policy(x), y)
                    self.policy.optimizer.zero_grad()
                    loss.backward()
                    self.policy.optimizer.step()
        """,
    "what is made of parameters and no optimizer by its name": """
        def train(loader, **kwargs):
            policy = Policy(4, **kwargs)
            optimizer = torch.optim.Adam(policy.parameters())
            for x, y in loader:
                optimizer.zero_grad()
                nn.functional.mse_loss(policy(x), y).backward()
                optimizer.step()
                policy.smooth.step()
        """,
    "cleared through the model": """
        def train(loader, **kwargs):
            policy = Policy(4, **kwargs)
            for x, y in loader:
                policy.zero_grad()
                nn.functional.mse_loss(policy(x), y).backward()
                policy.optimizer.step()
        """,
    "of one of two models that go backward together": """
        def train(loader, critic, **kwargs):
            policy = Policy(4, **kwargs)
            for x, y in loader:
                critic.optimizer.zero_grad()
                nn.functional.mse_loss(critic(x) + policy.critic(x), y).backward()
                critic.optimizer.step()
                policy.critic.optimizer.step()
                policy.critic.optimizer.zero_grad()
        """,
}


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in LOUD.items()])
def test_what_an_object_keeps_is_an_optimizer_to_who_steps_it(text: str) -> None:
    assert_marked(POLICY + dedent(text))


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in QUIET.items()])
def test_correct_programs_are_quiet(text: str) -> None:
    assert_marked(POLICY + dedent(text))
