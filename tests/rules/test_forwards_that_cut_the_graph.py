"""What a forward in sight returns cut off from its graph is kept and added up as the values that it is; of the copy of a model out of sight no more is known than of it."""

from __future__ import annotations

import pytest

from programs import assert_marked

KEPT = """
class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def mu(self, x):
        return self.layer(x)

    def forward(self, x):
        {forward}

policy = Policy()
optimizer = torch.optim.SGD(policy.parameters(), lr=0.1)
memory, total = [], 0
for x, y in loader:
    action = policy(x)
    {kept}{marked}
    loss = nn.functional.mse_loss(policy.mu(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
COPIED = """
import copy

class Agent:
    def __init__(self, env, policy{default}):
        self.env = env
        self.train_policy = policy().to("cpu")
        self.optimizer = torch.optim.SGD(self.train_policy.parameters(), lr=0.1)

    def test(self, policy=None):
        policy = self.train_policy if policy is None else policy
        self.test_policy = {copied}
        optimizer = torch.optim.SGD(self.test_policy.parameters(), lr=0.1)
        self.memory = []
        obs = self.env.reset()
        done = False
        while not done:
            action = self.test_policy(obs)
            self.memory.append(action)
            obs, reward, done = self.env.step(action)
            optimizer.zero_grad()
            loss = -self.test_policy.mu(obs).mean()
            loss.backward()
            optimizer.step()
"""
CUT = [
    "return self.layer(x).detach().cpu().numpy()",
    "return self.mu(x).cpu().detach().numpy().squeeze()",
    "action = self.mu(x)\n        action = action.detach()\n        return action",
    "with torch.no_grad():\n            action = self.mu(x)\n        return action * 2",
    "return self.mu(x).mean().item()",
]
WHOLE = [
    "return self.mu(x)",
    "return self.layer(x).cpu().squeeze()",
    "if x.ndim > 1:\n            return self.mu(x)\n        return self.mu(x).detach()",
]


@pytest.mark.parametrize("forward", CUT)
@pytest.mark.parametrize("kept", ["memory.append(action)", "memory.append((x, action))", "total += action"])
def test_the_forward_cuts_its_output_off(forward: str, kept: str) -> None:
    assert_marked(KEPT.format(forward=forward, kept=kept, marked=""))


@pytest.mark.parametrize("forward", WHOLE)
@pytest.mark.parametrize(("kept", "code"), [("memory.append(action)", "LL401"), ("total += action", "LL402")])
def test_the_forward_returns_it_with_its_graph(forward: str, kept: str, code: str) -> None:
    assert_marked(KEPT.format(forward=forward, kept=kept, marked=f"  # expect: {code}"))


def test_it_is_kept_where_gradients_are_off() -> None:
    kept = "with torch.no_grad():\n        memory.append(action)"
    assert_marked(KEPT.format(forward=WHOLE[0], kept=kept, marked="  # expect: LL401"))
    assert_marked(KEPT.format(forward=CUT[0], kept=kept, marked=""))


@pytest.mark.parametrize("default", ["", "=None"])
@pytest.mark.parametrize("copied", ["copy.deepcopy(policy)", 'copy.deepcopy(policy).to("cpu")', "copy.copy(policy)", "policy"])
def test_a_copy_of_what_code_out_of_sight_builds(default: str, copied: str) -> None:
    assert_marked(COPIED.format(default=default, copied=copied))
