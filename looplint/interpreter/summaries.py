"""Summaries of calls: a function that only computes gives for the same values what it gave before, and is not followed again."""

from __future__ import annotations

from collections.abc import Callable

from looplint.domain.values import Atom, Const, External, Func, Number, Tensor, Tuple, Unknown, Value
from looplint.interpreter.frames import Frame
from looplint.interpreter.interpreter import Interpreter


def summarized(interp: Interpreter, func: Func, frame: Frame, follow: Callable[[], Value | None]) -> Value | None:
    """What a call gives, by the summary of an earlier one where there is one.

    A call has a summary where it got plain values and nothing happened in it: no event, nothing written to an object, no object built or returned.

    Args:
        m: the interpreter.
        func: the function that is called.
        frame: its activation, with its arguments.
        follow: follows its body; None where that is too large.
    """
    plain = func.bound is None and func.closure is None and all(map(_is_plain, frame.locals.values()))
    if not plain:
        return follow()
    key = (func.function, interp.grad, interp.aside, tuple(frame.locals.values()), frozenset(interp.constants.items()))
    known = interp.summaries.get(key)
    if known is not None:
        return known
    before = _effects(interp)
    result = follow()
    if result is not None and interp.alive and _effects(interp) == before and _is_plain(result):
        interp.summaries[key] = result
    return result


def _effects(interp: Interpreter) -> tuple[object, ...]:
    """What a call that only computes leaves as it is."""
    return interp.grad, interp.autocast, interp.happened, len(interp.heap.objects), len(interp.agenda.values), len(interp.agenda.generators)


def _is_plain(value: Value) -> bool:
    return all(map(_is_plain_atom, value))


def _is_plain_atom(atom: Atom) -> bool:
    match atom:
        case Const() | Number() | Tensor() | External():
            return True
        case Tuple():
            return all(map(_is_plain, atom.items))
        case Unknown():
            return not atom.deps
    return False
