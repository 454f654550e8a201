"""What is indented with tabs and spaces so that Python takes it and LibCST's parser does not: the same program, each node in its place."""

from __future__ import annotations

import ast
from pathlib import Path

import libcst as cst
import pytest

import looplint
from looplint.syntax.tabs import tabs_as_spaces

LOOP = """\
import torch
from torch import nn, optim

def build(kind):
    if kind == "mlp":
        return nn.Sequential(nn.Linear(8, 2))
    elif kind == "linear":
   \t    return nn.Linear(8, 2)
    else:
        raise ValueError(kind)

model = build("linear")
optimizer = optim.SGD(model.parameters(), lr=0.1)
for x, y in torch.utils.data.DataLoader(data, batch_size=24, shuffle=True):
    {clear}
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
"""
TAKEN = [
    pytest.param("if a:\n    if b:\n   \t    x\n    else:\n        y\n", id="a tab after spaces"),
    pytest.param("if a:\n\tif b:\n             x\n\telse:\n\t\ty\n", id="spaces in a block of tabs"),
    pytest.param("def f():\n    # why\n   \t # so\n    if a:\n   \t     return 1\n    return 2\n", id="comments"),
    pytest.param('if a:\n    if b:\n   \t    x = """\n\t\ttext\n   \t   more"""\n    y\n', id="a string over several lines"),
    pytest.param("if a:\n    if b:\n   \t    x = f('''\n\t{''',\n\t\tc)\n    y\n", id="brackets"),
    pytest.param("if a:\r\n    if b:\r\n   \t    x\r\n    y\r\n", id="line ends of two characters"),
]


@pytest.mark.parametrize("text", TAKEN)
def test_same_program(text: str) -> None:
    with pytest.raises(cst.ParserSyntaxError):
        cst.parse_module(text)
    same = tabs_as_spaces(text)
    assert same is not None
    assert len(same) == len(text)
    assert ast.dump(ast.parse(same), include_attributes=True) == ast.dump(ast.parse(text), include_attributes=True)
    assert cst.parse_module(same).code == same


@pytest.mark.parametrize("text", ["if a:\n        x\n\ty\n", "if a:\n    x\n  y\n", "if a:\n\tx(\n"])
def test_no_python(text: str) -> None:
    assert tabs_as_spaces(text) is None


def codes(folder: Path, clear: str) -> list[tuple[str, int, int]]:
    script = folder / "script.py"
    script.write_text(LOOP.format(clear=clear))
    return [(f.code, f.location.row, f.location.column) for f in looplint.lint([script], isolated=True) if f.severity != "advice"]


def test_loop_is_judged(tmp_path: Path) -> None:
    assert codes(tmp_path, "pass") == [("LL102", 17, 5)]
    assert codes(tmp_path, "optimizer.zero_grad()") == []


def test_repair_leaves_the_indentation_as_it_is() -> None:
    text = LOOP.format(clear="pass")
    fixed = looplint.fix(text, isolated=True).text
    assert fixed is not None
    assert fixed.count("optimizer.zero_grad()") == 1
    assert [line for line in fixed.splitlines() if "optimizer.zero_grad()" not in line] == text.splitlines()
