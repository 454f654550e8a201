"""An entry of what a model gives need be no tensor: where the parameter that gets it is said to count, it is a number."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
class Progress:
    def __init__(self):
        self.history = []
        self.total = 0

    def note(self, count{annotation}):
        self.history.append(count){kept}
        self.total += count{added}


def train(model, loader, progress: Progress):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        out = model(x)
        loss = nn.functional.mse_loss(out["prediction"], y)
        loss.backward()
        optimizer.step()
        progress.note({given})


progress = Progress()
train(torch.hub.load("models", "large"), loader, progress)
print(progress.history)
"""
SILENT = [(": int", "out['tokens']"), (": int", "out.used"), (": int = 0", "count=out['tokens']"), (": bool", "out['stop']")]
LOUD = [("", "out['tokens']"), (": int", "loss"), (": float", "out['loss']"), (": torch.Tensor", "out['tokens']")]


@pytest.mark.parametrize(("annotation", "given"), SILENT)
def test_what_counts_has_no_graph(annotation: str, given: str) -> None:
    assert_marked(PROGRAM.format(annotation=annotation, given=given, kept="", added=""))


@pytest.mark.parametrize(("annotation", "given"), LOUD)
def test_what_may_be_a_tensor_keeps_its_graph(annotation: str, given: str) -> None:
    assert_marked(PROGRAM.format(annotation=annotation, given=given, kept="  # expect: LL401", added="  # expect: LL402"))
