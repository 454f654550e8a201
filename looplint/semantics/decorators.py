"""Decorators that switch something for a function's body: gradients, mixed precision."""

from __future__ import annotations

from looplint.domain.autocast import Autocast, region_of
from looplint.domain.values import External, Method, Unknown, Value
from looplint.interpreter import classes, hooks
from looplint.interpreter.frames import Frame
from looplint.interpreter.machine import Machine
from looplint.knowledge.lookup import call_effect
from looplint.knowledge.pytorch import SWITCHING_WORDS
from looplint.syntax import ir


@hooks.decorated
def _decorated(m: Machine, frame: Frame) -> bool:
    m.grad, switched = _grad_of_decorators(m, frame)
    m.autocast = _autocast_of_decorators(m, frame) or m.autocast
    return switched


def _grad_of_decorators(m: Machine, frame: Frame) -> tuple[bool | None, bool]:
    """Whether gradients are on in a function's body, None where that is not known, and whether its decorators say so."""
    for decorator in frame.function.decorators:
        target = decorator.func if isinstance(decorator, ir.Call) else decorator
        if not any(word in ir.render(target).lower() for word in SWITCHING_WORDS):
            continue
        value = classes.static_value(m, target, frame.module)
        effects = {call_effect(a.qualname) for a in value if isinstance(a, External)}
        if "no-grad" in effects:
            return False, True
        if "enable-grad" in effects:
            return True, True
        if m.grad and may_switch_gradients(value, target):
            return None, True
    return m.grad, False


def may_switch_gradients(value: Value, expr: ir.Expr) -> bool:
    """Whether code that cannot be followed says by its name that gradients may be off in it."""
    name = ir.render(expr.func if isinstance(expr, ir.Call) else expr).lower()
    return any(isinstance(a, Unknown | External | Method) for a in value) and any(word in name for word in SWITCHING_WORDS)


def _autocast_of_decorators(m: Machine, frame: Frame) -> Autocast | None:
    for decorator in frame.function.decorators:
        if isinstance(decorator, ir.Call) and (ir.path_of(decorator.func) or "").rpartition(".")[2] == "autocast":
            return region_of(classes.static_value(m, decorator, frame.module))
    return None
