"""The loss that a loop in each turn puts together for a step that nothing goes backward for: it is what should go, and no validation (LL107, not LL303 or LL402)."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
def main(loader, held_out, epochs: int, frames: int):
    net = nn.Sequential(nn.Linear(8, 8), nn.Dropout())
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(epochs):
        net.train()
        seen = 0.0
        for x, y in loader:
            loss = 0.0
            for t in range(0, y.shape[1], frames):
                out = net(x)
                loss = loss + nn.functional.mse_loss(out, y[:, t : t + frames]){kept}
                x = torch.cat((x[:, frames:], out), dim=1)
            seen += loss.item()
            optimizer.zero_grad()
            {backward}
            optimizer.step(){marked}
        print(seen)
        {validated}
"""
VALIDATED = """for x, y in held_out:
            print(nn.functional.mse_loss(net(x), y).item())  # expect: LL303"""
NOTHING, BACKWARD = "pass", "loss.backward()"
PROGRAMS = {
    "the backward is missing": PROGRAM.format(kept="", backward=NOTHING, marked="  # expect: LL107", validated=NOTHING),
    "the backward is there": PROGRAM.format(kept="", backward=BACKWARD, marked="", validated=NOTHING),
    "the sum beside it": PROGRAM.format(kept="", backward="out.sum().backward()", marked="", validated=NOTHING).replace(
        "y[:, t : t + frames])", "y[:, t : t + frames])  # expect: LL402"
    ),
    "a validation behind it": PROGRAM.format(
        kept="", backward=BACKWARD, marked="", validated=VALIDATED.replace("for x", "net.eval()\n        for x")
    ),
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_a_loss_that_is_put_together(program: str) -> None:
    assert_marked(program, advice=True)
