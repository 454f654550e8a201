"""A model that calls in a loop what its base goes backward in is its own trainer: the methods of it that nobody calls are followed."""

from __future__ import annotations

from pathlib import Path

import looplint

BASE = """\
import torch
from torch import nn

class Learner(nn.Module):
    def __init__(self, policy: nn.Module):
        super().__init__()
        self.policy = policy
        self.optimizer = torch.optim.Adam(self.policy.parameters(), lr=0.1)

    def observe(self, batch):
        self.optimizer.zero_grad()
        loss = nn.functional.mse_loss(self.policy(batch[0]), batch[1])
        loss.backward()
        self.optimizer.step()
        return loss.item()
"""
MULTI = """\
import torch
from torch import nn
{imported}

class Multi({base}):
    def learn(self, loader, valid):
        for epoch in range(10):
            {begun}
            for batch in loader:
                print(self.{step}(batch))
            self.policy.eval()
            with torch.no_grad():
                for x, y in valid:
                    print(nn.functional.mse_loss(self.policy(x), y).item())
"""
MIDDLE = """\
from base import Learner

class Middle(Learner):
    pass
"""


def _codes(
    folder: Path, begun: str = "pass", step: str = "observe", base: str = "Learner", imported: str = "from base import Learner"
) -> list[str]:
    (folder / "base.py").write_text(BASE)
    (folder / "middle.py").write_text(MIDDLE)
    path = folder / "multi.py"
    path.write_text(MULTI.format(begun=begun, step=step, base=base, imported=imported))
    return [f.code for f in looplint.lint([str(path)], isolated=True) if f.severity != "advice"]


def test_its_loop_is_judged(tmp_path: Path) -> None:
    assert _codes(tmp_path) == ["LL301"]
    assert _codes(tmp_path, begun="self.policy.train()") == []


def test_a_class_may_be_between_them(tmp_path: Path) -> None:
    assert _codes(tmp_path, base="Middle", imported="from middle import Middle") == ["LL301"]


def test_a_loop_that_only_computes_is_left_to_its_callers(tmp_path: Path) -> None:
    assert _codes(tmp_path, step="measure") == []
