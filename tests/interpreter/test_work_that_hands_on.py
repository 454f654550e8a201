"""What only works on data, and hands what it gets to code out of sight, is as good as that from some number of calls on."""

from __future__ import annotations

from pathlib import Path

import pytest

from looplint.interpreter.roots import follow, interpreter_of
from looplint.linting.analysis import build_program
from looplint.linting.files import judge
from looplint.linting.selection import Selections
from looplint.queries.coverage import training_loops
from looplint.semantics import composition
from looplint.sources.reading import from_text
from looplint.syntax.parsing import parsed
from looplint.syntax.project import ModuleInfo, Project

GRAPH = """
import torch
from elsewhere import shape_of

class Node:
    def __init__(self, module):
        self.module, self.inputs = module, []

class Graph:
    def __init__(self, net):
        self.net, self.kinds, self.history = net, {"linear": 0}, []
        self.opt = torch.optim.SGD(net.parameters(), lr=0.1)

    def width(self, node, more=None):
        found = shape_of(node.module)
        for kind in self.kinds:
            if kind in found:
                self.kinds[kind] += found[kind]
            elif len(found) > 3:
                self.kinds[kind] = max(len(found), 3)
            else:
                self.kinds[kind] = hash(kind) % 50
        if more is not None:
            BODY
        return GIVEN

other = torch.nn.Linear(4, 4)
graph = Graph(torch.nn.Linear(4, 1))
CALLS
for epoch in range(3):
    for x in [torch.ones(2, 4)]:
        graph.opt.zero_grad()
        loss = graph.net(x).sum()
        loss.backward()
        AFTER
        graph.opt.step()
"""


def _text(times: int, *, body: str = "pass", given: str = "self.kinds", after: str = "pass") -> str:
    calls = "\n".join(f"width{n} = graph.width(Node(other))" for n in range(times))
    return GRAPH.replace("BODY", body).replace("GIVEN", given).replace("CALLS", calls).replace("AFTER", after)


def _burnt(text: str) -> int:
    info = ModuleInfo(Path("train.py"), "train.py", from_text(text, None, "train.py"), parsed(text))
    composition.install()
    interp = interpreter_of(Project(), info)
    before = interp.left
    follow(interp)
    return before - interp.left


def _codes(text: str) -> list[str]:
    return [f.code for f in judge(from_text(text, None, "train.py"), Selections().of_source(None)).findings if f.severity != "advice"]


def test_what_only_hands_on_costs_no_more_from_some_number_of_calls_on() -> None:
    many, more = (_burnt(_text(times)) for times in (110, 160))
    one = _burnt(_text(2)) - _burnt(_text(1))
    assert more - many < 50 * one / 3


@pytest.mark.parametrize("times", [1, 120])
def test_what_it_has_never_handed_on_stays_known(times: int) -> None:
    text = _text(times, after="graph.opt.zero_grad(); graph.width(Node(other))")
    program, info = build_program(from_text(text, None, "train.py"))
    assert [loop.reason for loop in training_loops(program, info, [info])] == [""]
    assert _codes(text) == ["LL101"]
    assert _codes(_text(times, after="graph.width(Node(other))")) == []


@pytest.mark.parametrize("times", [1, 120])
@pytest.mark.parametrize(
    ("body", "after", "codes"),
    [
        ("more.zero_grad()", "graph.width(Node(other), graph.opt)", ["LL101"]),
        ("for each in more: each.zero_grad()", "graph.width(Node(other), [graph.opt])", ["LL101"]),
        ("self.history.append(more)", "graph.width(Node(other), loss)", ["LL401"]),
        ("self.history.append(more)", "graph.width(Node(other), 3)", []),
    ],
    ids=["an optimizer", "a list of optimizers", "a loss", "a number"],
)
def test_it_is_followed_where_it_gets_more_than_it_got_before(body: str, after: str, codes: list[str], times: int) -> None:
    assert _codes(_text(times, body=body, after=after)) == codes


@pytest.mark.parametrize("times", [1, 120])
def test_what_gives_more_than_data_is_followed(times: int) -> None:
    text = _text(times, given="self.opt", after="graph.width(Node(other)).zero_grad()")
    assert _codes(text) == ["LL101"]
