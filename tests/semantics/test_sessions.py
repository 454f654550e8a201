"""A session of ONNX Runtime that stands where a model stands otherwise builds no graph (LL303)."""

from __future__ import annotations

import pytest

from tests.programs import assert_marked

PROGRAM = """
from elsewhere import build


class Predictor:
    def __init__(self, args):
        self.model = build(args)

    def train(self, loader, opt):
        self.model.train()
        for x, y in loader:
            opt.zero_grad()
            nn.functional.mse_loss(self.model(x), y).backward()
            opt.step()

    def predict(self, loader, names):
        found = []
        for x in loader:
            out = self.model.{call}
            found.append(out[0].argmax())
        return found
"""
MARK = "  # expect: LL303"


@pytest.mark.parametrize(
    "call",
    [
        "run(None, {'x': x.numpy()})",
        "run(['logits'], {'x': x.numpy()})",
        "run([o.name for o in self.model.get_outputs()], {'x': x.numpy()})",
        "run(output_names=None, input_feed={'x': x.numpy()})",
    ],
)
def test_is_told_what_to_compute(call: str) -> None:
    assert_marked(PROGRAM.format(call=call))


@pytest.mark.parametrize("call", ["run(x)", "run(x, names)", "run([x], {'x': x})"])
def test_methods_of_a_model(call: str) -> None:
    assert_marked(PROGRAM.format(call=call + MARK))
