"""What is reported, or not, for what the rest of a program does: a caller out of sight, a device that is needed anyway."""

from __future__ import annotations

import pytest

import looplint

TRAINER = """
import torch
from torch import nn

class Trainer:
    def __init__(self, model: nn.Module, use_amp: bool):
        self.model = model
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        self.scaler = torch.amp.GradScaler("cuda", enabled=use_amp)
    def train_step(self, batch, targets):
        with torch.autocast("cuda", dtype=torch.float16):
            loss = nn.functional.mse_loss(self.model(batch), targets)
        self.optimizer.zero_grad()
        self.scaler.scale(loss).backward()
        self.scaler.step(self.optimizer)
{after}
"""
UPDATED = {
    "at once": "        self.scaler.update()",
    "by a method that nobody calls either": "    def finish(self):\n        self.scaler.update()",
    "by code out of sight": "        finish(self.scaler)",
    "by a class out of sight, perhaps": "        register(self)",
}


def codes(after: str) -> list[str]:
    return [f.code for f in looplint.lint(TRAINER.replace("{after}", after), isolated=True) if f.severity != "advice"]


def test_a_scaler_that_nothing_updates() -> None:
    assert codes("        return loss.item()") == ["LL602"]


@pytest.mark.parametrize("after", UPDATED.values(), ids=UPDATED.keys())
def test_a_scaler_that_something_updates(after: str) -> None:
    assert codes(after) == []


def test_a_script_that_steps_once() -> None:
    script = """
import torch
model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cuda")
scaler.scale(model(torch.rand(3, 1)).sum()).backward()
scaler.step(optimizer)
"""
    assert [f.code for f in looplint.lint(script, isolated=True) if f.severity != "advice"] == []


LOADING = """
import torch
from torch import nn

def predict(loader, path, use_cuda=True):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Linear(3, 3)
    model.load_state_dict(torch.load(path))
    model.to(device).eval()
    with torch.no_grad():
        for x, y in torch.utils.data.DataLoader(loader):
            {move}
            print(model(x))
"""


@pytest.mark.parametrize(
    ("move", "expected"),
    [
        ("x = x.to(device)", ["LL803"]),
        ("x = x.cuda() if use_cuda else x", ["LL803"]),
        ("x = x.cuda(non_blocking=True)", []),
        ("x = x.to('cuda')", []),
    ],
)
def test_a_program_that_moves_its_batches_to_a_gpu_needs_one(move: str, expected: list[str]) -> None:
    """Where each batch goes to a GPU in any case, a load that fails without one fails no earlier than that."""
    found = [f.code for f in looplint.lint(LOADING.replace("{move}", move), isolated=True)]
    assert [code for code in found if code == "LL803"] == expected
