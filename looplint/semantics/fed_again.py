"""What a forward gets in each turn of a loop that counts: the same data, beside the number of the turn, whoever hands them down to it."""

from __future__ import annotations

from looplint.flow.graph import Loop
from looplint.interpreter.frames import Frame
from looplint.interpreter.handed_down import changed_in
from looplint.interpreter.interpreter import Interpreter
from looplint.syntax import ir

# What makes a key of a number.
_KEYS = frozenset({"str", "int", "float"})


def is_fed_again(interp: Interpreter, call: ir.Call) -> bool:
    """Whether a forward is given the same data in every turn of its loop, and besides them at most a key: `term(net, x, str(k))` for each k."""
    loop = interp.loops[-1] if interp.loops else None
    if loop is None or not loop.counting or not call.args or any(arg.star for arg in call.args):
        return False
    first, *others = (arg.value for arg in call.args)
    return (
        isinstance(first, ir.Name)
        and _lasts(interp.frame, first, loop, keys=False)
        and all(_lasts(interp.frame, each, loop, keys=True) for each in others)
    )


def _lasts(frame: Frame, expr: ir.Expr, loop: Loop, *, keys: bool) -> bool:
    """Whether an expression has one value in all turns of a loop, or, where keys are allowed, one of the number of the turn."""
    if frame.ctx == loop.frame:
        changing = ir.paths_in(expr) & loop.assigned
        # What an attribute holds, another call in the loop may change.
        return (isinstance(expr, ir.Name) and not changing) or (
            keys and changing <= loop.targets and all(map(_only_computes, ir.walk(expr)))
        )
    if frame.caller is None or frame.written is None or not all(map(_only_computes, ir.walk(expr))):
        return False
    lasting = {p.name: p for p in frame.function.params if p.name not in changed_in(frame.function)}
    for name in {path.partition(".")[0] for path in ir.paths_in(expr)}:
        if name not in lasting:
            return False
        given = frame.written.get(name)
        if given is not None and not _lasts(frame.caller, given, loop, keys=keys):
            return False
    return True


def _only_computes(expr: ir.Expr) -> bool:
    """Whether a part of an expression takes nothing out of a container and calls nothing but what makes a key."""
    match expr:
        case ir.Call(func=ir.Name(id=name)):
            return name in _KEYS
    return isinstance(expr, ir.Const | ir.Name | ir.Attr | ir.Binary | ir.Unary | ir.Format)
