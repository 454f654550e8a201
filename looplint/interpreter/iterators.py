"""Iterators over parameters, which can be gone through once: where an assignment keeps one, and where one is gone through to its end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from looplint.dataclass import replace
from looplint.domain.membership import parameters_in
from looplint.domain.objects import ParameterIterator
from looplint.domain.values import Arguments, Iter, OneTime, Params, Value
from looplint.flow.events import Exhaust, MakeIterator
from looplint.interpreter.interpreter import Interpreter
from looplint.syntax import ir

if TYPE_CHECKING:
    import libcst as cst


def lazily(value: Value, *, choosing: bool = False) -> Value:
    """What gives the parameters in a value as they are asked for, and each once."""
    like: OneTime = "choosing" if choosing or any(isinstance(a, Params | Iter) and a.iterator == "choosing" for a in value) else "lazy"
    return frozenset(replace(a, iterator=like) if isinstance(a, Params | Iter) and _gives_parameters(a) else a for a in value)


def _gives_parameters(atom: Params | Iter) -> bool:
    if isinstance(atom, Iter):
        return any(True for _ in parameters_in(atom.element, 1))
    return atom.form == "several" and not atom.grad


def kept(interp: Interpreter, stmt: ir.Assign, value: Value) -> Value:
    """What an assignment gives its target: where that is an iterator over parameters and nothing else, one that is known from here on."""
    target = ir.path_of(stmt.targets[0])
    likes = {a.iterator if isinstance(a, Params | Iter) else None for a in value}
    if target is None or not likes or not likes <= {"lazy", "choosing"}:
        return value
    made = interp.create(ParameterIterator, stmt.value.node, target)
    made.chooses = "choosing" in likes
    interp.emit(MakeIterator(), stmt.value.node, {made})
    return frozenset(replace(a, iterator=made) if isinstance(a, Params | Iter) else a for a in value)


def exhaust(interp: Interpreter, value: Value, node: cst.CSTNode, by: Literal["optimizer", "clip", "loop"], given: ir.Expr | None) -> None:
    """A value is gone through to its end: an iterator, where it is one and nothing else, has no more to give."""
    found = {a.iterator if isinstance(a, Params | Iter) else None for a in value}
    if len(found) != 1:
        return
    (iterator,) = found
    if isinstance(iterator, ParameterIterator) and _is_the_one(interp, iterator):
        path = ir.path_of(given) if given is not None else None
        interp.emit(Exhaust(by=by, given=path or ""), node, {iterator})


def _is_the_one(interp: Interpreter, iterator: ParameterIterator) -> bool:
    """Whether what is here is the iterator that was made last: a loop that has made several is over."""
    around = iterator.loops or ()
    return not iterator.many and interp.loops[: len(around)] == around


def exhaust_argument(interp: Interpreter, args: Arguments, expr: ir.Call) -> None:
    """A function goes through its first argument to its end: `sum(p.numel() for p in params)` goes through what the generator is made of, too."""
    given = expr.args[0].value if expr.args and not args.starred else None
    if given is not None and args.positional:
        exhaust(interp, args.positional[0], expr.node, "loop", given)
        exhaust_inner(interp, given, expr.node)


def exhaust_inner(interp: Interpreter, expr: ir.Expr, node: cst.CSTNode) -> None:
    """What goes through a generator expression goes through what its first clause does."""
    if isinstance(expr, ir.Comprehension) and expr.kind == "GeneratorExp":
        iterated = expr.clauses[0].iter
        if ir.path_of(iterated) is not None:
            exhaust(interp, interp.seen(iterated), node, "loop", iterated)


def exhaust_groups(interp: Interpreter, given: ir.Expr, node: cst.CSTNode) -> None:
    """An optimizer goes through what the groups that are written in its call have for their parameters: `[{"params": params, "lr": 0.1}]`."""
    for group in given.items if isinstance(given, ir.Display) else ():
        if isinstance(group, ir.DictDisplay):
            for params in _of_key(group, "params"):
                if ir.path_of(params) is not None:
                    exhaust(interp, interp.seen(params), node, "optimizer", params)


def _of_key(group: ir.DictDisplay, key: str) -> list[ir.Expr]:
    return [value for name, value in group.items if isinstance(name, ir.Const) and name.value == key]


def argument(call: ir.Call, position: int, name: str) -> ir.Expr | None:
    """The expression that a call has for an argument; None where it has none, or something comes through * or **."""
    return None if any(arg.star for arg in call.args) else ir.argument(call, position, name)


def goes_to_the_end(stmt: ir.For) -> bool:
    """Whether a loop ends when its iterator does: nothing in it leaves it, as far as its text tells."""
    return not any(isinstance(s, ir.Return) or (isinstance(s, ir.Jump) and s.kind != "continue") for s in ir.statements(stmt.body))
