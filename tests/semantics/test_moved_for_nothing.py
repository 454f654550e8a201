"""A discarded move is an error where something may want the tensor moved, and advice where all that it meets stays with it (LL503)."""

from __future__ import annotations

from textwrap import dedent

import pytest

import looplint

PROGRAM = """
    import torch
    import torch.nn.functional as F

    def score(ys, weights, net, use_cuda, n):
        y = torch.cat(ys, 0)
        p = torch.rand(n)
        if use_cuda:
            y.{move}
        {after}
"""
NEEDLESS = {
    "it meets what was made on the processor": "print(F.mse_loss(p, y).item())",
    "it meets numbers": "print((y * 2 > 0.5).sum() / len(y), y.view(y.size(0), -1)[0])",
    "it is written": "torch.save(y, 'y.pt')",
    "nothing reads it": "print(n)",
    "only its size is read": "print(net(p, y.shape[0]))",
    "a copy of it meets what was made on the processor": "z = y.float()\n        print(torch.stack([z, p]))",
}
WANTED = {
    "a model gets it": "print(net(y))",
    "a model gets what is computed of it": "z = (y - 1).float()\n        print(net.encode(z).shape)",
    "it meets what is not known": "print(F.mse_loss(weights, y))",
    "it is returned": "return y",
    "it is kept in a list": "ys.append(y)",
    "it is kept in an object": "net.labels = y",
    "a function within reads it": "def inner():\n            return y\n        inner()",
    "a lambda reads it": "ys.sort(key=lambda each: each - y)",
    "its rows are handed on": "print([net(row) for row in y])",
    "it is moved after all on a path alone": "if n:\n            y = y.cuda()\n        print(net(y))",
}
SCRIPTS = {
    "advice": "def show():\n    print(1)\n",
    "error": "def show():\n    print(net(y))\n",
}


def severities(program: str) -> list[str]:
    return [f.severity for f in looplint.lint(dedent(program), isolated=True, min_severity="advice") if f.code == "LL503"]


@pytest.mark.parametrize("after", NEEDLESS.values(), ids=NEEDLESS)
def test_a_move_that_nothing_wants_is_advice(after: str) -> None:
    assert severities(PROGRAM.format(move="cuda()", after=after)) == ["advice"]


@pytest.mark.parametrize("after", WANTED.values(), ids=WANTED)
def test_a_move_that_something_may_want_is_an_error(after: str) -> None:
    assert severities(PROGRAM.format(move="cuda()", after=after)) == ["error"]


def test_an_array_is_wanted_on_the_processor() -> None:
    assert severities(PROGRAM.format(move="cpu()", after="print(y.numpy())")) == ["error"]
    assert severities(PROGRAM.format(move="cuda()", after="print(y.numpy())")) == ["advice"]


@pytest.mark.parametrize("severity", SCRIPTS)
def test_the_functions_of_a_file_may_read_its_names(severity: str) -> None:
    assert severities(f"import torch\ny = torch.rand(3)\ny.cuda()\nprint(y)\n{SCRIPTS[severity]}") == [severity]
