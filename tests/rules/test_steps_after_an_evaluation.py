"""An evaluation that hands outputs to code out of sight comes before many a training: what may be there of its gradients, the clear drops (LL105)."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
import editdistance

def test(net, loader):
    net.eval()
    score = 0
    for x, y in loader:
        score += {measured}{marked}
    return score

def fit(loader, epochs: int):
    net = nn.Linear(8, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(epochs):
        if epoch % 5 == 0:
            print(test(net, loader))
        net.train()
        for x, y in loader:
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            {between}
            loss.backward()
            {after}
"""
MEASURED = "editdistance.eval(net(x), y)"
NO_GRAD = "  # expect: LL303"
STEP = "optimizer.step()"
PROGRAMS = {
    "outputs that are measured": PROGRAM.format(measured=MEASURED, marked="", between=f"{STEP}  # expect: LL105", after="pass"),
    "outputs that only this code sees": PROGRAM.format(
        measured="net(x).sum().item()", marked=NO_GRAD, between=f"{STEP}  # expect: LL105", after="pass"
    ),
    "a step that comes after": PROGRAM.format(measured=MEASURED, marked="", between="pass", after=STEP),
    "a step on what code out of sight may send backward": PROGRAM.format(
        measured=MEASURED, marked="", between="editdistance.learn(net(x)); optimizer.step()", after="pass"
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_the_step_finds(name: str) -> None:
    assert_marked(PROGRAMS[name])
