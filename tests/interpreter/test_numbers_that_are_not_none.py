"""A number that a path gives is not None: what is done where it is missing is not done there."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        class Diffusion:
            def __init__(self, net):
                self.model = net
                self.optimizer = torch.optim.Adam(self.model.parameters())
            def update(self, x):
                loss = self.model(x).mean()
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
            def completed(self, x, prediction=None):
                {completed}
            def sample(self, x, weight):
                with torch.no_grad():
                    if weight == 0:
                        prediction = {otherwise}
                    else:
                        prediction = self.model(x)
                return self.completed(x, prediction)

        def main(loader, weight):
            diffusion = Diffusion(nn.Linear(2, 2))
            for x in loader:
                diffusion.update(x)
            diffusion.model.eval()
            found = []
            for _ in range(100):
                found.append(diffusion.sample(torch.zeros(3, 2), weight).cpu().numpy())
            return found
"""
COMPLETED = [
    "if prediction is None:\n                    prediction = self.model(x){expected}\n                return prediction",
    "return prediction if prediction is not None else self.model(x){expected}",
    "if prediction is not None:\n                    return prediction\n                return self.model(x){expected}",
]


@pytest.mark.parametrize("completed", COMPLETED)
@pytest.mark.parametrize("otherwise", ["0.0", "0", "False"])
def test_what_is_there_is_not_computed(completed: str, otherwise: str) -> None:
    assert_marked(PROGRAM.format(completed=completed.format(expected=""), otherwise=otherwise))


@pytest.mark.parametrize("completed", COMPLETED)
def test_what_is_missing_is(completed: str) -> None:
    assert_marked(PROGRAM.format(completed=completed.format(expected="  # expect: LL303"), otherwise="None"))
