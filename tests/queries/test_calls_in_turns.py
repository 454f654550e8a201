"""Which call the loop around an event makes is not told wrong by loops over what is written there, each turn of which is followed by itself."""

from __future__ import annotations

from textwrap import dedent

import pytest

from programs import assert_marked

MODEL = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(2, 1), nn.Dropout())
    def forward(self, x):
        return self.body(x)

def adapt(model, opt, x, y):
    model.train()
    loss = nn.functional.mse_loss(model(x), y)
    opt.zero_grad()
    for p, g in zip(model.parameters(), torch.autograd.grad(loss, list(model.parameters()))):
        p.grad = g
    opt.step()
"""
MAIN = """
def run(model, opt, tasks):
    for x, y in tasks:
        adapt(model, opt, x, y)
        print(measure(model, x, y))

def main(tasks):
    model = Net()
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(9):
        run(model, opt, tasks)

main(torch.load("tasks.pt"))
"""
# The loop stands in the function that builds the model.
AT_ONCE = MAIN.replace(
    "        run(model, opt, tasks)",
    "        for x, y in tasks:\n            adapt(model, opt, x, y)\n            print(measure(model, x, y))",
)
MEASURES = {
    "over one batch": """
        def measure(model, x, y):
            model.eval()
            total = 0.0
            for inputs, labels in [(x, y)]:
                total += nn.functional.mse_loss(model(inputs), labels).item()  # expect: LL303
            return total
        """,
    "for each of two measures": """
        def measure(model, x, y):
            model.eval()
            found = {}
            for name in ("mse", "mae"):
                found[name] = nn.functional.mse_loss(model(x), y).item()  # expect: LL303
            return found
        """,
    "in a loop in a loop": """
        def measure(model, x, y):
            model.eval()
            found = []
            for scale in (1.0, 0.5):
                for inputs, labels in [(x, y)]:
                    found.append(nn.functional.mse_loss(model(inputs * scale), labels).item())  # expect: LL303
            return found
        """,
    "in the call that differentiates as well": """
        def measure(model, x, y):
            model.eval()
            total = 0.0
            for inputs, labels in [(x, y)]:
                loss = nn.functional.mse_loss(model(inputs), labels)
                total += torch.autograd.grad(loss, list(model.parameters()))[0].norm().item()
                total += nn.functional.mse_loss(model(inputs), labels).item()
            return total
        """,
    "without gradients": """
        def measure(model, x, y):
            model.eval()
            total = 0.0
            with torch.no_grad():
                for inputs, labels in [(x, y)]:
                    total += nn.functional.mse_loss(model(inputs), labels).item()
            return total
        """,
}


@pytest.mark.parametrize("main", [MAIN, AT_ONCE], ids=["called", "at once"])
@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in MEASURES.items()])
def test_a_measure_beside_what_differentiates(text: str, main: str) -> None:
    assert_marked(MODEL + dedent(text) + main)
