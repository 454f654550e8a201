"""A model whose own forward goes backward leaves gradients: a step after it needs no other backward."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        {helper}
        class Net(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.cell = nn.Linear(width, width)
            def forward(self, x, y, replayed=False):
                total = 0.0
                for part, wanted in zip(x, y):
                    loss = nn.functional.mse_loss(self.cell(part), wanted)
                    {inside}
                    total += loss.detach()
                return total if replayed else loss
        def train(loader, width):
            net = Net(width)
            optimizer = torch.optim.Adam(net.parameters())
            for epoch in range(9):
                for x, y in loader:
                    net.train()
                    loss = net(x, y, replayed=True)
                    {after}
                    optimizer.step(){mark}
                    optimizer.zero_grad()
                    print(loss.item())
        """
FUNCTION = "def replay(loss): loss.backward()"
CASES = {
    "in the forward": ("", "loss.backward()", "pass", ""),
    "under a condition": ("", "if replayed: (loss / 4).backward()", "pass", ""),
    "in a function beside it": (FUNCTION, "replay(loss)", "pass", ""),
    "nowhere": ("", "pass", "pass", "  # expect: LL107"),
    "after it": ("", "pass", "loss.backward()", ""),
    "both": ("", "loss.backward()", "loss.backward()", ""),
}


@pytest.mark.parametrize(("helper", "inside", "after", "mark"), CASES.values(), ids=CASES)
def test_where_the_gradients_come_from(helper: str, inside: str, after: str, mark: str) -> None:
    assert_marked(PROGRAM.format(helper=helper, inside=inside, after=after, mark=mark))


def test_in_a_method() -> None:
    method = "def spread(self, loss):\n                loss.backward()\n            def forward("
    program = PROGRAM.replace("def forward(", method).format(helper="", inside="self.spread(loss)", after="pass", mark="")
    assert_marked(program)
