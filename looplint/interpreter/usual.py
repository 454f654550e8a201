"""The numbers that expressions have in a run without other settings: those of the text, and the defaults of options and parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from looplint.domain.objects import Options
from looplint.domain.values import constant_of, refs
from looplint.interpreter.handed_down import changed_in
from looplint.syntax import ir
from looplint.syntax.ranges import given_once

if TYPE_CHECKING:
    from looplint.interpreter.frames import Frame
    from looplint.interpreter.interpreter import Interpreter

# How many names one after the other stand for a number.
_NAMES = 8


def usual_turns(interp: Interpreter, iterable: ir.Expr) -> int | None:
    """How many turns a loop over a `range` has, also behind a bar of progress; None where that is not known. One that begins later goes as far."""
    calls = [e for e in ir.walk(iterable) if isinstance(e, ir.Call) and isinstance(e.func, ir.Name) and e.func.id in ("range", "trange")]
    given = [arg.value for arg in calls[0].args if not arg.keyword] if len(calls) == 1 else []
    return usual_number(interp, given[1 if len(given) > 1 else 0]) if given else None


def usual_number(interp: Interpreter, expr: ir.Expr) -> int | None:
    """The whole number that an expression usually is, up to what is added to it."""
    frame: Frame | None = interp.frame
    for _ in range(_NAMES):
        if frame is None:
            break
        match expr:
            case ir.Binary(op="+" | "-", left=inner, right=ir.Const()) | ir.Call(func=ir.Name(id="int"), args=[ir.Arg(value=inner)]):
                expr = inner
            case ir.Const(value=value):
                return value if type(value) is int else None
            case ir.Attr(value=ir.Name() as owner, attr=attr):
                return _known(interp, frame, expr) or _of_option(interp, frame, owner, attr)
            case ir.Name(id=name):
                if (known := _known(interp, frame, expr)) is not None:
                    return known
                frame, given = _given(frame, name)
                if given is None:
                    return None
                expr = given
            case _:
                return None
    return None


def _given(frame: Frame, name: str) -> tuple[Frame | None, ir.Expr | None]:
    """What gives a name its value, and where that stands: the one assignment, a caller, a default, or the module around."""
    changed = name in changed_in(frame.function)
    parameter = next((p for p in frame.function.params if p.name == name), None)
    if parameter is None:
        around = frame.closure or frame.module.frame
        if not changed and around is not None and around is not frame:
            return _given(around, name)
        return frame, given_once(frame.function).get(name)
    if changed:
        return frame, None
    if frame.written is not None and name in frame.written:
        return frame.caller, frame.written[name]
    return frame, parameter.default


def _known(interp: Interpreter, frame: Frame, expr: ir.Expr) -> int | None:
    """The number that the value of an expression is, where it is one alone."""
    known = constant_of(interp.seen_from(frame, expr))
    return known.value if known is not None and type(known.value) is int else None


def _of_option(interp: Interpreter, frame: Frame, owner: ir.Name, name: str) -> int | None:
    """The default of an option of the command line, as which all parsers that the owner may be know it."""
    found = {parser.defaults.get(name) for parser in refs(interp.seen_from(frame, owner), Options)}
    return found.pop() if len(found) == 1 else None
