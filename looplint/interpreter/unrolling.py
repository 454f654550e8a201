"""Loops of which each turn is known: over a short sequence of objects or names, and over the positions of one."""

from __future__ import annotations

from looplint.domain.values import Value, const, constant_of, exact_items
from looplint.interpreter.interpreter import Interpreter
from looplint.syntax import indexed_loops, ir

# How many turns are followed one by one.
_TURNS = 6


def turns(interp: Interpreter, stmt: ir.For, iterated: Value) -> list[Value] | None:
    """What each turn of a loop works on; None where that is not known, or says nothing that the other turns do not."""
    items = exact_items(iterated)
    if items is None:
        return _positions(interp, stmt)
    return items if _tells_apart(items) else None


def _positions(interp: Interpreter, stmt: ir.For) -> list[Value] | None:
    """The positions that a loop goes over, where they are those of short sequences of objects or names."""
    found = indexed_loops.by_loop(interp.frame.function).get(id(stmt))
    if found is None:
        return None
    count = _count(interp, found.number)
    if count is None or not 0 < count <= _TURNS:
        return None
    for indexed in found.indexed:
        items = exact_items(interp.seen(indexed))
        if items is not None and len(items) >= count and _tells_apart(items[:count]):
            return [const(number) for number in range(count)]
    return None


def _count(interp: Interpreter, expr: ir.Expr) -> int | None:
    match expr:
        case ir.Call(func=ir.Name(id="len"), args=[ir.Arg(value=measured)]):
            items = exact_items(interp.seen(measured))
            return len(items) if items is not None else None
    known = constant_of(interp.seen(expr))
    return known.value if known is not None and type(known.value) is int else None


def _tells_apart(items: list[Value]) -> bool:
    """Whether items are few, and objects or names: a turn that knows which it works on knows more than all together."""
    return 0 < len(items) <= _TURNS and not all(_is_plain_number(item) for item in items)


def _is_plain_number(value: Value) -> bool:
    known = constant_of(value)
    return known is not None and isinstance(known.value, int | float) and not isinstance(known.value, bool)
