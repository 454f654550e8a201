"""A context of the program's own that enters a `no_grad` or switches gradients itself: they are off in it, and on again behind it."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
class evaluating:
    def __init__(self, model, no_grad=True):
        self.model, self.no_grad = model, no_grad
        self.context = torch.no_grad()

    def __enter__(self):
        self.was = self.model.training
        self.model.eval()
        {enter}

    def __exit__(self, *error):
        {exit}
        self.model.train(self.was)

def measure(net: nn.Module, loader):
    total = 0
    with evaluating(net{given}):
        for x, y in loader:
            total += nn.functional.cross_entropy(net(x), y).item(){mark}
    return total
"""
EXIT = "self.context.__exit__(*error)"
OFF = {
    "entered": {"enter": "self.context.__enter__()", "exit": EXIT},
    "entered where it is asked for": {"enter": "if self.no_grad: self.context.__enter__()", "exit": "if self.no_grad: " + EXIT},
    "made there": {"enter": "self.context = torch.no_grad(); self.context.__enter__()", "exit": EXIT},
    "switched": {"enter": "torch.set_grad_enabled(False)", "exit": "torch.set_grad_enabled(True)"},
}


@pytest.mark.parametrize("parts", OFF.values(), ids=OFF)
def test_gradients_are_off(parts: dict[str, str]) -> None:
    assert_marked(PROGRAM.format(given="", mark="", **parts))


def test_gradients_are_on() -> None:
    assert_marked(PROGRAM.format(given="", mark="  # expect: LL303", enter="pass", exit="pass"))


def test_gradients_are_on_again() -> None:
    text = PROGRAM.format(given="", mark="", **OFF["entered"])
    again = "    for x, y in loader:\n        total += nn.functional.mse_loss(net(x), y).item()  # expect: LL303\n    return total\n"
    assert_marked(text.replace("    return total\n", "    net.eval()\n" + again))
