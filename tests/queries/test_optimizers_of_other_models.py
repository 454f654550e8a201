"""LL107: the optimizer holds one model and another is trained, which no optimizer holds; silent where anything ties the two together."""

from __future__ import annotations

from pathlib import Path

import pytest

import looplint
from command_line import looplint as looplint_command
from programs import assert_marked

HEAD = "import torch\nfrom torch import nn\n"

LOOP = """
    for x, y in loader:
        opt.zero_grad()
        loss = nn.functional.cross_entropy(net(x), y)
        loss.backward()
        opt.step()  # expect: LL107
"""
WRONG = {
    "two models": """
def main(loader):
    net, old = nn.Linear(3, 3), nn.Linear(3, 3)
    opt = torch.optim.SGD(old.parameters(), lr=0.1)
LOOP""",
    "a head on frozen features": """
def main(loader):
    body, head = nn.Linear(3, 3), nn.Linear(3, 3)
    opt = torch.optim.SGD(body.parameters(), lr=0.1)
    for x, y in loader:
        opt.zero_grad()
        with torch.no_grad():
            z = body(x)
        nn.functional.cross_entropy(head(z), y).backward()
        opt.step()  # expect: LL107
""",
    "one of a class, with another of its name": """
class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layer = nn.Linear(width, 3)

    def forward(self, x):
        return self.layer(x)


def main(loader):
    small = Net(3)
    opt = torch.optim.SGD(small.parameters(), lr=0.1)
    net = Net(5)
LOOP""",
    "a function that steps": """
def step(opt, loss):
    opt.zero_grad()
    loss.backward()
    opt.step()  # expect: LL107


def main(loader):
    teacher, student = nn.Linear(3, 3), nn.Linear(3, 3)
    opt = torch.optim.SGD(teacher.parameters(), lr=0.1)
    for x, y in loader:
        step(opt, nn.functional.cross_entropy(student(x), y))
""",
}
TIED = {
    "gradients are copied": "        for p, q in zip(old.parameters(), net.parameters()):\n            p.grad = q.grad\n        opt.step()\n",
    "gradients are copied by a function": "        share(net, old)\n        opt.step()\n",
}
BUILT = {
    "a part": "    old = nn.Linear(3, 3)\n    net = nn.Sequential(old, nn.ReLU())\n    opt = torch.optim.SGD(old.parameters(), lr=0.1)",
    "its layers": "    old = nn.Sequential(nn.Linear(3, 3), nn.ReLU())\n    net = nn.Sequential(*old.children())\n    opt = torch.optim.SGD(old.parameters(), lr=0.1)",
    "a weight": "    net, old = nn.Linear(3, 3), nn.Linear(3, 3)\n    net.weight = old.weight\n    opt = torch.optim.SGD(old.parameters(), lr=0.1)",
    "a wrapper": "    old = nn.Linear(3, 3)\n    net = nn.DataParallel(old)\n    opt = torch.optim.SGD(old.parameters(), lr=0.1)",
    "another group": (
        "    net, old = nn.Linear(3, 3), nn.Linear(3, 3)\n    opt = torch.optim.SGD(old.parameters(), lr=0.1)\n"
        '    opt.add_param_group({"params": net.parameters()})'
    ),
    "a list of both": "    net, old = nn.Linear(3, 3), nn.Linear(3, 3)\n    opt = torch.optim.SGD([*old.parameters(), *net.parameters()], lr=0.1)",
    "handed in": "    net = handed\n    old = nn.Linear(3, 3)\n    opt = torch.optim.SGD(old.parameters(), lr=0.1)",
    "code out of sight has both": "    net, old = nn.Linear(3, 3), nn.Linear(3, 3)\n    share(net, old)\n    opt = torch.optim.SGD(old.parameters(), lr=0.1)",
}
SHARE = """
def share(source, target):
    for p, q in zip(source.parameters(), target.parameters()):
        if q.grad is None:
            q._grad = p.grad
"""


@pytest.mark.parametrize("program", WRONG.values(), ids=WRONG)
def test_a_step_of_another_model_is_reported(program: str) -> None:
    assert_marked(program.replace("LOOP", LOOP.lstrip("\n")))


def test_the_loop_counts_as_judged(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(HEAD + WRONG["two models"].replace("LOOP", LOOP.lstrip("\n")))
    assert b"Judged 1 training loop in 1 file.\n" in looplint_command("check", "train.py", "--isolated", cwd=tmp_path).stdout


def codes(program: str) -> list[str]:
    return [f.code for f in looplint.lint(HEAD + program, isolated=True) if f.code == "LL107"]


@pytest.mark.parametrize("tie", TIED.values(), ids=TIED)
def test_what_ties_them_in_the_loop_is_no_mistake(tie: str) -> None:
    program = WRONG["two models"].replace("LOOP", LOOP.lstrip("\n")).replace("        opt.step()  # expect: LL107\n", tie)
    assert codes(SHARE + program) == []


@pytest.mark.parametrize("built", BUILT.values(), ids=BUILT)
def test_what_ties_them_where_they_are_built_is_none(built: str) -> None:
    assert codes(f"def main(loader, handed):\n{built}{LOOP}") == []
