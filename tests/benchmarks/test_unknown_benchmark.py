"""What the benchmark hides from a file, and what it makes of the difference."""

from __future__ import annotations

from pathlib import Path

from benchmarks.unknown.__main__ import look, place, table

SCRIPT = """\
import torch
from torch import nn

model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in data:
    loss = nn.MSELoss()(model(x), y)
    loss.backward()
    optimizer.step()
"""


def test_what_is_hidden_is_counted_and_what_nobody_judged_is_named(tmp_path: Path) -> None:
    script = tmp_path / "a__b" / "train.py"
    script.parent.mkdir()
    script.write_text(SCRIPT)
    assert place(script, tmp_path) == ("a__b", "train.py")
    judged, unjudged = look(script, frozenset({("LL102", "loss.backward()")})), look(script, frozenset())
    assert judged.counts == {"the project around it": 1, "optimizers and schedulers": 1, "losses": 1, "layers": 1}
    assert not judged.only
    assert unjudged.only["layers"] == (f"{script}:8 LL102",)
    assert "| layers | 1 | 1 | 1 |" in table([unjudged]) and f"layers: {script}:8 LL102" in table([unjudged])
