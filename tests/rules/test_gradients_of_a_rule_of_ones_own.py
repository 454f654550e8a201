"""Where a turn steps and nothing goes backward, its forward is the training: the gradients come from a rule of learning of the program's own."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        class Learner:
            def __init__(self, layer):
                self.layer = layer
                self.layer.register_forward_hook(self.note)
            def note(self, layer, inputs, output):
                self.kept = inputs[0], output
            def step(self):
                spikes, output = self.kept
                {filled}

        def main(data, wanted):
            net = nn.Sequential(nn.Linear(3, 3), nn.Dropout())
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            learner = Learner(net[0])
            outputs = []
            with torch.no_grad():
                for t in range(100):
                    optimizer.zero_grad()
                    outputs.append(net(data[t]))
                    learner.step()
                    optimizer.step()
            return (torch.stack(outputs) == wanted).float().mean().item()
"""


@pytest.mark.parametrize(
    "filled",
    [
        "self.layer.weight.grad = output.T @ spikes",
        "gradient = output.T @ spikes\n                self.layer.weight.grad = gradient if self.layer.weight.grad is None else self.layer.weight.grad + gradient",
        "outside.fill(self.layer, spikes, output)",
    ],
)
def test_the_forward_of_a_turn_that_steps(filled: str) -> None:
    assert_marked(PROGRAM.format(filled=filled))


def test_a_forward_behind_the_training() -> None:
    assert_marked(
        PROGRAM.format(filled="self.layer.weight.grad = output.T @ spikes").replace(
            "return (torch.stack(outputs) == wanted)",
            "with torch.no_grad():\n                return (net(data) == wanted)  # expect: LL302\n            return (torch.stack(outputs) == wanted)",
        )
    )
