"""`super(Base, self)` looks for a method behind a base: what that base says itself is passed over."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        class Learner:
            def __init__(self, model: nn.Module):
                self.model = model
                self.build()
            def build(self):
                self.optimizer = torch.optim.Adam(self.model.parameters())
        class Critics(Learner):
            def build(self):
                self.optimizer = {{"critic": torch.optim.Adam(self.model.critic.parameters())}}
        class Mixer(Critics):
            def build(self):
                super({passed}).build()
            def update(self, loader):
                for x, y in loader:
                    loss = nn.functional.mse_loss(self.model(x), y)
                    loss.backward()
                    {cleared}.zero_grad(){marked}
                    {cleared}.step()
"""
MARKED = "  # expect: LL101"
WHOLE, ENTRY = "self.optimizer", "self.optimizer['critic']"


@pytest.mark.parametrize(
    ("passed", "cleared", "marked"),
    [
        ("Critics, self", WHOLE, MARKED),
        ("Mixer, self", ENTRY, MARKED),
        ("", ENTRY, MARKED),
        ("Mixer, self", WHOLE, ""),
        ("", WHOLE, ""),
    ],
)
def test_the_method_behind_the_class_that_is_named_runs(passed: str, cleared: str, marked: str) -> None:
    assert_marked(PROGRAM.format(passed=passed, cleared=cleared, marked=marked))
