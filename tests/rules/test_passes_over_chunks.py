"""A function that validates by its name may count the chunks of its data: they are a pass as those of a loader are (LL302)."""

from pathlib import Path
from textwrap import dedent, indent

import pytest

from programs import assert_marked
from repaired_text import fixed

_PROGRAM = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 8)
        self.drop = nn.Dropout()
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        return self.head(x)

    def predict(self, x):
        x = self.drop(self.body(x))
        return search(self.forward, x)


@torch.no_grad()
def search(step, x):
    return step(x) / 2


def {name}(net, data, targets, size):
    right = 0
{body}
    return right


net = Net()
opt = torch.optim.Adam(net.parameters())
for epoch in range(9):
    {mode}
    for x, y in torch.load("train.pt"):
        opt.zero_grad()
        nn.functional.cross_entropy(net.head(net.drop(net.body(x))), y).backward()
        opt.step()
    print({name}(net, *torch.load("valid.pt"), 16))
"""
_BY_NUMBER = """
for i in range(len(data) // size):
    x, y = data[i * size : (i + 1) * size], targets[i * size : (i + 1) * size]
    right += (net.predict(x).topk(1)[1] == y).sum().item(){mark}
"""
_BY_PLACE = """
for start in range(0, len(data), size):
    x, y = data[start : start + size], targets[start : start + size]
    right += (net.predict(x).topk(1)[1] == y).sum().item(){mark}
"""
_BY_NAMES = """
for i in range(len(data) // size):
    begin = i * size
    end = begin + size
    right += (net.predict(data[begin:end]).topk(1)[1] == targets[begin:end]).sum().item(){mark}
"""
_WITH_GRADIENTS = "  # expect: LL303"
_BODIES = [_BY_NUMBER, _BY_PLACE, _BY_NAMES]


def _program(body: str, name: str = "evaluate", mark: str = "", mode: str = "net.train()", before: str = "") -> str:
    text = before + dedent(body).strip().replace("{mark}", mark)
    return _PROGRAM.format(name=name, mode=mode, body=indent(text, " " * 4))


@pytest.mark.parametrize("body", _BODIES)
@pytest.mark.parametrize("name", ["evaluate", "validate"])
def test_chunks_of_a_validation(body: str, name: str) -> None:
    assert_marked(_program(body, name, f"{_WITH_GRADIENTS}  # expect: LL302"))


@pytest.mark.parametrize("body", _BODIES)
def test_in_eval_mode(body: str) -> None:
    assert_marked(_program(body, mark=_WITH_GRADIENTS, before="net.eval()\n"))


@pytest.mark.parametrize("body", _BODIES)
def test_what_is_no_validation_by_its_name(body: str) -> None:
    assert_marked(_program(body, "collect", _WITH_GRADIENTS))


@pytest.mark.parametrize("body", _BODIES)
@pytest.mark.parametrize(
    ("mode", "first", "last"),
    [("net.train()", "", ""), ("pass", "    was_training = net.training\n", "\n    net.train(was_training)")],
)
def test_the_caller_of_its_method_names_the_model(tmp_path: Path, body: str, mode: str, first: str, last: str) -> None:
    program = f"import torch\nfrom torch import nn\n{_program(body, mode=mode)}"
    text = indent(dedent(body).strip().replace("{mark}", ""), " " * 4)
    switched = program.replace(text, f"{first}    net.eval()\n{text}{last}").replace("def evaluate", "@torch.no_grad()\ndef evaluate")
    assert fixed(tmp_path / "train.py", program.encode()).decode() == switched
