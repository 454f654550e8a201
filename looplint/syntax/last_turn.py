"""Conditions that tell the last turn of a loop from all others: `i == len(loader) - 1` in `for i, batch in enumerate(loader)`, and names for one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from typing import NamedTuple

from looplint.syntax import ir
from looplint.syntax.ranges import given_once, given_to_name, passed_on

_MIRRORED = {**ir.MIRRORED, "==": "==", "!=": "!="}
# A condition, and the outcome that it has in the last turn alone.
Told = tuple[ir.Expr, bool]


class _Count(NamedTuple):
    """What a loop counts: the name of the number, and what that is in the last turn, as the sum of a text that may be written in several ways and a number."""

    number: str
    texts: frozenset[str]
    last: int


@ir.kept_with_code
def by_loop(function: ir.Function) -> dict[int, list[Told]]:
    """For the loops of a function, by the identity of their statements: the conditions in them that have one outcome in the last turn alone."""
    written = list(ir.statements(function.body))
    found = {}
    for loop in written:
        count = _count(loop, function) if isinstance(loop, ir.For) else None
        if count is not None and isinstance(loop, ir.For):
            told = list(_told(loop, count))
            if told:
                found[id(loop)] = told
    return found


def _count(loop: ir.For, function: ir.Function) -> _Count | None:
    """What a loop counts by `enumerate` or `range`; None where it counts nothing, or a turn changes the number."""
    match passed_on(loop.iter), loop.target:
        case ir.Call(func=ir.Name(id="enumerate"), args=[ir.Arg(value=items), *more]), ir.Display(items=[ir.Name(id=number), _]):
            first = _first(more)
            measured = {f"len({ir.render(each)})": ir.paths_in(each) for each in _as_long_as(items, function)}
        case ir.Call(func=ir.Name(id="range"), args=[*_, ir.Arg(value=stop, star="", keyword=None)] as given), ir.Name(id=number):
            text, first = _sum(stop)
            first = first if len(given) < 3 else None
            measured = {text: ir.paths_in(stop)}
        case _:
            return None
    changed = {name for stmt in ir.statements(loop.body) for name in ir.binds(stmt)}
    measuring = set().union(*measured.values())
    if first is None or number in changed or not loop.assigned.isdisjoint(measuring):
        return None
    return _Count(number, frozenset({*measured, *_names_for(measured, function)}), first - 1)


def _as_long_as(items: ir.Expr, function: ir.Function) -> Iterator[ir.Expr]:
    """What has as many items as what is gone through: that, and what a bar of progress shows, also by the name of the bar."""
    yield items
    given = given_to_name(items, function)
    if (shown := passed_on(given)) is not given:
        yield shown


def _first(given: list[ir.Arg]) -> int | None:
    """The number of the first turn, by what `enumerate` gets besides its items; None where that is not known."""
    match given:
        case []:
            return 0
        case [ir.Arg(value=ir.Const(value=number), keyword=None | "start")] if type(number) is int:
            return number
    return None


def _names_for(texts: Collection[str], function: ir.Function) -> Iterator[str]:
    """The names that a function gives one of some values, and nothing else."""
    return (name for name, value in given_once(function).items() if ir.render(value) in texts)


def _told(loop: ir.For, count: _Count) -> Iterator[Told]:
    written = list(ir.statements(loop.body))
    bound = Counter(name for stmt in written for name in ir.binds(stmt))
    named = {
        stmt.targets[0].id: stmt.value
        for stmt in written
        if isinstance(stmt, ir.Assign) and isinstance(stmt.targets[0], ir.Name) and bound[stmt.targets[0].id] == 1
    }
    seen = set()
    for stmt in written:
        if isinstance(stmt, ir.If) and ir.render(stmt.test) not in seen:
            seen.add(ir.render(stmt.test))
            outcome = _in_the_last(stmt.test, count, named)
            if outcome is not None:
                yield stmt.test, outcome


def _in_the_last(test: ir.Expr, count: _Count, named: dict[str, ir.Expr]) -> bool | None:
    """The outcome that a condition has in the last turn alone; None where that is not known, or it has either in others as well."""
    match test:
        case ir.Name(id=name) if name in named and not isinstance(named[name], ir.Name):
            # A name that its own value reads, as in `stop = stop or late`, has that of an earlier turn there.
            return _in_the_last(named[name], count, {other: value for other, value in named.items() if other != name})
        case ir.Unary(op="not", operand=operand):
            outcome = _in_the_last(operand, count, named)
            return None if outcome is None else not outcome
        case ir.BoolOp(op=op, left=left, right=right):
            alone = op == "and"
            return alone if alone in (_in_the_last(left, count, named), _in_the_last(right, count, named)) else None
        case ir.Compare(left=ir.Binary(op="%", left=left, right=right), ops=["==" | "!=" as op], rights=[ir.Const(value=0)]):
            return _compared(left, op, right, count)
        case ir.Compare(left=left, ops=[op], rights=[right]) if op in _MIRRORED:
            return _compared(left, op, right, count)
    return None


def _compared(left: ir.Expr, op: str, right: ir.Expr, count: _Count) -> bool | None:
    (one, added), (other, more) = _sum(left), _sum(right)
    if one in count.texts and other == count.number:
        one, added, op, other, more = other, more, _MIRRORED[op], one, added
    if one != count.number or other not in count.texts:
        return None
    beyond = more - added - count.last  # how far the number is from its last one where both sides are equal
    return {("==", 0): True, (">=", 0): True, (">", -1): True, ("!=", 0): False, ("<", 0): False, ("<=", -1): False}.get((op, beyond))


def _sum(expr: ir.Expr) -> tuple[str, int]:
    """The text of what a number is added to, and that number: `len(loader) - 1`."""
    match expr:
        case ir.Binary(op="+" | "-" as op, left=left, right=ir.Const(value=number)) if type(number) is int:
            text, added = _sum(left)
            return text, added + (number if op == "+" else -number)
        case ir.Const(value=number) if type(number) is int:
            return "", number
    return ir.render(expr), 0
