"""Operators on objects of the program's classes are calls of their methods."""

from __future__ import annotations

import pytest

from programs import assert_marked

_LOSSES = """
        class Losses:
            def __init__(self, **parts):
                self.total = sum(parts.values())
                self.parts = {k: v.item() for k, v in parts.items()}
            def __truediv__(self, steps):
                self.total = self.total / steps
                return self
            def __add__(self, other):
                return Losses(both=self.total + other.total)
        model = nn.Sequential(nn.Linear(8, 8), nn.Dropout(), nn.Linear(8, 1))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        def losses_of(x):
            out = model(x)
            return Losses(mean=out.mean(), square=out.square().mean())
        loader = torch.utils.data.DataLoader(torch.randn(64, 8), batch_size=4, shuffle=True)
        for epoch in range(3):
            model.train()
"""
BODIES = {
    "divided": """
            for x in loader:
                optimizer.zero_grad()
                losses = losses_of(x) / 2
                losses.total.backward()
                optimizer.step()
""",
    "divided, and never cleared": """
            for x in loader:
                losses = losses_of(x) / 2
                losses.total.backward()  # expect: LL102
                optimizer.step()
""",
    "added up": """
            for x in loader:
                optimizer.zero_grad()
                losses = losses_of(x) + losses_of(-x)
                losses.total.backward()
                optimizer.step()
""",
    "kept with its graph": """
            kept = []
            for x in loader:
                optimizer.zero_grad()
                losses = losses_of(x) / 2
                losses.total.backward()
                optimizer.step()
                kept.append(losses.total)  # expect: LL401
""",
}


@pytest.mark.parametrize("name", BODIES)
def test_losses_that_are(name: str) -> None:
    assert_marked(_LOSSES + BODIES[name])
