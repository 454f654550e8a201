"""A model that enables gradients itself where it adapts needs none around it: the pass that it shares with a plain model is one without gradients (LL303)."""

from __future__ import annotations

from textwrap import indent

import pytest

from programs import assert_marked

PROGRAM = """
import sys
from torchvision.models import resnet50


{beside}


class Adapting(nn.Module):
    def __init__(self, model, optimizer, steps=1):
        super().__init__()
        self.model, self.optimizer, self.steps = model, optimizer, steps

{forward}


def validate(loader, model):
    right = 0
    model.eval()
{measuring}
    return right


def main(method, loader):
    net = resnet50(weights="DEFAULT")
    if method == "adapt":
        optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)
        print(validate(loader, Adapting(net, optimizer)))
    else:
        print(validate(loader, net))


main(sys.argv[1], torch.utils.data.DataLoader(torch.load("data.pt"), batch_size=64))
"""
MEASURING = "for x, y in loader:\n    right += (model(x).argmax(1) == y).sum().item()"
ADAPT = """
@torch.enable_grad()
def adapt(x, model, optimizer):
    outputs = model(x)
    loss = -(outputs.softmax(1) * outputs.log_softmax(1)).sum(1).mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    return outputs
"""
STEP = """
outputs = self.model(x)
loss = -(outputs.softmax(1) * outputs.log_softmax(1)).sum(1).mean()
scales = [p for p in self.model.parameters() if p.ndim == 1]
for scale, gradient in zip(scales, torch.autograd.grad(loss, scales)):
    scale.data -= 1e-3 * gradient
"""
LOOP = "def forward(self, x):\n    for _ in range(self.steps):\n        outputs = {call}\n    return outputs"
METHOD = f"@torch.enable_grad()\ndef adapt(self, x):{indent(STEP, '    ')}    return outputs\n"
BLOCK = f"with torch.enable_grad():{indent(STEP, '    ')}return outputs"
ADAPTING = {
    "in a function": (ADAPT, LOOP.format(call="adapt(x, self.model, self.optimizer)")),
    "in a method": ("", METHOD + LOOP.format(call="self.adapt(x)")),
    "in its forward": ("", METHOD.replace("adapt", "forward")),
    "in a block": ("", f"def forward(self, x):\n{indent(BLOCK, '    ')}"),
}
NEEDING = {
    "in a function that enables nothing": (ADAPT.replace("@torch.enable_grad()\n", ""), ADAPTING["in a function"][1]),
    "of what is computed before": (
        ADAPT,
        "def forward(self, x):\n    x = self.model.stem(x)\n    return adapt(x, self.model, self.optimizer)",
    ),
    "of what its object keeps": (
        ADAPT,
        "def forward(self, x):\n    self.stem = self.model.stem(x)\n    return adapt(self.stem, self.model, self.optimizer)",
    ),
    "of what is computed in the call": (ADAPT, "def forward(self, x):\n    return adapt(self.model.stem(x), self.model, self.optimizer)"),
    "in a block, of what is computed before": (
        "",
        f"def forward(self, x):\n    outputs = self.model(x)\n{indent(BLOCK.replace('    outputs = self.model(x)', ''), '    ')}",
    ),
}


def _program(parts: tuple[str, str], measuring: str) -> str:
    return PROGRAM.format(beside=parts[0], forward=indent(parts[1], "    "), measuring=indent(measuring, "    "))


@pytest.mark.parametrize("parts", ADAPTING.values(), ids=ADAPTING)
def test_the_pass_needs_no_gradients(parts: tuple[str, str]) -> None:
    assert_marked(_program(parts, MEASURING.replace(".item()", ".item()  # expect: LL303")))
    assert_marked(_program(parts, f"with torch.no_grad():\n{indent(MEASURING, '    ')}"))


@pytest.mark.parametrize("parts", NEEDING.values(), ids=NEEDING)
def test_the_pass_may_need_gradients(parts: tuple[str, str]) -> None:
    assert_marked(_program(parts, MEASURING))
