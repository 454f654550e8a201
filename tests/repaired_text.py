"""The text of a program before and after its repairs, as bytes."""

from __future__ import annotations

from pathlib import Path

from looplint.linting.fixing import fix_paths

HEAD = """\
import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_

model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(), nn.Linear(8, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu")
loader = torch.utils.data.DataLoader(data, batch_size=4, shuffle=True)
"""


def fixed(path: Path, raw: bytes, *, unsafe: bool = False) -> bytes:
    """The content of a file after its repairs."""
    path.write_bytes(raw)
    result = fix_paths([str(path)], unsafe=unsafe, jobs=1)
    assert not result.linted.problems
    return next((new.raw for _, new in result.changed), raw)


def assert_repaired(path: Path, broken: str, repaired: str, *, unsafe: bool = False) -> None:
    """A program below HEAD becomes another, also with tabs and the line ends of Windows; and a further run changes nothing."""
    assert fixed(path, (HEAD + broken).encode(), unsafe=unsafe).decode() == HEAD + repaired
    assert fixed(path, (HEAD + repaired).encode(), unsafe=unsafe).decode() == HEAD + repaired
    broken, repaired = (f"{HEAD}{text}".replace("    ", "\t").replace("\n", "\r\n") for text in (broken, repaired))
    assert fixed(path, broken.encode(), unsafe=unsafe).decode() == repaired
