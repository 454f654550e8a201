"""Classes and functions of a file that nothing can reach: another of the same name takes their place before anything reads it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from looplint.syntax import ir


@ir.kept_with_code
def superseded(code: ir.ModuleCode) -> frozenset[ir.Class | ir.Function]:
    """The classes and functions of a file's own body that are defined anew there, where nothing between reads their name and nothing decorates them."""
    found: set[ir.Class | ir.Function] = set()
    unread: dict[str, ir.Class | ir.Function] = {}
    for stmt in code.top.body:
        run = [*_run(stmt)]
        if not isinstance(stmt, ir.ClassDef | ir.FunctionDef) and any(isinstance(part, ir.Call) for part in ir.walk(*run)):
            unread.clear()  # what is called may read every name
        for path in {path for expr in run for path in ir.paths_in(expr)}:
            unread.pop(path.partition(".")[0], None)
        defined = stmt.cls if isinstance(stmt, ir.ClassDef) else stmt.function if isinstance(stmt, ir.FunctionDef) else None
        if defined is None:
            continue
        earlier = unread.pop(defined.name, None)
        if earlier is not None:
            found.add(earlier)
        if isinstance(defined.node, cst.ClassDef | cst.FunctionDef) and not defined.node.decorators:
            unread[defined.name] = defined
    return frozenset(found)


def _run(stmt: ir.Stmt) -> Iterator[ir.Expr]:
    """The expressions that are evaluated where a statement of a file's body stands: of a function not those of its body."""
    match stmt:
        case ir.ClassDef(cls=cls):
            yield from cls.bases
            for inner in cls.body:
                yield from _run(inner)
        case ir.FunctionDef(function=function):
            yield from function.decorators
            yield from (param.default for param in function.params if param.default is not None)
        case _:
            yield from ir.expressions(stmt)
            yield from _targets(ir.targets(stmt))
            for body in ir.bodies(stmt):
                for inner in body:
                    yield from _run(inner)


def _targets(targets: Iterable[ir.Expr]) -> Iterator[ir.Expr]:
    """What is read where something is assigned: `Table.rows = 3`; a name that is bound is not."""
    return (target for target in targets if not isinstance(target, ir.Name))
