"""What a star import brings in from a library out of sight is what the tables list under the library's name, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

import looplint

SCRIPT = """\
import torch
from torch import nn, optim
{imports}


def validate(model, loader):
    right = 0
    with torch.no_grad():
        for x, y in loader:
            right += (model(x).argmax(dim=1) == y).sum().item()
    return right


def main(train_set, valid_set):
    model = nn.Sequential(nn.Linear(5, 24), nn.Dropout(0.1), nn.Linear(24, 2))
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    train_loader = torch.utils.data.DataLoader(train_set, batch_size=24, shuffle=True)
    valid_loader = torch.utils.data.DataLoader(valid_set, batch_size=24)
    for epoch in range(4):
        model.train()
        for x, y in train_loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
        {after}
        print(validate(model, valid_loader))
"""


def codes(folder: Path, imports: str, after: str, helpers: str = "") -> list[str]:
    script = folder / "script.py"
    script.write_text(SCRIPT.format(imports=imports, after=after))
    (folder / "helpers.py").write_text(helpers)
    return [f.code for f in looplint.lint([script], isolated=True) if f.severity != "advice"]


@pytest.mark.parametrize(
    ("imports", "after", "helpers"),
    [
        ("from timm.utils import *\nfrom timm.loss import *", "distribute_bn(model, 2, True)", ""),
        ("from timm.utils import *", "CheckpointSaver(model=model, optimizer=optimizer).save_checkpoint(epoch)", ""),
        ("from helpers import *", "ema = ModelEmaV2(model)", "from timm.utils import *\n"),
        ("from timm.models import *\nfrom timm.utils import *", "print(safe_model_name(model), unwrap_model(model))", ""),
    ],
)
def test_listed_names_are_known(tmp_path: Path, imports: str, after: str, helpers: str) -> None:
    assert codes(tmp_path, imports, after, helpers) == ["LL302"]


@pytest.mark.parametrize(
    ("imports", "after", "helpers"),
    [
        ("from timm.utils import *", "prepare(model)", ""),
        ("from timm.utils import *\nfrom elsewhere import distribute_bn", "distribute_bn(model, 2, True)", ""),
        ("from timm.utils import *\nfrom helpers import *", "distribute_bn(model)", "def distribute_bn(model):\n    model.eval()\n"),
    ],
)
def test_others_may_do_anything(tmp_path: Path, imports: str, after: str, helpers: str) -> None:
    assert codes(tmp_path, imports, after, helpers) == []
