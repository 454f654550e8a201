"""Decorators that switch something for a function's body: gradients, mixed precision."""

from __future__ import annotations

from looplint.domain.autocast import Autocast, region_of
from looplint.domain.values import ClassRef, External, Func, Method, Unknown, Value
from looplint.interpreter import classes, hooks
from looplint.interpreter.frames import Frame
from looplint.interpreter.interpreter import Interpreter
from looplint.knowledge import naming
from looplint.knowledge.lookup import call_effect
from looplint.knowledge.pytorch import SWITCHING_OFF
from looplint.syntax import ir

# What contexts of torch do to gradients, by their names.
_SWITCHES = {**dict.fromkeys(SWITCHING_OFF, False), "enable_grad": True}


@hooks.decorated
def _decorated(interp: Interpreter, frame: Frame) -> bool:
    interp.grad, switched = _grad_of_decorators(interp, frame)
    interp.autocast = _autocast_of_decorators(interp, frame) or interp.autocast
    return switched


def _grad_of_decorators(interp: Interpreter, frame: Frame) -> tuple[bool | None, bool]:
    """Whether gradients are on in a function's body, None where that is not known, and whether its decorators say so."""
    for decorator in frame.function.decorators:
        target = decorator.func if isinstance(decorator, ir.Call) else decorator
        own = _grad_of_wrapper(interp, frame, target)
        if own is not None:
            return own, True
        if not naming.may_switch_gradients(ir.render(target)):
            continue
        value = classes.static_value(interp, target, frame.module)
        effects = {call_effect(a.qualname) for a in value if isinstance(a, External)}
        if "no-grad" in effects:
            return False, True
        if "enable-grad" in effects:
            return True, True
        if interp.grad and may_switch_gradients(value, target):
            return None, True
    return interp.grad, False


def _grad_of_wrapper(interp: Interpreter, frame: Frame, decorator: ir.Expr) -> bool | None:
    """How a decorator of the program sets gradients around the functions that it is put on.

    It does so by a `with` or a decorator of a function inside it that calls them, or hands them to a decorator of torch: `return torch.no_grad()(fn)`.
    """
    if not isinstance(decorator, ir.Name | ir.Attr):
        return None
    functions = [a.function for a in classes.static_value(interp, decorator, frame.module) if isinstance(a, Func)]
    for outer in functions:
        for inner in (outer, *_functions_in(outer.body)):
            handed = [switch for stmt in inner.body if isinstance(stmt, ir.Return) and (switch := _handed_to(stmt, inner)) is not None]
            if handed:
                return handed[0]
            if inner is outer:
                continue
            if not any(inner.usage.get(param.name, ir.Usage()).called for param in outer.params):
                continue
            found = [expr for stmt in inner.body if isinstance(stmt, ir.With) for expr, _ in stmt.items]
            for expr in (*found, *inner.decorators):
                switch = _switch(expr.func if isinstance(expr, ir.Call) else expr)
                if switch is not None:
                    return switch
    return None


def _handed_to(stmt: ir.Return, function: ir.Function) -> bool | None:
    """How a function sets gradients around the one that it is given and hands to a decorator of torch, or to one of two."""
    match stmt.value:
        case ir.Call(func=decorator, args=[ir.Arg(value=ir.Name(id=name))]) if any(p.name == name for p in function.params):
            return next((switch for part in ir.walk(decorator) if (switch := _switch(part)) is not None), None)
    return None


def _switch(expr: ir.Expr) -> bool | None:
    return _SWITCHES.get((ir.path_of(expr) or "").rpartition(".")[2])


def _functions_in(body: list[ir.Stmt]) -> list[ir.Function]:
    """The functions that statements define, and those in them."""
    found = [stmt.function for stmt in body if isinstance(stmt, ir.FunctionDef)]
    return [*found, *(inner for function in found for inner in _functions_in(function.body))]


def may_switch_gradients(value: Value, expr: ir.Expr) -> bool:
    """Whether code that cannot be followed, or an object that is called in the place of a function, says by its name that gradients may be off in it."""
    name = ir.render(expr.func if isinstance(expr, ir.Call) else expr)
    return any(isinstance(a, Unknown | External | Method | ClassRef) for a in value) and naming.may_switch_gradients(name)


def _autocast_of_decorators(interp: Interpreter, frame: Frame) -> Autocast | None:
    for decorator in frame.function.decorators:
        if isinstance(decorator, ir.Call) and ir.called_name(decorator) == "autocast":
            return region_of(classes.static_value(interp, decorator, frame.module))
    return None
