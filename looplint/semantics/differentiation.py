"""Whether a module differentiates by itself, or records nothing.

Its forward needs a graph for the forces of an energy, or for a step of an optimization of its own; or it switches gradients off around all it computes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from looplint.dataclass import dataclass
from looplint.domain.objects import Obj
from looplint.domain.values import UNKNOWN, ClassRef, Const, Func
from looplint.interpreter import classes
from looplint.interpreter.callers import switches_off
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.operators import truth_of
from looplint.knowledge import naming
from looplint.syntax import ir

# What differentiates, by the last part of its name: `torch.autograd.grad`, `loss.backward`, `torch.func.jacrev`, `with torch.enable_grad():`.
_DIFFERENTIATING = frozenset(
    {"grad", "backward", "grad_and_value", "vjp", "jvp", "vhp", "hvp", "jacobian", "jacrev", "jacfwd", "hessian", "enable_grad"}
)
# That all of it is computed with gradients that the forward enables itself.
_ENABLED = "enabled"


def differentiates(interp: Interpreter, cls: ClassRef) -> bool:
    """Whether a forward, or a method or a function of its file that it calls, differentiates something."""
    return bool(_ways(interp, cls))


def enables_gradients(interp: Interpreter, cls: ClassRef) -> bool:
    """Whether a forward differentiates only what it computes of its inputs where it enables gradients itself: around it they may be off."""
    return _ENABLED in _ways(interp, cls)


def goes_backward(interp: Interpreter, cls: ClassRef) -> bool:
    """Whether a forward sends something backward itself: the gradients of its module's parameters are there when it returns."""
    return "backward" in _ways(interp, cls)


def records_nothing(interp: Interpreter, obj: Obj) -> Literal["always", "sometimes", "never"]:
    """Whether the forward of a module, whichever of several it is, has gradients switched off wherever it computes what it returns.

    Where the program switches an attribute of it on and off, that may be so for one of both.
    """
    kinds = list(dict.fromkeys(each.cls for each in obj.one_of or (obj,)))
    if not all(
        c is not None and any(_switches_off(f) for each in classes.mro(interp, c) for f in each.cls.methods.values()) for c in kinds
    ):
        return "never"
    ways = {
        all(c is not None and _records_nothing(interp, _Setting(obj, on), c, "forward", frozenset()) for c in kinds) for on in (True, False)
    }
    return "never" if True not in ways else "sometimes" if False in ways else "always"


@ir.kept_with_code
def _switches_off(function: ir.Function) -> bool:
    """Whether a function has gradients switched off, or does so in a part of it."""
    entered = (context for s in ir.statements(function.body) if isinstance(s, ir.With) for context, _ in s.items)
    return any(map(switches_off, (*function.decorators, *entered)))


@dataclass(frozen=True, slots=True)
class _Setting:
    """A module, and what the attributes of it are that the program switches on and off."""

    obj: Obj
    on: bool


def _records_nothing(interp: Interpreter, setting: _Setting, cls: ClassRef, method: str, within: frozenset[str]) -> bool:
    member = classes.find_member(interp, cls, method) if method not in within else None
    function = member[0] if member is not None else None
    if not isinstance(function, ir.Function):
        return False
    if any(map(switches_off, function.decorators)):
        return True
    run, _ = _statements_run(interp, setting, function.body)
    inside = [s for s in ir.statements(run) if isinstance(s, ir.With) and any(switches_off(entered) for entered, _ in s.items)]
    without = {id(s) for each in inside for s in ir.statements(each.body)}
    outside = [s for s in ir.statements(run) if id(s) not in without and isinstance(s, ir.Assign | ir.AugAssign | ir.Return)]
    uses = [each for s in outside for e in ir.expressions(s) for each in _uses_of_self(e)]
    return bool(inside or uses) and all(each and _records_nothing(interp, setting, cls, each, within | {method}) for each in uses)


def _uses_of_self(expr: ir.Expr) -> Iterator[str]:
    """The names of the methods that an expression calls on `self`, and "" for each other use of that."""
    match expr:
        case ir.Call(func=ir.Attr(value=ir.Name(id="self"), attr=method), args=args):
            yield method
            for arg in args:
                yield from _uses_of_self(arg.value)
        case ir.Name(id="self"):
            yield ""
        case _:
            for part in ir.children(expr):
                yield from _uses_of_self(part)


def _statements_run(interp: Interpreter, setting: _Setting, body: list[ir.Stmt]) -> tuple[list[ir.Stmt], bool]:
    """The statements of a block that run on an object by what it was set up with, and whether the block returns or raises behind them."""
    found: list[ir.Stmt] = []
    for stmt in body:
        held = _is_set(interp, setting, stmt.test) if isinstance(stmt, ir.If) else None
        if isinstance(stmt, ir.If) and held is not None:
            inner, ends = _statements_run(interp, setting, stmt.body if held else stmt.orelse)
            found += inner
        else:
            found.append(stmt)
            ends = isinstance(stmt, ir.Return | ir.Jump)
        if ends:
            return found, True
    return found, False


def _is_set(interp: Interpreter, setting: _Setting, test: ir.Expr) -> bool | None:
    """The outcome of a test of an attribute that holds a constant, on this path or on all; None where it is not known."""
    match test:
        case ir.Unary(op="not", operand=inner):
            outcome = _is_set(interp, setting, inner)
            return None if outcome is None else not outcome
        case ir.Attr(value=ir.Name(id="self"), attr=name):
            held = interp.constant(setting.obj, name) or setting.obj.heap.get(name, UNKNOWN)
            switched = len(held) > 1 and all(isinstance(a, Const) and isinstance(a.value, bool) for a in held)
            return setting.on if switched else truth_of(held)
    return None


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
    """By what a forward differentiates, if it does, and whether it enables gradients for all of that."""
    found = interp.differentiating.get(cls.cls)
    if found is None:
        beside = {f.name: f for f in cls.module.code.functions} if cls.module.code is not None else {}
        found = frozenset(_ways_of_each(interp, cls, beside))
        if found and not any(True for _ in _ways_of_each(interp, cls, beside, as_they_are=True)):
            found |= {_ENABLED}
        interp.differentiating[cls.cls] = found
    return found


def _ways_of_each(interp: Interpreter, cls: ClassRef, beside: Mapping[str, ir.Function], *, as_they_are: bool = False) -> Iterator[str]:
    """By what a forward differentiates; with gradients as they are around it, if so asked, and not those that it enables."""
    seen: set[tuple[str, bool]] = set()
    work = [("forward", True)]
    while work:
        name, of_an_object = work.pop()
        if (name, of_an_object) in seen:
            continue
        first = not seen
        seen.add((name, of_an_object))
        function = _function_of(interp, cls, beside, name, of_an_object)
        if function is None:
            continue
        names = _called_as_they_are(interp, cls, beside, function) if as_they_are and first else function.called()
        yield from _DIFFERENTIATING & {each.rpartition(".")[2] for each in names}
        if _steps_on_a_loss(function):
            yield "step"
        work.extend((each, each in function.methods) for each in sorted(names))


def _function_of(
    interp: Interpreter, cls: ClassRef, beside: Mapping[str, ir.Function], name: str, of_an_object: bool
) -> ir.Function | None:
    """What a class calls by a name: a method, or a function of its file or of one that this imports."""
    if not of_an_object:
        return beside.get(name) or _imported(interp, cls, name)
    member = classes.find_member(interp, cls, name)
    return member[0] if member is not None and isinstance(member[0], ir.Function) else None


def _called_as_they_are(interp: Interpreter, cls: ClassRef, beside: Mapping[str, ir.Function], forward: ir.Function) -> set[str]:
    """The names of what a forward calls, but where it enables gradients for what it computes of nothing but its inputs and its own attributes."""
    statements = [*ir.statements(forward.body)]
    if any(map(_enables, forward.decorators)):
        return set()
    if any(isinstance(s, ir.FunctionDef) for s in statements):
        return forward.called()
    blocks = [s for s in statements if isinstance(s, ir.With) and any(_enables(entered) for entered, _ in s.items)]
    inside = {id(s) for each in blocks for s in (each, *ir.statements(each.body))}
    made = {name for s in statements if id(s) not in inside for name in (*ir.binds(s), *_attributes_set(s))}
    read = {path for each in blocks for s in ir.statements(each.body) for e in ir.expressions(s) for path in ir.paths_in(e)}
    outside = [s for s in statements if id(s) not in inside or read & made]
    calls = [e for s in outside for e in ir.walk(*ir.expressions(s)) if isinstance(e, ir.Call)]

    def enabled(call: ir.Call) -> bool:
        function = _function_of(interp, cls, beside, ir.called_name(call), isinstance(call.func, ir.Attr))
        given = [arg.value for arg in call.args if not isinstance(arg.value, ir.Const)]
        return (
            function is not None
            and any(map(_enables, function.decorators))
            and all(ir.path_of(value) is not None and made.isdisjoint(ir.paths_in(value)) for value in given)
        )

    return {ir.called_name(call) for call in calls if not enabled(call)}


def _attributes_set(stmt: ir.Stmt) -> list[str]:
    """The attributes to which a statement gives new values: what is added to one is a count."""
    paths = map(ir.path_of, stmt.targets) if isinstance(stmt, ir.Assign) else ()
    return [path for path in paths if path is not None and "." in path]


def _enables(expr: ir.Expr) -> bool:
    """Whether a decorator or a context is the one of torch that enables gradients."""
    return ir.decorator_name(expr) == "enable_grad"


def _imported(interp: Interpreter, cls: ClassRef, name: str) -> ir.Function | None:
    """A function that the file of a class imports, where it may differentiate by its name: others are not worth reading their file."""
    if "." in name or not ("grad" in name.lower() or naming.differentiates(name)):
        return None
    with interp.looking():
        found = classes.static_value(interp, ir.Name(cls.cls.node, name), cls.module)
    functions = [a.function for a in found if isinstance(a, Func)]
    return functions[0] if len(functions) == 1 else None


def _steps_on_a_loss(function: ir.Function) -> bool:
    """Whether an optimizer's step is given something: a differentiable one, as of `higher`, differentiates it."""
    if "step" not in function.methods:
        return False
    called = ir.calls_in(function.body)
    return any(
        isinstance(call.func, ir.Attr) and call.func.attr == "step" and call.args and "opt" in (ir.path_of(call.func.value) or "").lower()
        for call in called
    )
