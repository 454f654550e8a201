"""The repair of a pass in train mode leaves a model that the function was handed as it found it: other files may call it in their training (LL302)."""

from pathlib import Path

import pytest

from repaired_text import fixed

_HEAD = """\
import types
import torch
from torch import nn


"""
_MAIN = """\


if __name__ == "__main__":
    net = nn.Sequential(nn.Linear(4, 8), nn.Dropout(), nn.Linear(8, 2))
    net.load_state_dict(torch.load("net.pt"))
    print(validate({given}))
"""
_BODY = """\
    total = 0
    with torch.no_grad():
        for x, y in loader:
            total += (net(x).argmax(1) == y).sum().item()
    return total
"""
_SWITCHED = """\
    total = 0
    was_training = net.training
    net.eval()
    with torch.no_grad():
        for x, y in loader:
            total += (net(x).argmax(1) == y).sum().item()
    net.train(was_training)
    return total
"""


@pytest.mark.parametrize(
    ("signature", "given", "name"),
    [
        ("net, loader", 'net, torch.load("valid.pt")', "net"),
        ("loader, *, net", 'torch.load("valid.pt"), net=net', "net"),
        ("parts, loader", '(net, None), torch.load("valid.pt")', "parts[0]"),
        ("holder, loader", 'types.SimpleNamespace(net=net), torch.load("valid.pt")', "holder.net"),
    ],
)
def test_the_mode_that_was_found_is_put_back(tmp_path: Path, signature: str, given: str, name: str) -> None:
    head, main = f"{_HEAD}def validate({signature}):\n", _MAIN.replace("{given}", given)
    if name != "net":
        head += f"    net = {name}\n"
    found = fixed(tmp_path / "train.py", (head + _BODY + main).encode()).decode()
    assert found == head + _SWITCHED + main


def test_a_mode_that_a_return_would_leave_on_is_not_switched_safely(tmp_path: Path) -> None:
    body = """\
    with torch.no_grad():
        for x, y in loader:
            wrong = (net(x).argmax(1) != y).sum().item()
            if wrong:
                return wrong
    return 0
"""
    program = f"{_HEAD}def validate(net, loader):\n{body}" + _MAIN.replace("{given}", 'net, torch.load("valid.pt")')
    assert fixed(tmp_path / "train.py", program.encode()).decode() == program
    assert "net.eval()" in fixed(tmp_path / "train.py", program.encode(), unsafe=True).decode()


def test_what_an_object_keeps_itself_stays_in_eval_mode(tmp_path: Path) -> None:
    program = f"""{_HEAD}class Tester:
    def __init__(self):
        self.net = nn.Sequential(nn.Linear(4, 8), nn.Dropout(), nn.Linear(8, 2))
        self.net.load_state_dict(torch.load("net.pt"))

    def test(self, loader):
        total = 0
        with torch.no_grad():
            for x, y in loader:
                total += (self.net(x).argmax(1) == y).sum().item()
        return total


print(Tester().test(torch.load("valid.pt")))
"""
    switched = program.replace("        with", "        self.net.eval()\n        with")
    assert fixed(tmp_path / "train.py", program.encode()).decode() == switched


@pytest.mark.parametrize("body", ["    return net(loader).numpy()\n", "    with torch.no_grad():\n        return net(loader).numpy()\n"])
def test_nothing_is_put_behind_a_return(tmp_path: Path, body: str) -> None:
    decorator = "" if "with" in body else "@torch.no_grad()\n"
    program = f"{_HEAD}{decorator}def validate(net, loader):\n{body}" + _MAIN.replace("{given}", 'net, torch.load("x.pt")')
    assert fixed(tmp_path / "train.py", program.encode()).decode() == program
    switched = program.replace(body, f"    net.eval()\n{body}")
    assert fixed(tmp_path / "train.py", program.encode(), unsafe=True).decode() == switched
