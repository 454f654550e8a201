"""What a function sends backward: the names that hold it, whoever made it."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from typing import TypeAlias

from looplint.knowledge.pytorch import names_a_loss
from looplint.syntax import ir

# The blocks around a statement, from the outermost, with the number of the statement in each.
_Path: TypeAlias = "tuple[tuple[list[ir.Stmt], int], ...]"


@ir.kept_with_code
def sent_backward(code: ir.ModuleCode) -> dict[tuple[ir.Function, str], ir.Call]:
    """The names of which one value in a function goes backward, as it is, scaled, divided or averaged, each with the call that sends it.

    That of a loss may have got a weight.
    """
    return {(function, name): call for function, name, call in _sent(code) if _has_one_value(function, name, *_ways_to_keep(name))}


@ir.kept_with_code
def sent_where_given(code: ir.ModuleCode) -> dict[tuple[ir.Assign, str], ir.Call]:
    """The assignments of values that go backward below them, by the name, each with the call that sends it: nothing on the way gives the name another one."""
    sought: dict[ir.Function, dict[ir.Call, str]] = {}
    for function, name, call in _sent(code):
        sought.setdefault(function, {})[call] = name
    found: dict[tuple[ir.Assign, str], ir.Call] = {}
    for function, calls in sought.items():
        for path, call in _places(function.body, calls):
            found.update(((stmt, calls[call]), call) for stmt in _reaching(path, calls[call]))
    return found


def _sent(code: ir.ModuleCode) -> Iterator[tuple[ir.Function, str, ir.Call]]:
    for each in code.gradient_calls:
        match each.call:
            case ir.Call(func=ir.Attr(), args=[ir.Arg(keyword=None, value=given), *_]):
                name = ir.path_of(_unscaled(given))
                # The argument of a tensor's own backward is a gradient.
                sent = name if name is not None and "loss" in name.lower() else None
            case ir.Call(func=ir.Attr(attr="backward", value=receiver)):
                sent = ir.path_of(_unscaled(receiver)) or _weighted_loss(receiver)
            case _:
                sent = None
        if each.kind == "backward" and sent is not None and sent.isidentifier():
            yield each.function, sent, each.call


def _weighted_loss(expr: ir.Expr) -> str | None:
    """The name of the loss that goes backward with a weight: `(loss * weight).backward()`."""
    loss = _unweighted(expr)
    return ir.path_of(loss) if _is_loss(loss) else None


def _places(body: list[ir.Stmt], calls: Container[ir.Call], above: _Path = ()) -> Iterator[tuple[_Path, ir.Call]]:
    """Where calls stand: the blocks around each, from the outermost, with the number of its statement in each."""
    for number, stmt in enumerate(body):
        path = (*above, (body, number))
        for part in ir.walk(*ir.expressions(stmt)):
            if isinstance(part, ir.Call) and part in calls:
                yield path, part
        for inner in ir.bodies(stmt):
            yield from _places(inner, calls, path)


def _reaching(path: _Path, name: str) -> set[ir.Assign]:
    """The assignments whose value a name has where a path leads."""
    found: set[ir.Assign] = set()
    for depth, (body, number) in enumerate(reversed(path)):
        around = body[number]
        if depth and isinstance(around, ir.For) and name in ir.binds(around):
            break
        given, closed = _last(body[:number], name)
        found |= given
        if closed:
            break
    return found


def _last(body: list[ir.Stmt], name: str) -> tuple[set[ir.Assign], bool]:
    """The assignments that may be the last ones to give a name its value in a block, and whether one of them or something else may give it one."""
    found: set[ir.Assign] = set()
    for stmt in reversed(body):
        if name in ir.binds(stmt):
            if _keeps(stmt, name, *_ways_to_keep(name)):
                continue
            return (found | {stmt} if isinstance(stmt, ir.Assign) and not isinstance(stmt.value, ir.Const) else found), True
        match stmt:
            case ir.If():
                ways = [_last(way, name) for way in (stmt.body, stmt.orelse) if not (way and isinstance(way[-1], ir.Return | ir.Jump))]
            case ir.With():
                ways = [_last(stmt.body, name)]
            case _:
                # What a loop or a `try` gives it, it may not have got.
                ways = [(set(), any(name in ir.binds(each) for each in ir.statements([stmt])))]
        found = found.union(*(given for given, _ in ways))
        if not ways or any(closed for _, closed in ways):
            # What it had above may be something else, which one of the ways makes a tensor: `if isinstance(loss, dict):`.
            return found, True
    return found, False


@ir.kept_with_code
def terms_sent_backward(code: ir.ModuleCode) -> frozenset[tuple[ir.Function, str]]:
    """The names of a function that are terms of a sum which goes backward, as they are or weighted, and that have one value but for such a weight."""
    found: set[tuple[ir.Function, str]] = set()
    for function, name in sent_backward(code):
        for stmt in ir.statements(function.body):
            match stmt:
                case ir.Assign(targets=[ir.Name(id=bound)], value=ir.Binary(op="+") as summed) if bound == name:
                    found.update((function, term) for term in _terms(summed))
    return frozenset((function, term) for function, term in found if _has_one_value(function, term, _unweighted, "*/"))


def _terms(expr: ir.Expr) -> Iterator[str]:
    """The names that a sum adds up, each as it is, weighted or averaged."""
    match expr:
        case ir.Binary(op="+", left=left, right=right):
            yield from _terms(left)
            yield from _terms(right)
        case _ if (name := ir.path_of(_unweighted(expr))) is not None and name.isidentifier():
            yield name


def _unweighted(expr: ir.Expr) -> ir.Expr:
    """A term without its weight: `0.1 * loss`, `loss * args.weight / n`, `weight * loss.mean()`."""
    expr = _unscaled(expr)
    match expr:
        case ir.Binary(op="*", left=ir.Const() | ir.Name() | ir.Attr() | ir.Subscript() as weight, right=inner) if not _is_loss(weight):
            return _unscaled(inner)
        case ir.Binary(op="*", left=inner, right=ir.Const() | ir.Name() | ir.Attr() | ir.Subscript()):
            return _unscaled(inner)
    return expr


def _is_loss(expr: ir.Expr) -> bool:
    name = ir.path_of(expr)
    return name is not None and names_a_loss(name)


def _unscaled(loss: ir.Expr) -> ir.Expr:
    """What goes backward, without the scaler, the factor and the mean over devices: `scaler.scale(loss.mean() / n)`."""
    while True:
        match loss:
            case ir.Call(func=ir.Attr(attr="scale"), args=[ir.Arg(value=inner)]) | ir.Binary(op="/", left=inner):
                loss = inner
            case ir.Call(func=ir.Attr(attr="mean" | "sum", value=ir.Name() as averaged), args=[]):
                return averaged
            case _:
                return loss


def _ways_to_keep(name: str) -> tuple[Callable[[ir.Expr], ir.Expr], str]:
    """How a name can get what leaves it the value that it has, as an expression and by an operator: a weight is told from a loss by its name."""
    return (_unweighted, "*/") if names_a_loss(name) else (_unscaled, "/")


def _has_one_value(function: ir.Function, name: str, bare: Callable[[ir.Expr], ir.Expr], by: str) -> bool:
    """Whether a function gives a name a value at one place alone, besides constants, which cannot go backward, and that value itself, divided or averaged.

    Args:
        function: the function.
        name: the name.
        bare: what an expression is without what leaves it the same value: a divisor, a mean over devices, a weight.
        by: the operators that do so in place.
    """
    return sum(name in ir.paths_in(target) for target in _targets(function, name, bare, by)) == 1


def _targets(function: ir.Function, name: str, bare: Callable[[ir.Expr], ir.Expr], by: str) -> Iterator[ir.Expr]:
    """What the statements of a function bind, without those that leave a name its value but for a divisor."""
    for stmt in ir.statements(function.body):
        match stmt:
            case ir.Assign(targets=[ir.Name(id=bound)], value=ir.Const()) if bound == name:
                continue
            case _ if _keeps(stmt, name, bare, by):
                continue
            case ir.Assign():
                yield from stmt.targets
            case ir.AugAssign() | ir.For():
                yield stmt.target
            case ir.With():
                yield from (target for _, target in stmt.items if target is not None)


def _keeps(stmt: ir.Stmt, name: str, bare: Callable[[ir.Expr], ir.Expr], by: str) -> bool:
    """Whether a statement leaves a name its value but for a divisor, or a weight."""
    match stmt:
        case ir.Assign(targets=[ir.Name(id=bound)], value=value):
            return bound == name and ir.path_of(bare(value)) == name
        case ir.AugAssign(target=ir.Name(id=bound), op=op):
            return bound == name and op in by
    return False
