"""Classes that stand in for a gradient scaler in full precision: they have its methods, and scale nothing."""

from __future__ import annotations

from looplint.syntax import ir


def is_idle_scaler(cls: ir.Class) -> bool:
    """Whether a class is a scaler that is off: `scale` gives what it gets, `step` steps what it gets and no more, the others do nothing.

    It has `unscale_` as well: what is written for a scaler runs with it.
    """
    if not {"scale", "step", "update", "unscale_"} <= cls.methods.keys():
        return False
    unscale = cls.methods["unscale_"]
    idle = not _body(cls.methods["update"]) and (not _body(unscale) or _gives_back(unscale))
    return idle and _gives_back(cls.methods["scale"]) and _only_steps(cls.methods["step"])


def _gives_back(function: ir.Function) -> bool:
    match _body(function):
        case [ir.Return(value=ir.Name(id=given))]:
            return given == _taken(function)
    return False


def _only_steps(function: ir.Function) -> bool:
    match _body(function):
        case [ir.ExprStmt(value=call) | ir.Return(value=call)]:
            match call:
                case ir.Call(func=ir.Attr(value=ir.Name(id=stepped), attr="step")):
                    return stepped == _taken(function)
    return False


def _taken(function: ir.Function) -> str:
    """The name of what a method takes; "" where it takes nothing, or is no plain method."""
    return function.params[1].name if len(function.params) > 1 and not function.decorators else ""


def _body(function: ir.Function) -> list[ir.Stmt]:
    """The statements of a function, without its docstring and a `return` of nothing."""
    return [s for s in function.body if not (isinstance(s, ir.ExprStmt | ir.Return) and (s.value is None or isinstance(s.value, ir.Const)))]
