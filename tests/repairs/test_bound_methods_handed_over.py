"""The repair of a pass in train mode calls `eval()` on no method that is handed over as a function: on its module where that has a name, or nowhere (LL302)."""

from pathlib import Path

import pytest

from repaired_text import fixed

_HEAD = """\
import functools
import types
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 8), nn.Dropout(), nn.Linear(8, 4))

    def forward(self, x):
        return self.body(x)

    def encode(self, x):
        return self.body[0](x)

    def predict(self, x):
        return sample(self.forward, x)


@torch.no_grad()
def sample(step, x):
    y = step(x)
    return y


net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
net.train()
for x, y in torch.load("train.pt"):
    opt.zero_grad()
    nn.functional.mse_loss(net(x), y).backward()
    opt.step()
holder = types.SimpleNamespace(step=net.forward)
"""
_PASS = """\
x, y = torch.load("valid.pt")
print(({call}.argmax(1) == y).float().mean())
"""
_CALLS = [
    pytest.param("sample(net.forward, x)", id="a bound method"),
    pytest.param("sample(step=net.forward, x=x)", id="by a keyword"),
    pytest.param("sample(functools.partial(net.forward), x)", id="a partial"),
    pytest.param("net.predict(x)", id="its own"),
    pytest.param("sample(holder.step, x)", id="one that an object keeps"),
]


@pytest.mark.parametrize("call", _CALLS)
@pytest.mark.parametrize("unsafe", [False, True])
def test_its_caller_switches_the_module(tmp_path: Path, call: str, unsafe: bool) -> None:
    program = _HEAD + _PASS.replace("{call}", call)
    switched = _HEAD + _PASS.replace("{call}", call).replace("print(", "net.eval()\nprint(")
    assert fixed(tmp_path / "train.py", program.encode(), unsafe=unsafe).decode() == (switched if unsafe else program)


@pytest.mark.parametrize("call", _CALLS)
def test_no_method_is_switched(tmp_path: Path, call: str) -> None:
    program = (_HEAD + _PASS.replace("{call}", call)).replace("net.train()\n", "")
    assert fixed(tmp_path / "train.py", program.encode(), unsafe=True).decode() == program


def test_the_module_itself_is(tmp_path: Path) -> None:
    program = _HEAD + _PASS.replace("{call}", "sample(net, x)")
    switched = program.replace(
        "    y = step(x)\n", "    was_training = step.training\n    step.eval()\n    y = step(x)\n    step.train(was_training)\n"
    )
    assert fixed(tmp_path / "train.py", program.encode()).decode() == switched
