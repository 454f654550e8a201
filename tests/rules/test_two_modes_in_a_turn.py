"""A turn that trains in train mode first, and in eval mode afterwards, takes both on purpose (LL301)."""

from __future__ import annotations

import pytest

from programs import assert_marked

TURN = """
        def train(model, teacher, optimizer, loader):
            for x, y in loader:
                {first}
                model.eval()
                with torch.no_grad():
                    target = model(x)
                    wanted = teacher(x)
                {again}
                loss = {loss} + nn.functional.mse_loss(model(x), wanted){marked}
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
"""
BOTH = "model.train(); own = nn.functional.cross_entropy(model(x), y)"

PROGRAMS = {
    "both modes": TURN.format(first=BOTH, again="pass", loss="own", marked=""),
    "no train mode": TURN.format(first="pass", again="pass", loss="0", marked="  # expect: LL301"),
    "a train mode that nothing uses": TURN.format(first="model.train()", again="pass", loss="0", marked="  # expect: LL301"),
    "train mode again": TURN.format(first="pass", again="model.train()", loss="0", marked=""),
}


@pytest.mark.parametrize("program", [pytest.param(text, id=name) for name, text in PROGRAMS.items()])
def test_each_marked_line_is_reported_and_no_other(program: str) -> None:
    assert_marked(program)
