"""Averages and tensors that are carried from batch to batch keep the graphs of all that went into them."""

from __future__ import annotations

import pytest

from programs import assert_marked

SETUP = """
        from collections import defaultdict
        net = nn.Linear(4, 1)
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
"""
STEP = """
            opt.zero_grad()
            out = net(x)
            loss = nn.functional.mse_loss(out, y)
            loss.backward()
            opt.step()
"""
LOOP = (
    """
        for i, (x, y) in enumerate(loader):"""
    + STEP
)
PROGRAMS = {
    "a moving average": """
        mean = 0.0"""
    + LOOP
    + """
            mean = 0.9 * mean + 0.1 * loss  # expect: LL402
        """,
    "a moving average of numbers": """
        mean = 0.0"""
    + LOOP
    + """
            mean = 0.9 * mean + 0.1 * loss.item()
        """,
    "a mean so far": """
        mean = torch.zeros(())"""
    + LOOP
    + """
            mean = (mean * i + out.abs().mean()) / (i + 1)  # expect: LL402
        """,
    "a mean so far, of an object of the program": """
        class Averages:
            def __init__(self):
                self.values, self.counts = {}, {}
            def start(self, name):
                self.values[name], self.counts[name] = 0, 0
            def update(self, name, value):
                self.values[name] = self.values[name] * self.counts[name] + value  # expect: LL402
                self.counts[name] += 1
                self.values[name] /= self.counts[name]
        averages = Averages()
        averages.start("score")"""
    + LOOP
    + """
            averages.update("score", out.max(dim=1)[0].mean())
        print(averages.values["score"])
        """,
    "a moving average that is trained on": """
        for epoch in range(3):
            mean = 0.0
            for x, y in loader:
                loss = nn.functional.mse_loss(net(x), y)
                mean = 0.9 * mean + 0.1 * loss
            opt.zero_grad()
            mean.backward()
            opt.step()
        """,
    "terms of one loss": """
        for x, y in loader:
            opt.zero_grad()
            out = net(x)
            loss = nn.functional.mse_loss(out, y)
            loss = 0.5 * loss + 0.1 * out.abs().mean()
            loss.backward()
            opt.step()
        """,
    "a sampler that goes on from what it has": """
        def sample(net, x, steps):
            for step in range(steps):
                x = 0.9 * x + 0.1 * net(x)
            return x
        """,
    "a tensor with a place for each": """
        losses, k = torch.zeros(100), 0
        for epoch in range(3):"""
    + LOOP.replace("\n", "\n    ")
    + """
                losses[k] = loss  # expect: LL402
                k = (k + 1) % 100
            print(losses.mean())
        """,
    "a tensor with a place for each, detached": """
        losses = torch.zeros(100)"""
    + LOOP
    + """
            losses[i] = loss.detach()
        """,
    "a tensor with a place for each, without gradients": """
        losses = torch.zeros(100)"""
    + LOOP
    + """
            with torch.no_grad():
                losses[i] = loss
        """,
    "a tensor that is made for each batch": """
        for x, y in loader:
            opt.zero_grad()
            outputs = torch.zeros(3, 4)
            for t in range(3):
                outputs[t] = net(x[t])
            nn.functional.mse_loss(outputs, y).backward()
            opt.step()
        """,
    "an array": """
        import numpy as np
        losses = np.zeros(100)"""
    + LOOP
    + """
            losses[i] = loss.item()
        """,
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_running_averages(program: str) -> None:
    assert_marked(SETUP + program)
