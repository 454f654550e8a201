"""Losses that come from parameters and from no module have their graphs where they are kept or added up, before they go backward as well as after."""

from __future__ import annotations

import pytest

from programs import assert_marked

POINTS = """
        class Points:
            def __init__(self):
                self.xyz = nn.Parameter(torch.zeros(10, 3))
                self.optimizer = torch.optim.Adam([{{"params": [self.xyz], "lr": 0.1}}])
        def train(cameras, images):
            points = Points()
            history, total = [], 0
            for camera, image in zip(cameras, images):
                loss = (points.xyz @ camera - image).abs().mean()
                {before}
                loss.backward()
                {after}
                points.optimizer.step()
                points.optimizer.zero_grad()
            print(total, history)
"""
LEAF = """
        def fit(target):
            weight = {leaf}
            optimizer = torch.optim.SGD([weight], lr=0.1)
            losses = []
            for step in range(100):
                x = torch.randn(6, 10)
                loss = ((weight @ x - target) ** 2).mean()
                optimizer.zero_grad()
                losses.append(loss){marked}
                loss.backward()
                optimizer.step()
            return losses
"""
KEPT, ADDED = "history.append(loss)  # expect: LL401", "total += loss  # expect: LL402"

PROGRAMS = {
    "kept before": POINTS.format(before=KEPT, after="pass"),
    "kept after": POINTS.format(before="pass", after=KEPT),
    "added up before": POINTS.format(before=ADDED, after="pass"),
    "added up after": POINTS.format(before="pass", after=ADDED),
    "the value is kept": POINTS.format(before="history.append(loss.item())", after="total += loss.detach()"),
    "a plain tensor that is optimized": LEAF.format(leaf="torch.zeros(4, 6, requires_grad=True)", marked="  # expect: LL401"),
    "a product that is optimized": LEAF.format(leaf="(torch.randn(4, 6) * 0.1).requires_grad_(True)", marked="  # expect: LL401"),
    "a parameter that is optimized": LEAF.format(leaf="nn.Parameter(torch.zeros(4, 6))", marked="  # expect: LL401"),
    "losses that go backward together": """
        def fit(target, weight):
            weight = nn.Parameter(weight)
            optimizer = torch.optim.SGD([weight], lr=0.1)
            for step in range(100):
                losses = []
                for row in target:
                    losses.append(((weight - row) ** 2).mean())
                loss = sum(losses)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
""",
    "parts of one computation": """
        def fit(target, weight):
            weight = nn.Parameter(weight)
            optimizer = torch.optim.SGD([weight], lr=0.1)
            for step in range(100):
                total = 0
                for row in target:
                    total = total + ((weight - row) ** 2).mean()
                optimizer.zero_grad()
                total.backward()
                optimizer.step()
""",
}


@pytest.mark.parametrize("program", [pytest.param(text, id=name) for name, text in PROGRAMS.items()])
def test_each_marked_line_is_reported_and_no_other(program: str) -> None:
    assert_marked(program)
