"""A loss of the program's own that has no parameters brings an optimizer nothing new (LL502); one that has some does."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        class Objective(nn.Module):
            def __init__(self, ignored=-100):
                super().__init__()
                self.ignored = ignored
                {kept}
            def forward(self, scores, labels):
                return nn.functional.cross_entropy(scores, labels, ignore_index=self.ignored)
        class MaskedLoss(Objective):
            pass

        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(3, 3)

        def main(loader):
            model = Model()
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            model.criterion = MaskedLoss(0){expected}
            for x, y in loader:
                optimizer.zero_grad()
                model.criterion(model.layer(x), y).backward()
                optimizer.step()
"""


@pytest.mark.parametrize(
    "kept",
    [
        "self.loss = nn.CrossEntropyLoss(ignore_index=ignored)",
        "self.losses = nn.ModuleList([nn.CrossEntropyLoss(), nn.L1Loss()])",
        "self.norm = nn.Softmax(dim=1)\n                self.scale = 2.0",
    ],
)
def test_a_loss_without_parameters(kept: str) -> None:
    assert_marked(PROGRAM.format(kept=kept, expected=""))


@pytest.mark.parametrize(
    "kept", ["self.weights = nn.Parameter(torch.ones(3))", "self.head = nn.Linear(3, 3)", "self.loss = outside.make_loss(ignored)"]
)
def test_a_loss_that_may_have_some(kept: str) -> None:
    assert_marked(PROGRAM.format(kept=kept, expected="  # expect: LL502"))
