"""A model that a base out of sight keeps may have its optimizer: `self.policy.optimizer`, as in stable-baselines3."""

import pytest

import looplint

TRAINER = """
import torch
from elsewhere import Base

class Trainer(Base):
    def train(self):
        for x, y in self.buffer:
            loss = torch.nn.functional.mse_loss(self.{model}(x), y)
{lines}
"""
GOOD = ["{o}.zero_grad()", "loss.backward()", "torch.nn.utils.clip_grad_norm_({m}.parameters(), 1.0)", "{o}.step()"]


def _codes(tmp_path, model, attribute, order):
    names = {"m": f"self.{model}", "o": f"self.{model}.{attribute}"}
    lines = "\n".join(" " * 12 + GOOD[i].format(**names) for i in order)
    file = tmp_path / "train.py"
    file.write_text(TRAINER.format(model=model, lines=lines))
    return {f.code for f in looplint.lint([str(file)], isolated=True)}


@pytest.mark.parametrize(("model", "attribute"), [("policy", "optimizer"), ("critic", "optimizer"), ("net", "opt")])
@pytest.mark.parametrize(
    ("order", "code"), [((1, 0, 2, 3), "LL101"), ((0, 2, 1, 3), "LL103"), ((0, 1, 3, 2), "LL104"), ((0, 1, 2, 3), None)]
)
def test_the_optimizer_holds_the_model(tmp_path, model, attribute, order, code):
    found = _codes(tmp_path, model, attribute, order) & {"LL101", "LL102", "LL103", "LL104", "LL105", "LL106", "LL107"}
    assert (code in found) if code else not found


MADE = """
import torch
from elsewhere import Base

class Trainer(Base):
    def setup(self):
        {made}

    def train(self):
        for x, y in self.buffer:
            loss = -self.policy.evaluate(x, self.policy(y)).mean()
            {first}
            {second}
            torch.nn.utils.clip_grad_norm_(self.policy.parameters(), 1.0)
            self.policy.optimizer.step()
"""


@pytest.mark.parametrize(
    "made",
    [
        "self.policy = self.policy_class(self.width, self.schedule)\n        self.policy = self.policy.to(self.device)",
        "self.policy = self.make_policy(self.width)",
        "policy = self.make_policy(self.width)\n        self.policy = policy",
    ],
)
@pytest.mark.parametrize("late", [True, False])
def test_the_optimizer_of_a_model_that_code_out_of_sight_makes(tmp_path, made, late):
    clear, back = "self.policy.optimizer.zero_grad()", "loss.backward()"
    file = tmp_path / "train.py"
    file.write_text(MADE.format(made=made, first=back if late else clear, second=clear if late else back))
    codes = {f.code for f in looplint.lint([str(file)], isolated=True) if f.severity != "advice"}
    assert codes == ({"LL101"} if late else set())
