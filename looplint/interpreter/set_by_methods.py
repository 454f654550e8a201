"""What a method that is not followed can have set on its own object, by its text and that of the methods that it calls on it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from looplint.domain.objects import Container, Obj
from looplint.domain.values import ClassRef, Func, Value, refs
from looplint.interpreter import classes, shared
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.settled import may_set_any
from looplint.syntax import ir

# What a path keeps of an object besides its attributes: the last output, and the entries.
_NO_ATTRIBUTES = ("()", "[]")


class _Text(NamedTuple):
    """The attributes that a method sets on its object, those in which it puts something, and those that it reads: methods and properties are among these."""

    sets: frozenset[str]
    fills: frozenset[str]
    reads: frozenset[str]


def forget_settings(interp: Interpreter, func: Func, obj: Obj) -> None:
    """A method of an object is not followed: what it can have set is no longer known."""
    sets = _sets(interp, obj.cls, func.function) if obj.cls is not None else None
    if sets is None:
        interp.drop_constants(obj)
        return
    given, filled = sets
    kept = {slot for slot in filled - given if _is_container(interp.constant(obj, slot))}
    for slot in sorted((given | filled) - kept):
        interp.drop_constant(obj, slot)
        interp.drop_constant(obj, shared.names_of(slot))
    for slot in _NO_ATTRIBUTES:
        interp.drop_constant(obj, slot)


def _is_container(value: Value | None) -> bool:
    """Whether an attribute holds a container, which is the same one with another entry."""
    return value is not None and len(refs(value, Container)) == len(value)


def _sets(interp: Interpreter, cls: ClassRef, method: ir.Function) -> tuple[frozenset[str], frozenset[str]] | None:
    """The attributes that a method and those that it calls on its object set, and those they fill; None where it may set any, or hands the object on."""
    key = (cls, method)
    if key not in interp.set_by_methods:
        interp.set_by_methods[key] = _found(interp, cls, method)
    return interp.set_by_methods[key]


def _found(interp: Interpreter, cls: ClassRef, method: ir.Function) -> tuple[frozenset[str], frozenset[str]] | None:
    found, filled = set[str](), set[str]()
    seen, work = {id(method)}, [method]
    while work:
        text = _text(work.pop())
        if text is None:
            return None
        found |= text.sets
        filled |= text.fills
        for name in sorted(text.reads):
            member = classes.find_member(interp, cls, name)
            if member is not None and isinstance(member[0], ir.Function) and id(member[0]) not in seen:
                seen.add(id(member[0]))
                work.append(member[0])
    return frozenset(found), frozenset(filled)


@ir.kept_with_code
def _text(method: ir.Function) -> _Text | None:
    """What a method's own text does with its object, in the functions within it as well; None where it does more than to set and read attributes."""
    own = method.params[0].name if method.params else ""
    sets, fills, reads = set[str](), set[str](), set[str]()
    for stmt in _statements(method):
        if may_set_any(stmt):
            return None
        targets = [*(stmt.targets if isinstance(stmt, ir.Delete) else ir.targets(stmt))]
        singles = {id(single) for target in targets for single in ir.single_targets(target)}
        for part in ir.walk(*targets):
            if isinstance(part, ir.Attr) and _is_name(part.value, own):
                (sets if id(part) in singles else fills).add(part.attr)
        wholes = [*targets, *ir.expressions(stmt)]
        parts = [part for whole in wholes for part in ir.walk(whole)]
        reads.update(part.attr for part in parts if isinstance(part, ir.Attr) and _is_name(part.value, own))
        under = {id(part.value) for part in parts if isinstance(part, ir.Attr)}
        if any((_is_name(part, own) and id(part) not in under) or _is_name(part, "super") for part in parts):
            return None  # it is handed on, gets another name, or a base class that this one's text does not tell has a say
    return _Text(frozenset(sets), frozenset(fills), frozenset(reads)) if "__dict__" not in reads else None


def _is_name(expr: ir.Expr, name: str) -> bool:
    return isinstance(expr, ir.Name) and expr.id == name


def _statements(function: ir.Function) -> Iterator[ir.Stmt]:
    """The statements of a function, and those of the functions and lambdas in it."""
    work = [function]
    while work:
        for stmt in ir.statements(work.pop().body):
            yield stmt
            if isinstance(stmt, ir.FunctionDef):
                work.append(stmt.function)
            work += [e.function for whole in ir.expressions(stmt) for e in ir.walk(whole) if isinstance(e, ir.Lambda)]
