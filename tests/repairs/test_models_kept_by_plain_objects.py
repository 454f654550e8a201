"""The repair of a pass in train mode switches a module: the model that an object keeps, where that object is none itself (LL302)."""

from pathlib import Path

import pytest

from repaired_text import fixed

_HEAD = """\
import dataclasses
import types
import torch
from torch import nn


def make():
    return nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Linear(8, 2))


class Agent:
    def __init__(self, path):
        self.policy = make()
        self.policy.load_state_dict(torch.load(path))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.policy = make()

    def act(self, x):
        return self.policy(x)


@dataclasses.dataclass
class State:
    policy: nn.Module
    step: int = 0


"""
_PASS = """\
with torch.no_grad():
    for x, y in torch.load("valid.pt"):
        print((agent.policy(x).argmax(1) == y).float().mean())
"""
_LOADED = 'policy = make()\npolicy.load_state_dict(torch.load("a.pt"))\n'


@pytest.mark.parametrize(
    "made",
    [
        pytest.param('agent = Agent("a.pt")\n', id="a class"),
        pytest.param(f"{_LOADED}agent = State(policy)\n", id="a data class"),
        pytest.param(f"{_LOADED}agent = types.SimpleNamespace()\nagent.policy = policy\n", id="a namespace"),
    ],
)
def test_what_keeps_the_model_has_no_modes(tmp_path: Path, made: str) -> None:
    found = fixed(tmp_path / "train.py", (_HEAD + made + _PASS).encode()).decode()
    assert "agent.eval()" not in found
    assert found == _HEAD + made + "agent.policy.eval()\n" + _PASS or "\npolicy.eval()\n" in found


def test_a_module_that_has_it_as_a_part_is_switched_as_a_whole(tmp_path: Path) -> None:
    made = 'agent = Net()\nagent.load_state_dict(torch.load("a.pt"))\n'
    assert fixed(tmp_path / "train.py", (_HEAD + made + _PASS).encode()).decode() == _HEAD + made + "agent.eval()\n" + _PASS


def test_a_part_of_one_module_that_another_object_keeps_too(tmp_path: Path) -> None:
    made = 'net = Net()\nnet.load_state_dict(torch.load("a.pt"))\nagent = types.SimpleNamespace()\nagent.policy = net.policy\n'
    found = fixed(tmp_path / "train.py", (_HEAD + made + _PASS).encode()).decode()
    assert found == _HEAD + made + "agent.policy.eval()\n" + _PASS
