"""A parameter whose annotation is a class without the methods of an optimizer is one by its use: its subclasses have them of torch's own."""

from __future__ import annotations

import pytest

from programs import assert_marked

BASES = """
import torch
from torch import nn
from torch.cuda.amp import GradScaler

class BaseOptim:
    def __init__(self, opts):
        self.lr = opts.lr

    def extra_repr(self):
        return f"lr={self.lr}"

class SGDOptimizer(BaseOptim, torch.optim.SGD):
    pass

class OwnStep:
    def __init__(self, params):
        self.params = list(params)

    def step(self):
        for param in self.params:
            param.data.sub_(param.grad)
            param.grad = None

    def zero_grad(self):
        pass

class Lends:
    def __init__(self, inner):
        self.inner = inner

    def __getattr__(self, name):
        return getattr(self.inner, name)
"""
PLAIN = """
class Trainer:
    def __init__(self, model: nn.Module, optimizer: BaseOptim, loader):
        self.model, self.optimizer, self.loader = model, optimizer, loader

    def train(self):
        for x in self.loader:
            loss = self.model(x).sum()
            loss.backward()  # expect: LL102
            self.optimizer.step()
"""
LOUD = {
    "kept": PLAIN,
    "cleared too late": PLAIN.replace("  # expect: LL102", "").replace(
        "            self.optimizer.step()",
        "            self.optimizer.zero_grad()  # expect: LL101\n            self.optimizer.step()",
    ),
    "in a function": """
def train(model: nn.Module, optimizer: BaseOptim, loader):
    for x in loader:
        loss = model(x).sum()
        loss.backward()  # expect: LL102
        optimizer.step()
""",
    "given to a scaler by a keyword": """
class Trainer:
    def __init__(self, model: nn.Module, optimizer: BaseOptim, scaler: GradScaler, loader):
        self.model, self.optimizer, self.scaler, self.loader = model, optimizer, scaler, loader

    def train(self):
        for x in self.loader:
            self.optimizer.zero_grad()
            loss = self.model(x).sum()
            self.scaler.scale(loss).backward()
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)  # expect: LL601
            self.scaler.step(optimizer=self.optimizer)
            self.scaler.update()
""",
    "its state is asked for by a function out of sight": """
from elsewhere import get_model_optimizer_state_dict

class Trainer:
    def __init__(self, model: nn.Module, optimizer: BaseOptim, loader):
        self.model, self.optimizer, self.loader = model, optimizer, loader

    def train(self):
        for x in self.loader:
            loss = self.model(x).sum()
            loss.backward()  # expect: LL102
            self.optimizer.step()
            torch.save(get_model_optimizer_state_dict(self.model, self.optimizer), "last.pt")
""",
}
CLEAN = PLAIN.replace("  # expect: LL102", "").replace("            loss =", "            self.optimizer.zero_grad()\n            loss =")
QUIET = {
    "cleared": CLEAN,
    "of a class that steps itself": CLEAN.replace("BaseOptim", "OwnStep").replace("            self.optimizer.zero_grad()\n", ""),
    "of a class that has what another one has": CLEAN.replace("BaseOptim", "Lends"),
}


@pytest.mark.parametrize("name", LOUD)
def test_forgotten(name: str) -> None:
    assert_marked(BASES + LOUD[name])


@pytest.mark.parametrize("name", QUIET)
def test_in_order(name: str) -> None:
    assert_marked(BASES + QUIET[name])
