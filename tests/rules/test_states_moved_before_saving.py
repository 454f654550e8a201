"""A state whose tensors are moved to the CPU before they are written makes a file that any machine can load."""

from __future__ import annotations

from textwrap import indent

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn

class Trainer:
    def __init__(self, model, loader):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = model.to(self.device)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.loader = loader

    def train(self):
        for x, y in self.loader:
            self.optimizer.zero_grad()
            nn.functional.mse_loss(self.model(x.to(self.device)), y.to(self.device)).backward()
            self.optimizer.step()

    def save(self, path):
        state = self.model.state_dict()
BODY

    def load(self, path):
        self.model.load_state_dict(torch.load(path))

def main(model, loader, resume, path):
    trainer = Trainer(model, loader)
    if resume:
        trainer.load(path)
    trainer.train()
    trainer.save(path)
"""
MOVED = {
    "by key": "for key in state.keys():\n    state[key] = state[key].cpu()\ntorch.save(state, path)",
    "of the dict itself": 'for key in state:\n    state[key] = state[key].detach().to("cpu")\ntorch.save({"model": state}, path)',
    "with the tensors": "for name, tensor in state.items():\n    state[name] = tensor.cpu().clone()\ntorch.save(state, path)",
    "under a condition": "for name, x in state.items():\n    if x.is_cuda:\n        state[name] = x.to(device='cpu')\ntorch.save(state, path)",
}
AS_THEY_ARE = {
    "read alone": "for key in state.keys():\n    print(state[key].cpu())\ntorch.save(state, path)",
    "one entry": 'state["head.weight"] = state["head.weight"].cpu()\ntorch.save(state, path)',
    "copied": "for key in state.keys():\n    state[key] = state[key].clone()\ntorch.save(state, path)",
    "to the device": "for key in state.keys():\n    state[key] = state[key].to(self.device)\ntorch.save(state, path)",
}
OF_ANOTHER_DICT = "torch.save({key: tensor.cpu() for key, tensor in state.items()}, path)"


def _found(body: str) -> list[tuple[str, str]]:
    found = looplint.lint(PROGRAM.replace("BODY", indent(body, " " * 8)), isolated=True)
    return [(f.severity, f.related[-1].message) for f in found if f.code == "LL803"]


@pytest.mark.parametrize("body", MOVED.values(), ids=MOVED)
def test_moved(body: str) -> None:
    assert not _found(body)


@pytest.mark.parametrize("body", AS_THEY_ARE.values(), ids=AS_THEY_ARE)
def test_as_they_are(body: str) -> None:
    assert _found(body) == [("warning", "a state is saved from where it is")]


def test_moved_into_another_dict() -> None:
    assert [severity for severity, _ in _found(OF_ANOTHER_DICT)] == ["advice"]
