"""Programs that are larger than the interpreter follows: what matters is followed, and the cost does not grow with the calls."""

from __future__ import annotations

from pathlib import Path

import pytest

from looplint.interpreter.interpreter import ROOT_FUEL
from looplint.interpreter.roots import follow, interpreter_of
from looplint.linting.analysis import build_program
from looplint.queries.coverage import training_loops
from looplint.semantics import composition
from looplint.sources.reading import from_text
from looplint.syntax.parsing import parsed
from looplint.syntax.project import ModuleInfo, Project

LOOP = """
net = torch.nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
prepared = f1(3)
for epoch in range(3):
    for x in [torch.ones(2, 4)]:
        loss = net(x).sum()
        loss.backward()
        opt.step()
"""


def _tree(depth: int, leaf: str, between: str = "") -> str:
    """A program whose functions each call the next one twice, and that trains behind them."""
    functions = [f"def f{depth}(x):\n    return {leaf}\n"]
    for number in range(depth - 1, 0, -1):
        functions.append(f"def f{number}(x):\n    a = f{number + 1}(x)\n{between}    b = f{number + 1}(x)\n    return a + b\n")
    return "import torch\n" + "\n".join(functions) + LOOP


def _burnt(text: str) -> int:
    info = ModuleInfo(Path("train.py"), "train.py", from_text(text, None, "train.py"), parsed(text))
    composition.install()
    m = interpreter_of(Project(), info)
    before = m.left
    follow(m)
    return before - m.left


def test_a_tree_of_calls_that_compute_costs_as_much_as_it_has_functions() -> None:
    small, middle, large = (_burnt(_tree(depth, "x + 1")) for depth in (6, 12, 18))
    assert 0 < large - middle == middle - small


@pytest.mark.parametrize("depth", [10, 18])
def test_the_loop_behind_what_is_too_large_is_judged(depth: int) -> None:
    text = _tree(depth, "[x]", between="    c = [a]\n")
    program, info = build_program(from_text(text, None, "train.py"))
    (loop,) = training_loops(program, info, [info])
    assert loop.reason == ""
    assert _burnt(text) <= 2 * ROOT_FUEL


def test_what_was_cut_off_is_said_to_be_too_large() -> None:
    text = _tree(18, "[x]", between="    c = [a]\n")
    program, _ = build_program(from_text(text, None, "train.py"))
    assert not program.complete
