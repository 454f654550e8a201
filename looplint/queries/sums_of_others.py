"""Sums on an object that other functions of the program's text send backward, whether or not this program runs them."""

from __future__ import annotations

from collections.abc import Iterator

from looplint.flow.events import Accumulate
from looplint.queries.program import Program
from looplint.syntax import ir


def is_sent_backward_by_others(program: Program, event: Accumulate) -> bool:
    """Whether a function sends backward what it computes of a sum on an object: `loss = loss + guide.penalty` and `loss.backward()`.

    That function need not run in this program, where another one samples of the same object and leaves the sum alone; its graph is needed all the same.
    """
    owner, _, name = event.target.rpartition(".")
    home = event.site.module
    if owner != "self" or home.code is None:
        return False
    classes = [cls.name for cls in home.code.classes]
    for info in program.modules_read:
        text = info.source.text
        if f".{name}" in text and ".backward(" in text and (info is home or any(cls in text for cls in classes)):
            code = info.lowered()
            if code is not None and any(_sends_backward(function, name) for function in code.functions):
                return True
    return False


def _sends_backward(function: ir.Function, name: str) -> bool:
    """Whether a function computes something of an attribute of an object that it has, and sends that backward."""
    computed = set[str]()

    def is_of_it(expr: ir.Expr) -> bool:
        paths = set(_with_graphs(expr))
        return bool(paths & computed) or any(path.endswith(f".{name}") and path != f"self.{name}" for path in paths)

    for stmt in ir.statements(function.body):
        if isinstance(stmt, ir.Assign | ir.AugAssign) and is_of_it(stmt.value):
            computed |= {path for target in ir.targets(stmt) if (path := ir.path_of(target))}
        for whole in ir.expressions(stmt):
            for call in ir.walk(whole):
                if isinstance(call, ir.Call) and isinstance(call.func, ir.Attr) and call.func.attr == "backward" and is_of_it(call):
                    return True
    return False


def _with_graphs(expr: ir.Expr) -> Iterator[str]:
    """The names and attribute chains that an expression reads with the graph of what they stand for: not `penalty` of `penalty.item()`."""
    work = [expr]
    while work:
        item = work.pop()
        match item:
            case ir.Call(func=ir.Attr(attr="item" | "detach" | "tolist" | "numpy") | ir.Name(id="float")):
                continue
        path = ir.path_of(item)
        if path is not None:
            yield path
        work += ir.children(item)
