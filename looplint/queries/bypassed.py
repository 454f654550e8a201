"""Which parts of a module a call of it leaves out: `if is_training: x = self.dropout(x)`."""

from __future__ import annotations

from collections.abc import Iterator

from looplint.domain.objects import Obj
from looplint.domain.values import Arguments, Ref, constant_of
from looplint.syntax import ir

_Uses = Iterator[tuple[str, frozenset[str]]]


def bypassed(module: Obj, args: Arguments | None) -> frozenset[Obj]:
    """The parts that a forward uses only where one of its parameters holds, which is false in this call.

    Args:
        module: a module whose class is of the project; there are none for another one.
        args: what its forward is given.
    """
    forward = module.cls.cls.methods.get("forward") if module.cls is not None else None
    if forward is None or args is None or args.starred or not forward.params:
        return frozenset()
    own, *params = forward.params
    off = {p.name for number, p in enumerate(params) if p.kind != "*" and _is_off(p, args, number)}
    uses: dict[str, list[bool]] = {}
    for path, conditions in _uses(forward.body, frozenset()):
        name = path.removeprefix(f"{own.name}.")
        if name != path:
            uses.setdefault(name, []).append(bool(conditions & off))
    left_out = (name for name, skipped in uses.items() if all(skipped))
    return frozenset(a.obj for name in left_out for a in module.heap.get(name, ()) if isinstance(a, Ref))


def _is_off(param: ir.Param, args: Arguments, number: int) -> bool:
    given = args.get(number, param.name)
    if given is None:
        return isinstance(param.default, ir.Const) and not param.default.value
    known = constant_of(given)
    return known is not None and not known.value


def _uses(body: list[ir.Stmt], conditions: frozenset[str]) -> _Uses:
    """The attributes that statements use, each with the names that have to hold for it."""
    for stmt in body:
        for expr in ir.expressions(stmt):
            for path in ir.paths_in(expr):
                yield path, conditions
        if isinstance(stmt, ir.If):
            under = conditions | {stmt.test.id} if isinstance(stmt.test, ir.Name) else conditions
            yield from _uses(stmt.body, under)
            yield from _uses(stmt.orelse, conditions)
        else:
            for inner in ir.bodies(stmt):
                yield from _uses(inner, conditions)
