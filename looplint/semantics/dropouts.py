"""Functional dropouts of a module that no mode switches off: `F.dropout(x, 0.5)` drops in eval mode too, because `training` is True by default."""

from __future__ import annotations

from collections.abc import Iterator

from looplint.domain.objects import Module, Obj
from looplint.domain.values import NOTHING, ClassRef, Const, External, Ref, Value, constant_of
from looplint.flow.remarks import Drop
from looplint.interpreter import classes, objects
from looplint.interpreter.interpreter import Interpreter
from looplint.knowledge.layers import DROPS_ON_PURPOSE, FUNCTIONAL_ATTENTION, FUNCTIONAL_DROPOUTS
from looplint.syntax import ir


def note_dropouts(interp: Interpreter, obj: Module) -> None:
    """Remark the dropouts in the forward of a module that is built, and in its methods that the forward calls."""
    if obj.cls is None or not interp.at:
        return
    for function, owner, drop, call in _always_on(interp, obj, obj.cls):
        if owner.module.frame is not None:
            saved, interp.frame = interp.frame, owner.module.frame
            drop.own = function.params[0].name
            interp.remark(drop, call.node, {obj})
            interp.frame = saved


def note_rate(interp: Interpreter, part: Obj, value: Value) -> None:
    """Note what the rate of all dropouts of a model is set to, where the program goes over its parts: `for m in net.modules(): if isinstance(m, Dropout): m.p = 0`."""
    whole = part.parent
    if not isinstance(whole, Module) or not any(isinstance(a, Ref) and a.obj is part for a in whole.heap.get(objects.ANY_PART, ())):
        return
    known = constant_of(value)
    off = known is not None and not known.value and all(guard.held and _asks_for_dropout(guard.test) for guard in interp.guards)
    whole.dropouts = "off" if off and whole.dropouts != "other" else "other"


def note_rate_by(interp: Interpreter, whole: Obj, function: ir.Function) -> None:
    """Note it where a function is applied to every part: `net.apply(off)`."""
    if isinstance(whole, Module) and (off := _sets_off(function)) is not None:
        off = off and not interp.guards
        whole.dropouts = "off" if off and whole.dropouts != "other" else "other"


@ir.kept_with_code
def _sets_off(function: ir.Function) -> bool | None:
    """Whether a function sets the rate of what it gets to 0 if that is a dropout; None where it sets no rate."""
    own = function.params[0].name if function.params else ""
    rates = [s for s in ir.statements(function.body) if isinstance(s, ir.Assign) and any(_is_rate(to, own) for to in s.targets)]
    if not rates:
        return None
    asking = [s for s in function.body if isinstance(s, ir.If) and _asks_for_dropout(s.test)]
    alone = [s for each in asking for s in each.body if s in rates and isinstance(s, ir.Assign)]
    return len(alone) == len(rates) and all(isinstance(s.value, ir.Const) and not s.value.value for s in alone)


def _is_rate(target: ir.Expr, own: str) -> bool:
    return isinstance(target, ir.Attr) and target.attr == "p" and ir.path_of(target.value) == own


def _asks_for_dropout(test: ir.Expr) -> bool:
    """Whether a condition asks what kind of layer a part is, and nothing else: whether it is a dropout, or has a rate."""
    match test:
        case ir.Call(func=ir.Name(id="isinstance" | "issubclass"), args=[ir.Arg(value=asked), ir.Arg(value=kinds)]):
            return ir.path_of(asked) is not None and "Dropout" in ir.render(kinds)
        case ir.Call(func=ir.Name(id="hasattr"), args=[_, ir.Arg(value=ir.Const(value="p"))]):
            return True
        case ir.Compare(ops=["==" | "is" | "in"], left=left, rights=[right]):
            return "Dropout" in ir.render(right) + ir.render(left)
        case ir.Call(func=ir.Attr(attr="startswith" | "endswith"), args=[ir.Arg(value=ir.Const(value=str(name)))]):
            return "Dropout" in name
    return False


def _always_on(interp: Interpreter, obj: Module, cls: ClassRef) -> Iterator[tuple[ir.Function, ClassRef, Drop, ir.Call]]:
    """The calls that drop whatever mode the module is in, each with the method that it stands in and the class of that."""
    if any(classes.find_member(interp, cls, name) is not None for name in ("train", "eval")):
        return  # it sets its rates by itself
    seen: set[str] = set()
    work = ["forward"]
    while work:
        name = work.pop()
        found = classes.find_member(interp, cls, name) if name not in seen else None
        seen.add(name)
        if found is None:
            continue
        function, owner = found
        if not isinstance(function, ir.Function) or not function.params:
            continue
        if _is_on_purpose(function, owner) or _knows_the_mode(function):
            continue
        usage = function.usage_of_self
        left_to_callers = _left_to_callers(function)
        work.extend(sorted((usage.methods | usage.attrs) - _called_only_in(function, left_to_callers)) if usage is not None else ())
        for call in _named_so(function):
            drop = None if call in left_to_callers else _drop(interp, obj, function, owner, call)
            if drop is not None:
                yield function, owner, drop, call


@ir.kept_with_code
def _named_so(function: ir.Function) -> list[ir.Call]:
    """The calls in a function whose name is that of a dropout, or of an attention that drops."""
    return [call for call in ir.calls_in(function.body) if ir.called_name(call).startswith(("dropout", "scaled_dot"))]


@ir.kept_with_code
def _left_to_callers(function: ir.Function) -> frozenset[ir.Call]:
    """The calls in a method that its callers decide over, by an argument that says whether to make them: `if use_dropout:`."""
    told = frozenset(p.name for p in function.params[1:])
    return frozenset(_decided(function.body, told)) if told else frozenset()


def _decided(body: list[ir.Stmt], told: frozenset[str], decided: bool = False) -> Iterator[ir.Call]:
    """The calls in a block that stand under a test of some names; with `decided`, all of them do."""
    for stmt in body:
        asks = isinstance(stmt, ir.If) and _asks(stmt.test, told)
        for expr in ir.walk(*ir.expressions(stmt)):
            choice = isinstance(expr, ir.IfExp) and _asks(expr.test, told)
            yield from (e for e in (ir.walk(expr) if choice else [expr]) if isinstance(e, ir.Call) and (decided or choice))
        for inner in ir.bodies(stmt):
            yield from _decided(inner, told, decided or asks)
        decided = decided or (asks and isinstance(stmt, ir.If) and bool(stmt.body) and isinstance(stmt.body[-1], ir.Return))


def _asks(test: ir.Expr, told: frozenset[str]) -> bool:
    """Whether a test has a part that is one of some names, or compares one with a text or a flag: not `mask is not None`."""
    match test:
        case ir.Unary(op="not", operand=inner):
            return _asks(inner, told)
        case ir.BoolOp(left=left, right=right):
            return _asks(left, told) or _asks(right, told)
        case ir.Compare(left=left, rights=[ir.Const(value=str() | bool())]):
            return _asks(left, told)
    return isinstance(test, ir.Name) and test.id in told


def _called_only_in(function: ir.Function, calls: frozenset[ir.Call]) -> set[str]:
    """The methods of its own object that a method calls at some places, and at no others."""
    own = function.params[0].name
    here: dict[str, set[bool]] = {}
    for expr in (
        (e for stmt in ir.statements(function.body) for e in ir.walk(*ir.expressions(stmt)) if isinstance(e, ir.Call)) if calls else ()
    ):
        if isinstance(expr.func, ir.Attr) and ir.path_of(expr.func.value) == own:
            here.setdefault(expr.func.attr, set()).add(expr in calls)
    return {name for name, decided in here.items() if decided == {True}}


def _is_on_purpose(function: ir.Function, owner: ClassRef) -> bool:
    names = f"{owner.cls.name} {function.name}".lower()
    return any(word in names for word in DROPS_ON_PURPOSE)


def _knows_the_mode(function: ir.Function) -> bool:
    """Whether a method asks for a mode anywhere, or is told one: what it drops may hang on that."""
    asked = any("train" in attr or "eval" in attr for usage in function.usage.values() for attr in usage.attrs)
    told = any(word in p.name.lower() for p in function.params for word in ("train", "eval", "test", "infer", "mode", "deterministic"))
    return asked or told


def _drop(interp: Interpreter, obj: Module, function: ir.Function, owner: ClassRef, call: ir.Call) -> Drop | None:
    """What is remarked of a call that drops at a rate above 0 without being told whether it is in training; None for any other."""
    what = ir.path_of(call.func) or ""
    if any(a.star for a in call.args):
        return None
    named = classes.static_value(interp, call.func, owner.module, owner.closure)
    names = {a.qualname for a in named if isinstance(a, External)}
    if len(names) != 1 or len(named) > 1:
        return None
    (qualname,) = names
    attention = FUNCTIONAL_ATTENTION.get(qualname)
    if attention is None and qualname not in FUNCTIONAL_DROPOUTS:
        return None
    position, argument = attention or (1, "p")
    given = ir.argument(call, position, argument)
    if attention is not None:
        by_name = any(a.keyword == argument for a in call.args)
        sure = given is not None and _is_known(obj, given)
        drop = Drop(what=what, own="", argument=argument, rate=ir.render(given) if by_name else "", sure=sure)
        return drop if given is not None and _is_positive(interp, obj, function, owner, given) else None
    told = sum(a.keyword is None for a in call.args) > 2 or any(a.keyword == "training" for a in call.args)
    return Drop(what=what, own="") if not told and (given is None or _is_positive(interp, obj, function, owner, given)) else None


def _is_positive(interp: Interpreter, obj: Module, function: ir.Function, owner: ClassRef, rate: ir.Expr) -> bool:
    """Whether a rate is a number above 0, or one that the constructor alone gives the module, and not known to be 0."""
    match rate:
        case ir.Const(value=int() | float() as value):
            return value > 0
        case ir.Attr(value=ir.Attr(value=ir.Name(id=name), attr=attr), attr="p") | ir.Attr(value=ir.Name(id=name), attr=attr):
            layers = [a.obj for a in obj.heap.get(attr, ()) if isinstance(a, Ref) and isinstance(a.obj, Module)]
            off = any(layer.modal == "no" for layer in layers)
            return (
                name == function.params[0].name
                and not off
                and not any(classes.set_again(interp, owner, attr))
                and not _is_zero(obj.heap.get(attr))
            )
    return False


def _is_known(obj: Module, rate: ir.Expr) -> bool:
    """Whether a rate is a number in sight, which is above 0 where `_is_positive` holds: its own, the module's, or that of a dropout of the module."""
    match rate:
        case ir.Const():
            return True
        case ir.Attr(value=ir.Attr(attr=attr)) | ir.Attr(attr=attr):
            values = obj.heap.get(attr, NOTHING)
            layers = [a.obj for a in values if isinstance(a, Ref) and isinstance(a.obj, Module)]
            given = [layer.arguments.get(0, "p") if layer.arguments else None for layer in layers]
            known = [constant_of(v) for v in given if v is not None] or [a for a in values if isinstance(a, Const)]
            return bool(known) and all(c is not None and isinstance(c.value, int | float) and c.value > 0 for c in known)
    return False


def _is_zero(value: Value | None) -> bool:
    """Whether a rate may be 0, as far as the program tells."""
    return any(isinstance(a, Const) and not a.value for a in value or ())
