"""Whether a module differentiates by itself, or records nothing.

Its forward needs a graph for the forces of an energy, or for a step of an optimization of its own; or it switches gradients off around all it computes.
"""

from __future__ import annotations

from collections.abc import Iterator

from looplint.domain.values import ClassRef
from looplint.interpreter import classes
from looplint.interpreter.callers import switches_off
from looplint.interpreter.interpreter import Interpreter
from looplint.syntax import ir

# What differentiates, by the last part of its name: `torch.autograd.grad`, `loss.backward`, `torch.func.jacrev`, `with torch.enable_grad():`.
_DIFFERENTIATING = frozenset(
    {"grad", "backward", "grad_and_value", "vjp", "jvp", "vhp", "hvp", "jacobian", "jacrev", "jacfwd", "hessian", "enable_grad"}
)


def differentiates(interp: Interpreter, cls: ClassRef) -> bool:
    """Whether a forward, or a method or a function of its file that it calls, differentiates something."""
    return bool(_ways(interp, cls))


def goes_backward(interp: Interpreter, cls: ClassRef) -> bool:
    """Whether a forward sends something backward itself: the gradients of its module's parameters are there when it returns."""
    return "backward" in _ways(interp, cls)


def records_nothing(interp: Interpreter, cls: ClassRef) -> bool:
    """Whether a forward has gradients switched off wherever it computes what it returns."""
    member = classes.find_member(interp, cls, "forward")
    return member is not None and isinstance(member[0], ir.Function) and _records_nothing(member[0])


@ir.kept_with_code
def _records_nothing(function: ir.Function) -> bool:
    if any(map(switches_off, function.decorators)):
        return True
    inside = [s for s in ir.statements(function.body) if isinstance(s, ir.With) and any(switches_off(entered) for entered, _ in s.items)]
    without = {id(s) for each in inside for s in ir.statements(each.body)}
    outside = [s for s in ir.statements(function.body) if id(s) not in without and isinstance(s, ir.Assign | ir.AugAssign | ir.Return)]
    of_its_own = (e for s in outside for e in ir.walk(*ir.expressions(s)) if isinstance(e, ir.Name) and e.id == "self")
    return bool(inside) and next(of_its_own, None) is None


def training_step(interp: Interpreter, cls: ClassRef) -> tuple[ir.Function | ir.Assign, ClassRef] | None:
    """What a call of a module runs, where that sends a loss backward and makes the step: the module is a trainer."""
    code = cls.module.lowered() if cls.cls.trains_itself else None
    name = "__call__" if "__call__" in cls.cls.methods else "forward"
    if code is None or name not in cls.cls.methods:
        return None
    run, work = set[str](), [name]
    while work:
        run.add(here := work.pop())
        usage = cls.cls.methods[here].usage_of_self
        work += (usage.methods & cls.cls.methods.keys()) - run if usage is not None else ()
    kinds = {each.kind for each in code.gradient_calls if any(each.function is cls.cls.methods[method] for method in run)}
    return classes.find_member(interp, cls, name) if kinds == {"backward", "step"} else None


def _ways(interp: Interpreter, cls: ClassRef) -> frozenset[str]:
    """By what a forward differentiates, if it does."""
    found = interp.differentiating.get(cls.cls)
    if found is None:
        found = interp.differentiating[cls.cls] = frozenset(_ways_of_each(interp, cls))
    return found


def _ways_of_each(interp: Interpreter, cls: ClassRef) -> Iterator[str]:
    beside = {f.name: f for f in cls.module.code.functions} if cls.module.code is not None else {}
    seen: set[tuple[str, bool]] = set()
    work = [("forward", True)]
    while work:
        name, of_an_object = work.pop()
        if (name, of_an_object) in seen:
            continue
        seen.add((name, of_an_object))
        if of_an_object:
            member = classes.find_member(interp, cls, name)
            function = member[0] if member is not None else None
        else:
            function = beside.get(name)
        if isinstance(function, ir.Function):
            called = function.called()
            yield from _DIFFERENTIATING & {each.rpartition(".")[2] for each in called}
            if _steps_on_a_loss(function):
                yield "step"
            work.extend((each, each in function.methods) for each in sorted(called))


def _steps_on_a_loss(function: ir.Function) -> bool:
    """Whether an optimizer's step is given something: a differentiable one, as of `higher`, differentiates it."""
    if "step" not in function.methods:
        return False
    called = (e for stmt in ir.statements(function.body) for e in ir.walk(*ir.expressions(stmt)) if isinstance(e, ir.Call))
    return any(
        isinstance(call.func, ir.Attr) and call.func.attr == "step" and call.args and "opt" in (ir.path_of(call.func.value) or "").lower()
        for call in called
    )
