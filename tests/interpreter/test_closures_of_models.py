"""A module whose method trains in a closure, as calibration with LBFGS does, trains itself: the method is followed although nobody calls it."""

from __future__ import annotations

import pytest

from programs import assert_marked

CALIBRATED = """
class Calibration(nn.Module):
    def __init__(self):
        super().__init__()
        self.temperature = nn.Parameter(torch.ones(1))

    def forward(self, logits):
        return logits / self.temperature

    def fit(self, logits, labels):
        optimizer = torch.optim.LBFGS([self.temperature], max_iter=50)

        def closure():
            loss = nn.functional.cross_entropy(self(logits), labels)
            loss.backward()  # expect: LL102
            return loss

        for turn in range(10):
            optimizer.step(closure)
"""

# The closure is written in a function that is written in the method.
DEEPER = (
    CALIBRATED.replace("        def closure():", "        def make():\n          def closure():")
    .replace(
        "            loss = nn.functional.cross_entropy(self(logits), labels)\n            loss.backward()  # expect: LL102\n            return loss\n",
        "              loss = nn.functional.cross_entropy(self(logits), labels)\n              loss.backward()  # expect: LL102\n              return loss\n          return closure\n",
    )
    .replace("step(closure)", "step(make())")
)
# A branch defines it.
IN_A_BRANCH = CALIBRATED.replace(
    "        def closure():",
    "        if labels is None:\n            return\n        else:\n          def closure():",
).replace(
    "            loss = nn.functional.cross_entropy(self(logits), labels)\n            loss.backward()  # expect: LL102\n            return loss\n",
    "              loss = nn.functional.cross_entropy(self(logits), labels)\n              loss.backward()  # expect: LL102\n              return loss\n",
)
CLEARED = CALIBRATED.replace(
    "            loss = nn.functional", "            optimizer.zero_grad()\n            loss = nn.functional"
).replace("  # expect: LL102", "")


@pytest.mark.parametrize(
    "text", [CALIBRATED, DEEPER, IN_A_BRANCH, CLEARED], ids=["a closure", "a closure of a closure", "in a branch", "cleared"]
)
def test_what_a_model_trains_in_a_closure_is_judged(text: str) -> None:
    assert_marked(text)
