"""A model that calls in a loop what its base goes backward in is its own trainer: the methods of it that nobody calls are followed."""

from __future__ import annotations

from pathlib import Path

import pytest

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


LOOP = """\
import torch
from torch import nn

class Base(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.width = width

    def compile(self, lr: float):
        self.opt = torch.optim.Adam(self.{trained}parameters(), lr=lr)

    def one_step(self, batch):
        raise NotImplementedError

    def fit(self, loader, valid):
        for epoch in range(10):
            for batch in loader:
                {begun}
                loss = self.one_step(batch)
                self.opt.zero_grad()
                {backward}
                self.opt.step()
            self.{trained}eval()
            with torch.no_grad():
                print(sum(self.one_step(batch).item() for batch in valid))
"""
COMPLETED = {
    "a model of its own": (
        "model.",
        """
class Mine(Base):
    def __init__(self, width):
        super().__init__(width)
        self.model = nn.Sequential(nn.Linear(width, 8), nn.Dropout(0.5), nn.Linear(8, 1))

    def one_step(self, batch):
        return nn.functional.mse_loss(self.model(batch[0]), batch[1])
""",
    ),
    "a class between them": (
        "model.",
        """
class Middle(Base):
    def one_step(self, batch):
        return nn.functional.mse_loss(self.model(batch[0]), batch[1])

class Mine(Middle):
    def __init__(self):
        super().__init__(8)
        self.model = nn.Sequential(nn.Dropout(0.5), nn.Linear(8, 1))
""",
    ),
    "its own forward": (
        "",
        """
class Mine(Base):
    def __init__(self, width):
        super().__init__(width)
        self.net = nn.Sequential(nn.Linear(width, 8), nn.Dropout(0.5), nn.Linear(8, 1))

    def forward(self, x):
        return self.net(x)

    def one_step(self, batch):
        return nn.functional.mse_loss(self(batch[0]), batch[1])
""",
    ),
}


@pytest.mark.parametrize("name", COMPLETED)
def test_a_model_that_completes_the_loop_of_its_base_is_judged(name: str, tmp_path: Path) -> None:
    trained, text = COMPLETED[name]
    begun, sent = f"self.{trained}train()", "loss.backward()"

    def codes(begun: str, backward: str) -> list[str]:
        (tmp_path / "base.py").write_text(LOOP.format(trained=trained, begun=begun, backward=backward))
        mine = tmp_path / "mine.py"
        mine.write_text("import torch\nfrom torch import nn\nfrom base import Base\n# lr_scheduler\n" + text)
        return [f.code for f in looplint.lint([str(mine)], isolated=True) if f.severity != "advice"]

    assert codes(begun, sent) == []
    assert codes("pass", sent) == ["LL301"]
    assert codes(begun, "pass") == ["LL107"]
    assert codes(begun, sent.replace("()", "(retain_graph=True)")) == ["LL110"]
