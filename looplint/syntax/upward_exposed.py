"""Names that a block may read before it sets them: what a turn of a loop takes over from the one before, with its graph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from looplint.syntax import ir

# What gives a tensor's values without its graph.
_CUTTING = frozenset({"detach", "item", "tolist"})


def upward_exposed(body: Iterable[ir.Stmt]) -> frozenset[str]:
    """The names that are read in a block with what they stand for at its beginning, on some path; loops in it run at least once.

    What only `hidden.detach()` reads is not read with its graph.
    """
    found: set[str] = set()
    _read(body, found, set())
    return frozenset(found)


def _read(body: Iterable[ir.Stmt], found: set[str], known: set[str]) -> set[str]:
    """Note what a block reads of names that are not known to be set; gives those that are set behind it."""
    for stmt in body:
        found |= _read_by(stmt) - known
        match stmt:
            case ir.If(body=then, orelse=otherwise):
                known = _joined(((then, _read(then, found, set(known))), (otherwise, _read(otherwise, found, set(known)))), known)
            case ir.For() | ir.While():
                known = _read(stmt.body, found, known | ir.binds(stmt))
                _read(stmt.orelse, found, set(known))
            case ir.With():
                known = _read(stmt.body, found, known | ir.binds(stmt))
            case ir.Try():
                tried = _read([*stmt.body, *stmt.orelse], found, set(known))
                ways = [(each, _read(each, found, known | {name or ""})) for name, each in stmt.handlers]
                known = _read(stmt.final, found, _joined((([], tried), *ways), known))
            case _:
                known = known | ir.binds(stmt)
    return known


def _joined(ways: Iterable[tuple[list[ir.Stmt], set[str]]], before: set[str]) -> set[str]:
    """What is set where several blocks meet: on all that lead on."""
    alive = [known for block, known in ways if not (block and isinstance(block[-1], ir.Jump | ir.Return))]
    return set.intersection(*alive) if alive else before


def _read_by(stmt: ir.Stmt) -> set[str]:
    """The names that a statement itself reads, those in its targets and in a function that it defines among them."""
    if isinstance(stmt, ir.FunctionDef):
        inner = ir.statements(stmt.function.body)
        return set().union(*map(_read_by, inner))
    set_whole = () if isinstance(stmt, ir.AugAssign) else ir.binds(stmt)
    targets = {name for target in ir.targets(stmt) for name in names_read(target)}
    return targets - set(set_whole) | {name for expr in ir.expressions(stmt) for name in names_read(expr)}


def names_read(expr: ir.Expr) -> Iterator[str]:
    """The names that an expression reads, but for those of which it takes the values without their graph."""
    match expr:
        case ir.Name(id=name):
            yield name
        case ir.Call(func=ir.Attr(value=ir.Name(), attr=method), args=[]) if method in _CUTTING:
            return
        case _:
            for part in ir.children(expr):
                yield from names_read(part)
