"""A loss that a module keeps is one by what it is, whatever its attribute is called: a forward that no file calls is judged by it."""

from __future__ import annotations

import pytest

from programs import assert_marked

EXPERT = """
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.linear = nn.Linear(8, 4)
            def forward(self, x):
                return {out}
        class Expert(nn.Module):
            def __init__(self):
                super().__init__()
                self.model = Model()
                self.{name} = {loss}
            def {method}(self, x, y):
                predicted = self.model(x)
                return self.{name}(predicted, y){mark}
"""
PROBABILITIES = "torch.softmax(self.linear(x), -1)"
FOUND = "  # expect: LL701"


def _of(out: str, name: str, loss: str, method: str = "forward", mark: str = "") -> str:
    return EXPERT.format(out=out, name=name, loss=loss, method=method, mark=mark)


PROGRAMS = {
    "an objective": _of(PROBABILITIES, "objective", "nn.CrossEntropyLoss()", mark=FOUND),
    "one of two": _of(
        PROBABILITIES, "ce", "nn.CrossEntropyLoss(label_smoothing=0.1) if self.training else nn.CrossEntropyLoss()", mark=FOUND
    ),
    "in another method": _of(PROBABILITIES, "measure", "nn.CrossEntropyLoss()", "compute", FOUND),
    "logits": _of("self.linear(x)", "objective", "nn.CrossEntropyLoss()"),
    "a loss that takes probabilities": _of(PROBABILITIES, "objective", "nn.MSELoss()"),
    "no loss": _of(PROBABILITIES, "objective", "nn.Bilinear(4, 4, 1)"),
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_a_loss_is_known_by_what_it_is(program: str) -> None:
    assert_marked(program)
