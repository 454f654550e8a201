"""Which parts of a module a call of it leaves out: those of its other methods, and by a flag, `if is_training: x = self.dropout(x)`."""

from __future__ import annotations

from collections.abc import Iterator

from looplint.domain.objects import Instance, Module, Obj
from looplint.domain.values import Arguments, Atom, Func, Method, Partial, Ref, constant_of
from looplint.interpreter.objects import ANY_PART
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


def unread(module: Obj) -> frozenset[Obj]:
    """The parts of a module that its forward never names, and no part that it names has: other methods use them, or nothing does."""
    reads = module.reads if isinstance(module, Module) and module.cls is not None else None
    if reads is None or "forward" in module.heap or any(_may_be_code(a) for name in reads for a in module.heap.get(name, ())):
        return frozenset()
    run = _within([a.obj for name in reads for a in module.heap.get(name, ()) if isinstance(a, Ref)])
    others = (a.obj for name, value in module.heap.items() if name not in reads and name != ANY_PART for a in value if isinstance(a, Ref))
    return frozenset(obj for obj in others if isinstance(obj, Module) and obj not in run)


def _may_be_code(atom: Atom) -> bool:
    """Whether what a forward reads may be a method of its own object, by another name, or may reach the parts of that."""
    match atom:
        case Func() | Partial() | Method(obj=Ref()) | Ref(obj=Instance()):
            return True
    return False


def _within(objects: list[Obj]) -> set[Obj]:
    """Some objects and all that they hold."""
    found: set[Obj] = set()
    work = objects
    while work:
        obj = work.pop()
        if obj not in found:
            found.add(obj)
            work += [*obj.one_of, *(a.obj for value in obj.heap.values() for a in value if isinstance(a, Ref))]
    return found


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
