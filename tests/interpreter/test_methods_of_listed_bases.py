"""A method of a library's class does the same in a class that derives from it: between the hooks of habitat's PPO the gradients are known."""

from __future__ import annotations

import pytest

from tests.programs import assert_marked

PROGRAM = """
from habitat_baselines.rl.{module} import {base}

class Trained({base}):
    def __init__(self, *args, coefficient=0.1, **kwargs):
        super().__init__(*args, **kwargs)
        self.coefficient = coefficient
    {more}
    def update(self, rollouts):
        for epoch in range(self.ppo_epoch):
            for batch in rollouts.recurrent_generator(self.num_mini_batch):
                values, log_probs = self.actor_critic.evaluate_actions(batch)
                loss = (values - batch.returns).pow(2).mean() - log_probs.mean()
                {clear}
                self.before_backward(loss)
                {backward}
                self.after_backward(loss)
                self.before_step()
                {step}
                self.after_step()
"""
CLEAR, BACKWARD, STEP = "self.optimizer.zero_grad()", "loss.backward()", "self.optimizer.step()"
PLACES = [("ppo", "PPO"), ("ppo.ppo", "PPO"), ("ddppo.algo.ddppo", "DDPPO")]
OWN_HOOK = "def before_step(self):\n        super().before_step()\n        self.count = 1\n"


@pytest.mark.parametrize("more", ["", OWN_HOOK], ids=["its own hooks", "a hook that calls it"])
@pytest.mark.parametrize(("module", "base"), PLACES)
def test_between_its_hooks(module: str, base: str, more: str) -> None:
    told = {"module": module, "base": base, "more": more}
    assert_marked(PROGRAM.format(**told, clear="pass", backward=f"{BACKWARD}  # expect: LL102", step=STEP))
    assert_marked(PROGRAM.format(**told, clear=CLEAR, backward=f"{BACKWARD}  # expect: LL106", step="pass"))
    assert_marked(PROGRAM.format(**told, clear=CLEAR, backward=f"{STEP}  # expect: LL105", step=BACKWARD))
    assert_marked(PROGRAM.format(**told, clear=CLEAR, backward=BACKWARD, step=STEP))


@pytest.mark.parametrize(
    ("module", "more"),
    [
        pytest.param("others", "", id="another base"),
        pytest.param("ppo", "def after_step(self):\n        self.optimizer.zero_grad()\n", id="a hook of its own"),
    ],
)
def test_hooks_that_may_clear(module: str, more: str) -> None:
    assert_marked(PROGRAM.format(module=module, base="PPO", more=more, clear="pass", backward=BACKWARD, step=STEP))
