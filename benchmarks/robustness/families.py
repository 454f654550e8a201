"""Families of programs that grow in one respect: nesting, chains, runs of something, and what a training script is made of."""

from __future__ import annotations

import json
from collections.abc import Callable

HEAD = """\
import torch
from torch import nn, optim

net = nn.Linear(2, 1)
opt = optim.SGD(net.parameters(), lr=0.1)
"""
LOOP = """\
for x, y in loader:
    opt.zero_grad()
    loss = nn.functional.mse_loss(net(x), y)
    loss.backward()
    opt.step()
"""
Family = Callable[[int], str]


def _script(text: str) -> str:
    return f"{HEAD}{text}\n{LOOP}"


def _nested(opening: str, inner: str, closing: str) -> Family:
    return lambda n: _script(f"x = {opening * n}{inner}{closing * n}")


def _chain(first: str, rest: str) -> Family:
    return lambda n: _script(f"x = {first}{rest * n}")


def _lines(line: str) -> Family:
    """A line repeated, with its number wherever `{}` stands."""
    return lambda n: _script("".join(line.replace("{}", str(i)) + "\n" for i in range(n)))


def _blocks(header: str, inner: str = "pass") -> Family:
    return lambda n: _script("".join(f"{'    ' * i}{header}\n" for i in range(n)) + "    " * n + inner)


def _in_loop(line: str) -> Family:
    """A line repeated in the training loop."""
    return lambda n: HEAD + LOOP + "".join("    " + line.replace("{}", str(i)) + "\n" for i in range(n))


def _notebook(n: int) -> str:
    cells: list[dict[str, object]] = [
        {"cell_type": "code", "execution_count": None, "id": f"c{i}", "metadata": {}, "outputs": [], "source": source}
        for i, source in enumerate([HEAD, *(f"a{i} = {i}\n" for i in range(n)), LOOP])
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


# Depth that the parser's stack has to hold. Most of these are no Python beyond a limit of the compiler's own.
NESTED: dict[str, Family] = {
    "parentheses": _nested("(", "1", ")"),
    "lists": _nested("[", "1", "]"),
    "dictionaries": _nested("{1:", "1", "}"),
    "calls in calls": _nested("f(", "1", ")"),
    "brackets behind strings": lambda n: _script("x = " + "(')', " * n + "1" + ")" * n),
    "brackets behind comments": lambda n: _script("x = " + "( # )\n" * n + "1" + ")" * n),
    "brackets that never close": lambda n: _script("x = " + "(" * n),
    "subscripts in subscripts": _nested("a[", "1", "]"),
    "generators in generators": _nested("(", "a for a in b", ") "),
    "format strings": lambda n: _script("x = " + "f'{" * n + "1" + "}'" * n),
    "branches in branches": _blocks("if a:"),
    "functions in functions": _blocks("def f():"),
    "loops in loops": _blocks("for a in b:"),
    "contexts in contexts": _blocks("with a:"),
    "attempts in attempts": lambda n: _script("".join("    " * i + "try:\n" for i in range(n)) + "    " * n + "pass\n" + "".join("    " * i + "finally: pass\n" for i in reversed(range(n)))),
}  # fmt: skip
# Chains, which are as deep as they are long in a tree.
CHAINS: dict[str, Family] = {
    "signs": lambda n: _script("x = " + "-" * n + "1"),
    "inversions": lambda n: _script("x = " + "~" * n + "1"),
    "negations": lambda n: _script("x = " + "not " * n + "1"),
    "powers": _chain("1", "**1"),
    "powers of signs": _chain("1", "**-1"),
    "sums": _chain("1", " + 1"),
    "products": _chain("1", " * a"),
    "or": _chain("a", " or a"),
    "and": _chain("a", " and a"),
    "comparisons": _chain("a", " < a"),
    "attributes": _chain("a", ".a"),
    "subscripts": _chain("a", "[0]"),
    "calls": _chain("a", "()"),
    "methods": _chain("net", ".a(1)"),
    "methods of an argument": lambda n: f"{HEAD}def f(a):\n    return a{'.g(1)' * n}\nf(net)\n{LOOP}",
    "conditions": _chain("1", " if a else 1"),
    "lambdas": lambda n: _script("x = " + "lambda: " * n + "1"),
    "awaits": lambda n: f"{HEAD}async def f():\n    {'await ' * n}a\n{LOOP}",
    "joined strings": lambda n: _script("x = (" + "'a'\n" * n + ")"),
    "elif": lambda n: _script("if a: pass\n" + "".join(f"elif a == {i}: pass\n" for i in range(n))),
    "else if": lambda n: _script("x = " + "".join(f"{i} if a == {i} else " for i in range(n)) + "0"),
    "targets": lambda n: _script("x = " * n + "1"),
    "functions that call the next": lambda n: _script("".join(f"def f{i}(m): f{i + 1}(m)\n" for i in range(n)) + f"def f{n}(m): m.train()\nf0(net)"),
    "classes that extend the one before": lambda n: _script("class C0(nn.Module): pass\n" + "".join(f"class C{i + 1}(C{i}): pass\n" for i in range(n)) + f"m = C{n}()"),
    "decorators": lambda n: _script("@a\n" * n + "def f(): pass"),
    "contexts of one statement": lambda n: _script("with " + ", ".join(f"a as b{i}" for i in range(n)) + ": pass"),
}  # fmt: skip
# Runs of one thing, as in generated files and in tables of data.
RUNS: dict[str, Family] = {
    "blank lines": lambda n: HEAD + "\n" * n + LOOP,
    "blank lines before an import": lambda n: "\n" * n + HEAD + LOOP,
    "blanks": lambda n: HEAD + " " * n + "\n" + LOOP,
    "lines of blanks": lambda n: HEAD + "    \n" * n + LOOP,
    "carriage returns": lambda n: HEAD + "\r" * n + LOOP,
    "comments": _lines("# a comment"),
    "dashes in a comment": lambda n: _script("#" + "-" * n),
    "comments that ignore": lambda n: _script("# looplint: ignore[" * n),
    "comments that ignore, closed": lambda n: _script("# looplint: ignore[LL1] " * n),
    "comments that ignore blanks": lambda n: _script("# looplint: ignore" + " " * n + "x"),
    "a comment of looplint's and blanks": lambda n: _script("# looplint" + " " * n + "x"),
    "noqa with many codes": lambda n: _script("# noqa: " + "A1, " * n),
    "noqa and blanks": lambda n: _script("#" + " " * n + "noqa:" + " " * n + "!"),
    "number signs": lambda n: _script("#" * n),
    "lines that noqa": _lines("a = {}  # noqa: LL102"),
    "dots": lambda n: _script("x = '" + ". " * n + "'"),
    "dots and blanks": lambda n: _script("'''" + "." + " " * n + "'''"),
    "a long string": lambda n: _script("x = '" + "a" * n + "'"),
    "a long number": lambda n: _script("x = " + "9" * n),
    "a long name": lambda n: _script("a" * n + " = 1"),
    "quotes": lambda n: _script("x = " + "'' " * n),
    "backslashes": lambda n: _script("x = 1" + " \\\n" * n + " + 1"),
    "statements": _lines("a{} = {}"),
    "statements of one line": lambda n: _script("; ".join("a = 1" for _ in range(n))),
    "arguments": lambda n: _script("f(" + ", ".join(str(i) for i in range(n)) + ")"),
    "items of a list": lambda n: _script("x = [" + ", ".join(str(i) for i in range(n)) + "]"),
    "items of a dictionary": lambda n: _script("x = {" + ", ".join(f"'a{i}': {i}" for i in range(n)) + "}"),
    "parameters": lambda n: _script("def f(" + ", ".join(f"a{i}" for i in range(n)) + "): pass"),
    "imports": _lines("import a{}"),
    "imported names": lambda n: _script("from a import " + ", ".join(f"a{i}" for i in range(n))),
    "functions": _lines("def f{}(a): return a"),
    "classes": _lines("class C{}(nn.Module): pass"),
    "cases": lambda n: _script("match a:\n" + "".join(f"    case {i}: pass\n" for i in range(n))),
    "handlers": lambda n: _script("try: pass\n" + "".join(f"except A{i}: pass\n" for i in range(n))),
    "branches one below the other": _lines("if a{}: b = {}"),
}  # fmt: skip
# What a training script is made of.
LOOPS: dict[str, Family] = {
    "training loops": lambda n: HEAD + LOOP * n,
    "functions that train": lambda n: HEAD + "".join(f"def f{i}(net, opt, loader):\n" + "".join(f"    {line}\n" for line in LOOP.splitlines()) for i in range(n)),
    "models and optimizers": lambda n: HEAD + "".join(f"net{i} = nn.Linear(2, 1)\nopt{i} = optim.SGD(net{i}.parameters(), lr=1)\n" for i in range(n)) + LOOP,
    "loops of their own models": lambda n: HEAD + "".join(HEAD.partition("\n\n")[2].replace("net", f"net{i}").replace("opt ", f"opt{i} ") + LOOP.replace("net(", f"net{i}(").replace("opt.", f"opt{i}.") for i in range(n)),
    "statements in the loop": _in_loop("a{} = {}"),
    "forwards in the loop": _in_loop("y{} = net(x)"),
    "logs in the loop": _in_loop("history.append(loss)"),
    "branches in the loop": _in_loop("if a{}: net.train()"),
    "branches in the loop that step": _in_loop("if a{}: opt.step()"),
    "models in a list": lambda n: HEAD + "nets = [" + ", ".join("nn.Linear(2, 1)" for _ in range(n)) + "]\n" + LOOP.replace("net(", "nets[0]("),
    "layers of a model": lambda n: HEAD.replace("nn.Linear(2, 1)", "nn.Sequential(" + ", ".join("nn.Linear(2, 2)" for _ in range(n)) + ")") + LOOP,
    "attributes of a model": lambda n: HEAD + "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n" + "".join(f"        self.l{i} = nn.Linear(2, 2)\n" for i in range(n)) + "    def forward(self, x):\n" + "".join(f"        x = self.l{i}(x)\n" for i in range(n)) + "        return x\nnet = M()\n" + LOOP,
    "additions to a name": lambda n: HEAD + "total = 0\n" + LOOP + "    total = total" + " + loss" * n + "\n",
    "cells of a notebook": _notebook,
    "blocks of a document": lambda n: "".join(f"Text {i}.\n\n```python\na = {i}\n```\n\n" for i in range(n)) + f"```python\n{HEAD}{LOOP}```\n",
}  # fmt: skip
FAMILIES: dict[str, Family] = {**NESTED, **CHAINS, **RUNS, **LOOPS}
# What a family's files are called, where that is not .py.
ENDINGS = {"cells of a notebook": ".ipynb", "blocks of a document": ".md"}
