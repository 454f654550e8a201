"""Which methods of a class train, and in which order a caller would call them: what their text says."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from looplint.interpreter.data_fields import AFTER
from looplint.syntax import ir

# The places of the methods of a class in the order in which a caller would call them.
_FIRST, _SETS_UP, _SERVES_SET_UPS, _TRAINS, _WITH_OTHERS = range(5)


def training_in_loops(code: ir.ModuleCode | None) -> frozenset[ir.Function]:
    """The functions of a file in which a backward, or a step of an optimizer, stands in a loop."""
    return frozenset(
        each.function
        for each in (code.gradient_calls if code is not None else ())
        if each.loop is not None and (each.kind == "backward" or _steps_an_optimizer(each))
    )


def _steps_an_optimizer(each: ir.GradientCall) -> bool:
    """Whether a step is that of an optimizer: by its name or that of what a scaler is given, or because gradients are cleared through it too, `self.opt.zero_grad()`."""
    if not isinstance(each.call.func, ir.Attr):
        return False
    place = ir.render(each.call.func.value)
    own = each.cls.usage.get(place.removeprefix("self.")) if each.cls is not None and place.startswith("self.") else None
    used = own or each.function.usage.get(place)
    return any("optim" in path for path in (place, *(ir.render(arg.value) for arg in each.call.args))) or (
        used is not None and {"zero_grad", "step"} <= used.methods
    )


def repeating_a_step(code: ir.ModuleCode | None, cls: ir.Class) -> set[ir.Function]:
    """The methods of a class that call in a loop one which goes backward: `for number in range(count): self.train_step(number)`."""
    calls = code.gradient_calls if code is not None else ()
    methods = set(cls.methods.values())
    return repeating(methods, {each.function.name for each in calls if each.kind == "backward" and each.function in methods})


def repeating(methods: Iterable[ir.Function], steps: Collection[str]) -> set[ir.Function]:
    """Those of some methods that call in a loop one of the methods of these names."""
    found: set[ir.Function] = set()
    paths = {f"self.{name}" for name in steps}
    for method in methods if paths else ():
        loops = (
            s
            for each in written_in(method)
            if not each.methods.isdisjoint(steps)
            for s in ir.statements(each.body)
            if isinstance(s, ir.For | ir.While)
        )
        inside = (e for loop in loops for s in ir.statements(loop.body) for e in ir.walk(*ir.expressions(s)))
        if any(isinstance(e, ir.Call) and ir.path_of(e.func) in paths for e in inside):
            found.add(method)
    return found


@ir.kept_with_code
def written_in(function: ir.Function) -> list[ir.Function]:
    """A function and those that are written in it, as what a thread runs; one whose body was left packed has none."""
    inner = (s.function for s in ir.statements(function.body) if isinstance(s, ir.FunctionDef)) if function.later is None else ()
    return [function, *(each for f in inner for each in written_in(f))]


def in_order(cls: ir.Class, methods: list[ir.Function]) -> list[ir.Function]:
    """Methods as a caller would call them: the constructor, what sets the object up, what trains it; those that others call come with them.

    What others call in order to set it up comes before what trains, as they may have had no reason to call it: `if self.path: self.load(self.path)`.
    """

    def place(function: ir.Function) -> int:
        if function.name in ("__init__", *AFTER):
            return _FIRST
        usage = cls.usage.get(function.name)
        if usage is None or not usage.called:
            return by_itself(function)
        calling = [f for f in cls.methods.values() if (own := f.usage_of_self) is not None and function.name in own.methods]
        serves = bool(calling) and all(f.name not in ("__init__", *AFTER) and by_itself(f) == _SETS_UP for f in calling)
        return _SERVES_SET_UPS if serves and by_itself(function) == _SETS_UP and _sets_up(cls, function) else _WITH_OTHERS

    def by_itself(function: ir.Function) -> int:
        if not function.methods.isdisjoint(ir.GRADIENT_METHODS):
            return _TRAINS
        looping = any(isinstance(s, ir.For | ir.While) for s in ir.statements(function.body))
        trains = not _sets_up(cls, function) or _goes_backward(cls, function) or _has_its_own_optimizer(function)
        return _TRAINS if looping and trains else _SETS_UP

    return sorted(methods, key=place)


def _sets_up(cls: ir.Class, function: ir.Function) -> bool:
    """Whether a method makes what it gives the object as attributes, which other methods take: a base out of sight calls it first."""
    return makes_for(function, [f for f in cls.methods.values() if "self" in f.usage])


def _goes_backward(cls: ir.Class, function: ir.Function) -> bool:
    """Whether a method calls one on its object that goes backward, or that calls such a one: what it makes for others, it makes to train."""
    seen: set[ir.Function] = set()
    work = [function]
    while work:
        method = work.pop()
        if "backward" in method.methods:
            return True
        usage = method.usage_of_self
        called = {f for name in (usage.methods if usage is not None else ()) if (f := cls.methods.get(name)) is not None}
        work.extend(called - seen)
        seen |= called
    return False


def _has_its_own_optimizer(function: ir.Function) -> bool:
    """Whether a method builds an optimizer that it gives neither the object nor its caller: what it makes for others besides, it makes to train."""
    built: set[str] = set()
    handed_on: set[str] = set()
    for stmt in ir.statements(function.body):
        match stmt:
            case ir.Assign(targets=[ir.Name(id=name)], value=ir.Call(func=func)) if "optim" in (ir.path_of(func) or "").split("."):
                built.add(name)
            case ir.Assign(targets=[ir.Attr() | ir.Subscript()], value=value) | ir.Return(value=value) if value is not None:
                handed_on |= ir.paths_in(value)
            case ir.ExprStmt(value=ir.Call(func=ir.Attr(value=ir.Attr()), args=args)):
                handed_on = handed_on.union(*(ir.paths_in(arg.value) for arg in args))  # `self.optimizers.append(optimizer)`
    return not built <= handed_on


def makes_for(function: ir.Function, methods: Iterable[ir.Function]) -> bool:
    """Whether a method makes what it gives the object as attributes that others of these take."""
    made = {to.removeprefix("self.") for _, to in function.made if to.startswith("self.")}
    taking = (f.usage["self"] for f in methods if f is not function) if made else ()
    return any(not made.isdisjoint(usage.attrs | usage.methods) for usage in taking)
