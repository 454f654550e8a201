"""Objects that are one of two: what the branches of an `if` build under one name is one object to the program after them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from looplint.dataclass import dataclass
from looplint.domain.autocast import switched
from looplint.domain.call_string import CallString
from looplint.domain.objects import Loss, Module, Obj, Optimizer, Scaler, Scheduler, TorchModule
from looplint.domain.values import Atom, Func, Method, Ref, Tuple, Value, join
from looplint.flow.events import Construct
from looplint.interpreter.frames import Frame, Snapshot, Trace
from looplint.interpreter.interpreter import Interpreter
from looplint.syntax import ir

if TYPE_CHECKING:
    import libcst as cst

_JOINED = (Module, Optimizer, Scheduler, Scaler, Loss)


def settle(interp: Interpreter, stmt: ir.If, before: Snapshot, one: Snapshot, two: Snapshot, built: Trace, otherwise: Trace) -> None:
    """Give the names that the branches set to new objects of one kind a single object, which is either of them."""
    for name, left in one.locals.items():
        right = two.locals.get(name)
        if right is None or left == right:
            continue
        region = switched(left, right, frozenset(ir.paths_in(stmt.test)))
        if region is not None:
            interp.frame.locals[name] = region
            continue
        pair = _of_one_kind(left, right)
        # An optimizer built before and replaced in one branch is gone; a model may go on under another name.
        replaced = (
            pair is not None
            and isinstance(pair[0], Optimizer | Scheduler)
            and not (pair[0].symbolic or pair[1].symbolic)
            and before.locals.get(name) in (left, right)
        )
        if pair is not None and (replaced or _each_built(pair, built, otherwise)):
            interp.frame.locals[name] = frozenset({Ref(_either(interp, stmt.node, name, *pair))})
    for key, (owner, left) in built.writes.items():
        right = otherwise.writes.get(key, (owner, left))[1]
        region = switched(left, right, frozenset(ir.paths_in(stmt.test)))
        if region is not None:
            owner.heap[key[1]] = region
            interp.note_write(owner, key[1], region)
        pair = _of_one_kind(left, right)
        if pair is not None and _each_built(pair, built, otherwise):
            value: Value = frozenset({Ref(_either(interp, stmt.node, f"{owner.name}.{key[1]}", *pair))})
            owner.heap[key[1]] = value
            interp.note_write(owner, key[1], value)


def either(interp: Interpreter, expr: ir.IfExp, left: Value, right: Value, built: Trace, otherwise: Trace) -> Value | None:
    """The one object that an expression builds in one of two ways; None where it is no such choice."""
    region = switched(left, right, frozenset(ir.paths_in(expr.test)))
    if region is not None:
        return region
    pair = _of_one_kind(left, right)
    return frozenset({Ref(_either(interp, expr.node, "", *pair))}) if pair is not None and _each_built(pair, built, otherwise) else None


def beside(interp: Interpreter, stmt: ir.Assign, known: Value, made: Obj) -> Value:
    """What a name holds that gets an object from out of sight, or one that the statement builds: `getattr(config, "optimizer", Adam(...))`."""
    default = _single(known)
    if default is not None and type(default) is type(made) and any(e.node is default.node for e in ir.walk(stmt.value)):
        return frozenset({Ref(_either(interp, stmt.node, made.name, made, default))})
    return known | {Ref(made)}


def _of_one_kind(left: Value, right: Value) -> tuple[Obj, Obj] | None:
    """The two objects that two values are, where both are known and of one kind."""
    first, second = _single(left), _single(right)
    return (first, second) if first is not None and second is not None and type(first) is type(second) else None


def _each_built(pair: tuple[Obj, Obj], built: Trace, otherwise: Trace) -> bool:
    """Whether one way built the first object, and the other way the second."""
    return pair[0] in built.built and pair[1] in otherwise.built


def returned(interp: Interpreter, frame: Frame, values: list[Value]) -> Value:
    """What a function gives back on one of several ways: the objects that it builds on each are one object to its caller."""
    values = list(dict.fromkeys(values))
    if frame.call is None or len(values) < 2:
        return frozenset().union(*values)
    tuples = [atom for value in values if len(value) == 1 for atom in value if isinstance(atom, Tuple)]
    if len(tuples) == len(values) and len({len(t.items) for t in tuples}) == 1:
        items = zip(*(t.items for t in tuples), strict=True)
        return frozenset({Tuple(tuple(_one_of(interp, frame, list(item), number) for number, item in enumerate(items)))})
    return _one_of(interp, frame, values, 0)


def _one_of(interp: Interpreter, frame: Frame, values: list[Value], number: int) -> Value:
    values = list(dict.fromkeys(values))
    if len(values) == 2 and frame.call is not None:
        region = switched(values[0], values[1], frozenset(frame.function.tested).union(*frame.given.values()))
        if region is not None:
            return region
    objects = [_single(value) for value in values]
    found = list(dict.fromkeys(o for o in objects if o is not None and built_in(o, frame)))
    if len(found) < max(2, len(values)) or len({type(o) for o in found}) > 1 or frame.call is None:
        return frozenset().union(*values)
    chosen = found[0]
    for other in found[1:]:
        chosen = _either(interp, frame.call.node, f"returned {number}", chosen, other)
    return frozenset({Ref(chosen)})


def built_in(obj: Obj, frame: Frame) -> bool:
    """Whether an object was allocated by an activation of a function, or by what it called."""
    context = obj.key[0] if isinstance(obj.key, tuple) else None
    return isinstance(context, CallString) and frame.ctx in context.outward()


def _single(value: Value) -> Obj | None:
    (atom, *others) = value or (None,)
    return atom.obj if not others and isinstance(atom, Ref) and isinstance(atom.obj, _JOINED) else None


def _either(interp: Interpreter, node: cst.CSTNode, name: str, first: Obj, second: Obj) -> Obj:
    obj = interp.create(type(first), node, first.name or second.name, slot=("either", name))
    obj.one_of = tuple(dict.fromkeys(o for each in (first, second) for o in (each.one_of or (each,))))
    if first.qualname == second.qualname:
        obj.qualname = first.qualname
    if first.cls == second.cls:
        obj.cls = first.cls
    for each in (first, second):
        each.merged = obj
        for slot, value in each.heap.items():
            obj.heap[slot] = join(obj.heap[slot], value) if slot in obj.heap else value
    _join_fields(obj, first, second)
    interp.emit(Construct(), node, {obj})
    return obj


def _join_fields(obj: Obj, first: Obj, second: Obj) -> None:
    """What is known of an object that is one of two: what holds of both."""
    obj.parent = first.parent if first.parent is second.parent else None
    obj.many = first.many or second.many
    obj.escaped = first.escaped or second.escaped
    if first.loops == second.loops:
        obj.loops = first.loops
    match obj, first, second:
        case Optimizer(), Optimizer(), Optimizer():
            obj.holds = first.holds | second.holds
            obj.exact = first.exact and second.exact
            obj.rate = first.rate if first.rate == second.rate else obj.rate
        case Scheduler(), Scheduler(), Scheduler():
            if first.optimizer is not None and second.optimizer is not None:
                obj.optimizer = join(first.optimizer, second.optimizer)
            obj.unit = first.unit if first.unit == second.unit else obj.unit
            obj.horizon = first.horizon if first.horizon == second.horizon else obj.horizon
        case Scaler(), Scaler(), Scaler():
            obj.enabled = first.enabled if first.enabled == second.enabled else obj.enabled
        case TorchModule(), TorchModule(), TorchModule():
            obj.frozen = obj.frozen or (first.frozen and second.frozen)
            if isinstance(obj, Loss) and isinstance(first, Loss) and isinstance(second, Loss) and first.reduction == second.reduction:
                obj.reduction = first.reduction


@dataclass(frozen=True, slots=True)
class Choice:
    """The name on which it hangs which of several objects a call goes to."""

    path: str
    objects: list[Obj]


def of_callee(expr: ir.Call, candidates: list[Atom]) -> Choice | None:
    """Which name decides between the callees: one that keeps its value takes the same way again. None where no name does."""
    found = [_owner(atom) for atom in candidates]
    objects = [o for o in found if o is not None]
    named = expr.func if all(isinstance(a, Ref) for a in candidates) else expr.func.value if isinstance(expr.func, ir.Attr) else None
    path = ir.path_of(named) if named is not None else None
    return Choice(path, objects) if path is not None and len(set(objects)) == len(candidates) else None


def _owner(atom: Atom) -> Obj | None:
    """The object that is called, or whose method is."""
    match atom:
        case Ref(obj) | Method(Ref(obj)):
            return obj
        case Func(bound=bound) if bound is not None and len(bound) == 1:
            return next((a.obj for a in bound if isinstance(a, Ref)), None)
    return None
