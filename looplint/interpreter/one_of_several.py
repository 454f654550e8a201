"""What an object is that is one of several, and the making of it: what ways that meet have built of one kind is one object to the program after them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from typing import TYPE_CHECKING

from looplint.domain.objects import Accelerator, Engine, Instance, Loss, Module, Obj, Optimizer, Scaler, Scheduler, TorchModule
from looplint.domain.values import UNKNOWN, Const, Ref, Value, join, ref
from looplint.flow.events import Construct
from looplint.interpreter.interpreter import Interpreter
from looplint.syntax import ir

if TYPE_CHECKING:
    import libcst as cst

JOINED = (Module, Optimizer, Scheduler, Scaler, Loss, Accelerator, Engine)
# One of these that was built before, and replaced in one branch, is gone; a model may go on under another name.
GONE_WHEN_REPLACED = (Optimizer, Scheduler, Scaler)


def nothing(value: Value) -> Value:
    """That a value may be None."""
    return frozenset(atom for atom in value if isinstance(atom, Const) and atom.value is None)


def single(value: Value) -> Obj | None:
    """The object that a value is where it is not None."""
    (atom, *others) = (value - nothing(value) if len(value) > 1 else value) or (None,)
    return atom.obj if not others and isinstance(atom, Ref) and isinstance(atom.obj, JOINED) else None


def kind_of_all(objects: Sequence[Obj]) -> type[Obj] | None:
    """The kind of an object that is one of some; None where they differ in kind. A loss is told from other modules by the name of its class alone."""
    kinds = {type(obj) for obj in objects}
    if kinds == {Instance} and not alike(obj.cls for obj in objects):
        return None
    return kinds.pop() if len(kinds) == 1 else Module if kinds == {Module, Loss} else None


def alike(values: Iterable[object]) -> bool:
    """Whether all values are equal."""
    first, *others = values
    return all(other == first for other in others)


def built_either(interp: Interpreter, node: cst.CSTNode, name: str, *objects: Obj) -> Obj:
    """The object that is one of these, from where the ways that built them meet."""
    obj = joined(interp, node, name, *objects)
    if obj not in objects:
        interp.emit(Construct(), node, {obj})
    return obj


def joined(interp: Interpreter, node: cst.CSTNode, name: str, *objects: Obj) -> Obj:
    """The object that is one of these, all of one kind; each of its parts is one of theirs."""
    first, kind = objects[0], kind_of_all(objects)
    assert kind is not None
    standing = next((each for each in objects if all(o is each or o in each.one_of for o in objects)), None)
    if standing is not None:
        return standing
    obj = interp.create(kind, node, next((o.name for o in objects if o.name), ""), slot=("either", name))
    obj.one_of = tuple(dict.fromkeys(o for each in objects for o in (each.one_of or (each,)) if o is not obj))
    if alike(o.qualname for o in objects):
        obj.qualname = first.qualname
    if alike(o.cls for o in objects):
        obj.cls = first.cls
    for each in objects:
        if each is obj:
            continue
        if each not in obj.joined_with():
            each.merged = obj
        for slot, value in each.heap.items():
            obj.heap[slot] = join(obj.heap[slot], value) if slot in obj.heap else value
    _join_fields(obj, objects)
    for slot in tuple(obj.heap):
        parts = [part for each in objects if (part := single(each.heap.get(slot, frozenset()))) is not None and _is_part(part, each)]
        holding = [each for each in objects if slot in each.heap]  # on the others, nobody reads it
        if len(parts) == len(holding) and len(parts) > 1 and kind_of_all(parts) is not None and not alike(parts):
            part = joined(interp, node, f"{name}.{slot}", *parts)
            part.parent = obj if isinstance(obj, Module) else None
            obj.heap[slot] = ref(part) | frozenset().union(*(nothing(each.heap[slot]) for each in holding))
    return obj


def _is_part(part: Obj, whole: Obj) -> bool:
    """Whether an object is one of what makes another one up: a module of a module, what a wrapper or a module steps."""
    return part.parent is whole or (isinstance(whole, Instance | Module) and isinstance(part, GONE_WHEN_REPLACED))


def _join_fields(obj: Obj, objects: Sequence[Obj]) -> None:
    """What is known of an object that is one of several: what holds of all."""
    first = objects[0]
    obj.parent = first.parent if all(o.parent is first.parent for o in objects) else None
    obj.many = any(o.many for o in objects)
    obj.symbolic = all(o.symbolic for o in objects)
    obj.lost = obj.lost or any(o.lost for o in objects)
    obj.outlives = obj.outlives or any(o.outlives for o in objects)
    if alike(o.loops for o in objects):
        obj.loops = first.loops
    match obj:
        case Optimizer():
            optimizers = [o for o in objects if isinstance(o, Optimizer)]
            obj.holds = frozenset().union(*(o.holds for o in optimizers))
            obj.exact = all(o.exact for o in optimizers)
            obj.of_tensors = all(o.of_tensors for o in optimizers)
            obj.with_tensors = any(o.with_tensors for o in optimizers)
            obj.stateful = all(o.stateful for o in optimizers)
            obj.needs_unscaled = all(o.needs_unscaled for o in optimizers)
            obj.rate = optimizers[0].rate if alike(o.rate for o in optimizers) else obj.rate
        case Scheduler():
            schedulers = [o for o in objects if isinstance(o, Scheduler)]
            driven = [o.optimizer for o in schedulers if o.optimizer is not None]
            if len(driven) == len(schedulers):
                obj.optimizer = reduce(join, driven)
            units = {o.unit for o in schedulers}
            # Of the others, nothing tells the unit: what is stepped in place of each of them is stepped in place of those that count epochs.
            obj.unit = "epochs" if units == {"epochs", None} else units.pop() if len(units) == 1 else obj.unit
            obj.horizon = schedulers[0].horizon if alike(o.horizon for o in schedulers) else obj.horizon
            obj.usual_end = schedulers[0].usual_end if alike(o.usual_end for o in schedulers) else obj.usual_end
            obj.of_torch = all(o.of_torch for o in schedulers)
            obj.constant = all(o.constant for o in schedulers)
            obj.in_stairs = all(o.in_stairs for o in schedulers)
            obj.warms_up = all(o.warms_up for o in schedulers)
            obj.wrapped = obj.wrapped or any(o.wrapped for o in schedulers)
            obj.given_start = obj.given_start or any(o.given_start for o in schedulers)
        case Scaler():
            scalers = [o for o in objects if isinstance(o, Scaler)]
            obj.enabled = scalers[0].enabled if alike(o.enabled for o in scalers) else UNKNOWN
            obj.switch = scalers[0].switch if alike(ir.render(o.switch) for o in scalers) else None
        case TorchModule():
            modules = [o for o in objects if isinstance(o, TorchModule)]
            obj.frozen = obj.frozen or all(o.frozen for o in modules)
            if isinstance(obj, Module):
                obj.foreign = obj.foreign or all(isinstance(o, Module) and o.foreign for o in modules)
            if isinstance(obj, Loss):
                losses = [o for o in modules if isinstance(o, Loss)]
                obj.reduction = losses[0].reduction if alike(o.reduction for o in losses) else obj.reduction
