"""Objects that are one of two: what the branches of an `if` build under one name is one object to the program after them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from typing import TYPE_CHECKING

from looplint.dataclass import replace
from looplint.domain.autocast import switched
from looplint.domain.call_string import contexts_of
from looplint.domain.objects import Accelerator, Dict, Instance, Loss, Module, Obj, Optimizer, Scheduler, TorchModule
from looplint.domain.tags import Mark
from looplint.domain.values import (
    NOTHING,
    Atom,
    Func,
    Ref,
    Tensor,
    Tuple,
    Unknown,
    Value,
    common_names,
    join,
    ref,
    refs,
    stable,
    tensor_of,
)
from looplint.flow.graph import Guard
from looplint.interpreter import alternatives, settled
from looplint.interpreter.frames import Frame, Snapshot, Trace
from looplint.interpreter.holders import of_kind
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.one_of_several import GONE_WHEN_REPLACED, built_either, joined, kind_of_all, nothing, single
from looplint.interpreter.state import read_by
from looplint.syntax import ir

if TYPE_CHECKING:
    import libcst as cst

# What goes on under no other name once it is replaced, or does what another one would do.
_GONE_OR_ALIKE = (*GONE_WHEN_REPLACED, Accelerator)


def settle(
    interp: Interpreter, stmt: ir.If | ir.Try, before: Snapshot, one: Snapshot, two: Snapshot, built: Trace, otherwise: Trace
) -> None:
    """Give the names that two branches set to new objects of one kind a single object, which is either of them.

    A `try` whose handler builds what its body could not has two branches, too: `try: model = resume(path)`, `except: model = Net()`.
    """
    tested = read_by(stmt.test)[1] if isinstance(stmt, ir.If) else frozenset()
    for name, left in one.locals.items():
        right = two.locals.get(name)
        if right is None or left == right:
            continue
        if isinstance(stmt, ir.If) and tensor_of(left) and tensor_of(right):
            interp.frame.locals[name] = decided(interp, one.guards[len(before.guards)], left, right)
        region = switched(left, right, tested)
        if region is not None:
            interp.frame.locals[name] = region
            continue
        wrapper = _read_back(left, right)
        if wrapper is not None:
            interp.frame.locals[name] = wrapper
            continue
        left, right = _told_by_each_other(interp, stmt.node, name, (left, built), (right, otherwise))
        pair = _of_one_kind(left, right)
        replaced = pair is not None and isinstance(pair[0], GONE_WHEN_REPLACED) and before.locals.get(name) in (left, right)
        if pair is not None and (
            replaced
            or _each_built(pair, built, otherwise)
            or _wrapped(pair, built, otherwise)
            or _given_up(interp, name, pair, before)
            or alternatives.exclude_each_other(interp, *pair)
        ):
            interp.frame.locals[name] = frozenset({Ref(built_either(interp, stmt.node, name, *pair))}) | nothing(left) | nothing(right)
    for key in dict.fromkeys((*built.writes, *otherwise.writes)):
        branches = (built, otherwise) if key in built.writes else (otherwise, built)
        owner, left = branches[0].writes[key]
        _settle_attribute(interp, stmt, tested, (owner, key[1]), left, branches)


def decided(interp: Interpreter, guard: Guard, left: Value, right: Value) -> Value:
    """What either way of a condition gives: where one gives a constant, and the condition has one outcome, that has the place of the other in every call, or in none."""
    value = join(left, right)
    tensor = tensor_of(value)
    if tensor is None or Mark.UNSETTLED not in tensor.tags or any(Mark.UNSETTLED in a.tags for a in left | right if isinstance(a, Tensor)):
        return value
    if guard.owner is None and not settled.by_options(interp.frame, guard.test, guard.names):
        return value  # neither an option decides it, nor what a constructor has set
    return value - {tensor} | {replace(tensor, tags=tensor.tags - {Mark.UNSETTLED})}


def _settle_attribute(
    interp: Interpreter, stmt: ir.If | ir.Try, tested: frozenset[str], key: tuple[Obj, str], left: Value, branches: tuple[Trace, Trace]
) -> None:
    """The same for an attribute, to which the first branch, or each, has given a value."""
    (owner, slot), (built, otherwise) = key, branches
    place = (id(owner), slot)
    right = otherwise.writes.get(place, (owner, left))[1]
    region = switched(left, right, tested)
    if region is not None:
        owner.heap[slot] = region
        interp.note_write(owner, slot, region)
    wrapper = _read_back(left, right)
    if wrapper is not None:
        owner.heap[slot] = wrapper
        interp.note_write(owner, slot, wrapper)
        return
    gone = False
    if place in otherwise.writes:
        left, right = _told_by_each_other(interp, stmt.node, f"{owner.name}.{slot}", (left, built), (right, otherwise))
        pair = _of_one_kind(left, right)
    else:
        _hold_again(interp, owner, slot, built.held[place])
        pair = _of_one_kind(left, built.held[place] - left)
        gone = pair is not None and (isinstance(pair[0], GONE_WHEN_REPLACED) or _given_up_by(interp, owner, slot, pair, built))
    if pair is not None and (gone or _each_built(pair, built, otherwise) or _wrapped(pair, built, otherwise) or _each_unseen(pair)):
        value = frozenset({Ref(built_either(interp, stmt.node, f"{owner.name}.{slot}", *pair))}) | nothing(left) | nothing(right)
        if slot == "[]":
            value |= owner.heap.get(slot, NOTHING) - {Ref(obj) for obj in pair}  # what was put in before is there as well
        owner.heap[slot] = value
        interp.note_write(owner, slot, value)


def _hold_again(interp: Interpreter, owner: Obj, slot: str, held: Value) -> None:
    """What an attribute held before a branch replaced it on each of its ways, it holds where that branch is not taken."""
    lost = frozenset(a for a in held - owner.heap.get(slot, NOTHING) if not (isinstance(a, Ref) and a.obj.merged is not None))
    if lost:
        owner.heap[slot] = owner.heap.get(slot, NOTHING) | lost
        interp.note_write(owner, slot, owner.heap[slot])


def _read_back(left: Value, right: Value) -> Value | None:
    """A wrapper of the program where the other way reads what has its place from a file: it is one of that class, which an earlier run has pickled."""
    for known, other in ((left, right), (right, left)):
        if other and all(map(_is_from_file, other)) and (wrapper := _wrapper(known)) is not None:
            for atom in other:
                if isinstance(atom, Ref):
                    atom.obj.merged = wrapper
            return known
    return None


def _told_by_each_other(
    interp: Interpreter, node: cst.CSTNode, name: str, one: tuple[Value, Trace], two: tuple[Value, Trace]
) -> tuple[Value, Value]:
    """What two ways give a name, where one gives an optimizer and the other what code out of sight makes of parameters: that is one as well."""
    (left, built), (right, otherwise) = one, two
    if isinstance(single(left), Optimizer) and (made := _optimizer_out_of_sight(interp, node, name, right)) is not None:
        otherwise.built.add(made)
        return left, ref(made) | nothing(right)
    if isinstance(single(right), Optimizer) and (made := _optimizer_out_of_sight(interp, node, name, left)) is not None:
        built.built.add(made)
        return ref(made) | nothing(left), right
    return left, right


def _optimizer_out_of_sight(interp: Interpreter, node: cst.CSTNode, name: str, value: Value) -> Optimizer | None:
    """The optimizer that a value is which stands in the place of one; None where it was not made of parameters."""
    made = [atom for atom in value - nothing(value) if isinstance(atom, Unknown) and atom.parameters]
    holds = frozenset(obj for atom in made for obj in atom.deps if isinstance(obj, Module))
    if not holds or len(made) < len(value - nothing(value)):
        return None
    optimizer = of_kind(interp, Optimizer, name.rpartition(".")[2], ("beside", interp.frame.ctx, id(node), name))
    optimizer.holds = holds
    return optimizer


def _is_from_file(atom: Atom) -> bool:
    return bool(atom.obj.unpickled) if isinstance(atom, Ref) else isinstance(atom, Unknown) and bool(atom.files)


def replacing(interp: Interpreter, owner: Obj, target: ir.Attr, value: Value) -> Value:
    """What an attribute is given that held another optimizer of the same model, its scheduler, or the same loss: the new one goes on in the place of the old one.

    So do those under the keys of a dict, where another dict takes its place, and what a method that nobody calls is handed: whoever calls that has
    the rest of the class go on with it, as `def resize(self, optimizer): self.optimizer = optimizer`.
    """
    before = owner.heap.get(target.attr, NOTHING)
    if not owner.many:
        _replace_entries(interp, owner, target, refs(before, Dict), refs(value, Dict))
    pair = _of_one_kind(before, value)
    if owner.many or pair is None or pair[0] is pair[1] or not (_do_the_same(*pair) or _handed_in_later(interp, owner, target.attr, pair)):
        return value
    pair[1].name = pair[1].name or pair[0].name
    return frozenset({Ref(joined(interp, target.node, f"{owner.name}.{target.attr}", *pair))}) | nothing(value)


def _handed_in_later(interp: Interpreter, owner: Obj, slot: str, pair: tuple[Obj, Obj]) -> bool:
    """Whether a function that nobody calls has been handed the second of two objects, and nothing else in sight of it has the first any more."""
    (old, new), frame = pair, interp.frame
    handed = any(single(frame.locals.get(p.name, NOTHING)) is new for p in frame.function.params)
    if frame.calls or not handed or not new.symbolic or not isinstance(new, GONE_WHEN_REPLACED):
        return False
    named = [value for value in frame.locals.values() if Ref(owner) not in value]
    return old not in interp.held_by([*named, *(value for name, value in owner.heap.items() if name != slot)])


def _replace_entries(interp: Interpreter, owner: Obj, target: ir.Attr, before: list[Dict], given: list[Dict]) -> None:
    if len(before) != 1 or len(given) != 1 or before[0] is given[0]:
        return
    for slot, value in [*given[0].heap.items()] if not given[0].many else ():
        pair = _of_one_kind(before[0].heap.get(slot, NOTHING), value) if slot.startswith("=") else None
        if pair is not None and pair[0] is not pair[1] and _do_the_same(*pair):
            one = joined(interp, target.node, f"{owner.name}.{target.attr}{slot}", *pair)
            interp.write(given[0], slot, ref(one))
            interp.write(given[0], "[]", ref(one))


def _do_the_same(one: Obj, other: Obj) -> bool:
    match one, other:
        case Optimizer(holds=first), Optimizer(holds=second):
            return bool(first) and first == second
        case Loss(qualname=first), Loss(qualname=second):
            return bool(first) and first == second and one.reduction == other.reduction
        case Scheduler(optimizer=first), Scheduler(optimizer=second):
            return first is not None and second is not None and len(join(first, second)) == 1
    return False


def either(interp: Interpreter, expr: ir.IfExp, left: Value, right: Value, built: Trace, otherwise: Trace) -> Value | None:
    """The one object that an expression builds in one of two ways; None where it is no such choice."""
    region = switched(left, right, frozenset(ir.paths_in(expr.test)))
    if region is not None:
        return region
    left, right = _told_by_each_other(interp, expr.node, "", (left, built), (right, otherwise))
    pair = _of_one_kind(left, right)
    if pair is None or not (
        _each_built(pair, built, otherwise) or _wrapped(pair, built, otherwise) or _kept_instead(expr, pair, built, otherwise)
    ):
        return None
    return frozenset({Ref(built_either(interp, expr.node, "", *pair))}) | nothing(left) | nothing(right)


def _kept_instead(expr: ir.IfExp, pair: tuple[Obj, Obj], built: Trace, otherwise: Trace) -> bool:
    """Whether one way builds an object, and the other keeps that of a name: `scaler = ShardedGradScaler() if fsdp else scaler`.

    So does one way take what was handed in, where there is that.
    """
    ways = (pair[0] in built.built or (pair[0].symbolic and _if_there_is_one(expr)), pair[1] in otherwise.built)
    named = (ir.path_of(expr.body), ir.path_of(expr.orelse))
    return isinstance(pair[0], _GONE_OR_ALIKE) and pair[0] is not pair[1] and any(ways) and bool(named[0 if ways[1] else 1])


def or_built(interp: Interpreter, expr: ir.BoolOp, left: Value, right: Value) -> Value | None:
    """The accelerator that is handed in or else built, `accelerator or Accelerator()`: each does to a loss what the other does; None for another choice."""
    pair = _of_one_kind(left, right)
    if expr.op != "or" or pair is None or not isinstance(pair[0], Accelerator) or pair[0] is pair[1]:
        return None
    return frozenset({Ref(built_either(interp, expr.node, "", *pair))})


def _if_there_is_one(expr: ir.Expr) -> bool:
    """Whether an expression gives what is handed in where there is that, and else what a name holds: `own if own is not None else self.optimizer`."""
    match expr:
        case ir.IfExp(test=ir.Compare(left=asked, ops=["is not"], rights=[ir.Const(value=None)]), body=body, orelse=ir.Name() | ir.Attr()):
            return ir.render(asked) == ir.render(body)
        case ir.IfExp(test=asked, body=body, orelse=ir.Name() | ir.Attr()):
            return ir.render(asked) == ir.render(body)
    return False


def beside(interp: Interpreter, stmt: ir.Assign, known: Value, made: Obj) -> Value:
    """What a name holds that gets an object from out of sight, or one that the statement builds: `getattr(config, "optimizer", Adam(...))`."""
    sites = {id(each.node) for each in ir.walk(stmt.value)}
    ways = [ref(made), *(frozenset({atom}) for atom in sorted(known, key=stable))]
    kept = _if_there_is_one(stmt.value) and isinstance(made, GONE_WHEN_REPLACED)
    return _as_one(interp, stmt.node, made.name, ways, lambda obj: obj is made or kept or _built_at(obj, sites))


def _built_at(obj: Obj, sites: set[int]) -> bool:
    """Whether an object is built at one of some nodes, or by what is called there."""
    return id(obj.node) in sites or any(context.site and context.site[0] in sites for context in contexts_of(obj.key))


def _of_one_kind(left: Value, right: Value) -> tuple[Obj, Obj] | None:
    """The two objects that two values are, where both are known and of one kind."""
    first, second = single(left) or _wrapper(left), single(right) or _wrapper(right)
    return (first, second) if first is not None and second is not None and kind_of_all([first, second]) is not None else None


def _each_built(pair: tuple[Obj, Obj], built: Trace, otherwise: Trace) -> bool:
    """Whether one way built the first object, and the other way the second."""
    return pair[0] in built.built and pair[1] in otherwise.built


def _wrapped(pair: tuple[Obj, Obj], built: Trace, otherwise: Trace) -> bool:
    """Whether one way built a module around the other one, under the same name: `if args.masks: model = WithMasks(model)`."""
    new, old = pair if pair[0] in built.built else (pair[1], pair[0])
    made = new in built.built or new in otherwise.built
    return made and isinstance(old, Module) and old is not new and new in old.lineage()


def _each_unseen(pair: tuple[Obj, Obj]) -> bool:
    """Whether both objects were made out of sight: one was handed in, and resuming reads another in its place."""
    return all(obj.symbolic for obj in pair)


def _given_up(interp: Interpreter, name: str, pair: tuple[Obj, Obj], before: Snapshot) -> bool:
    """Whether one branch has put an object from out of sight in the place of a model to which nothing else refers any more: `model = load(path)`."""
    old = single(before.locals.get(name, frozenset()))
    new = pair[1] if old is pair[0] else pair[0]
    if old not in pair or not new.symbolic or not isinstance(old, TorchModule):
        return False
    if any(Ref(old) in value for other, value in interp.frame.locals.items() if other != name):
        return False
    return not any(old in o.holds and _stays(interp, o) for o in interp.heap.objects.values() if isinstance(o, Optimizer))


def _given_up_by(interp: Interpreter, owner: Obj, slot: str, pair: tuple[Obj, Obj], built: Trace) -> bool:
    """The same for an attribute, in whose model a branch puts one from a file: `self.model = torch.load(path)["model"]`, and an optimizer of that one."""
    new, old = pair
    if not (new.symbolic and new.unpickled) or not isinstance(old, Module) or old.symbolic:
        return False
    others = [*interp.frame.locals.values(), *(value for name, value in owner.heap.items() if name != slot)]
    if any(Ref(old) in value for value in others):
        return False
    replaced = {a.obj for place, held in built.held.items() if place in built.writes for a in held if isinstance(a, Ref)}
    return not any(
        old in o.holds and o not in replaced and _stays(interp, o) for o in interp.heap.objects.values() if isinstance(o, Optimizer)
    )


def _stays(interp: Interpreter, optimizer: Optimizer) -> bool:
    """Whether no branch puts another object in the place of an optimizer."""
    if optimizer.merged is not None or any(o.symbolic for o in optimizer.one_of):
        return False
    held = [value for value in interp.frame.locals.values() if Ref(optimizer) in value]
    return not held or any(len(value) == 1 for value in held)


def of_callees(interp: Interpreter, expr: ir.Call, callees: Sequence[Atom], values: list[Value]) -> Value:
    """What a call gives back that goes to one of several callees: the objects that they build, or that theirs holds, are one object to the caller."""
    owners = {atom.obj for callee in callees if isinstance(callee, Func) for atom in callee.bound or () if isinstance(atom, Ref)}
    held = {obj for owner in owners if owner.one_of for value in owner.heap.values() if (obj := single(value)) is not None}
    return _as_one(interp, expr.node, "called", values, lambda obj: _built_at(obj, {id(expr.node)}) or obj in held)


def returned(interp: Interpreter, frame: Frame, values: list[Value]) -> Value:
    """What a function gives back on one of several ways: the objects that it builds on each are one object to its caller."""
    values = list(dict.fromkeys(values))
    if frame.call is None or len(values) < 2:
        return reduce(join, values, NOTHING)
    tuples = [atom for value in values if len(value) == 1 for atom in value if isinstance(atom, Tuple)]
    if len(tuples) == len(values) and len({len(t.items) for t in tuples}) == 1:
        items = zip(*(t.items for t in tuples), strict=True)
        return frozenset(
            {Tuple(tuple(_one_of(interp, frame, list(item), number) for number, item in enumerate(items)), common_names(tuples))}
        )
    return _one_of(interp, frame, values, 0)


def _one_of(interp: Interpreter, frame: Frame, values: list[Value], number: int) -> Value:
    values = list(dict.fromkeys(values))
    if len(values) == 2 and frame.call is not None:
        region = switched(values[0], values[1], frozenset(frame.function.tested).union(*frame.given.values()))
        if region is not None:
            return region
    if frame.call is None:
        return reduce(join, values, NOTHING)
    return _as_one(interp, frame.call.node, f"returned {number}", values, lambda obj: built_in(obj, frame))


def _as_one(interp: Interpreter, node: cst.CSTNode, name: str, values: Iterable[Value], is_built: Callable[[Obj], bool]) -> Value:
    """The values of several ways as one: where each way builds an object of one kind, or gives None, they are one object."""
    values = list(dict.fromkeys(values))
    missing: Value = frozenset().union(*map(nothing, values))
    objects = [single(value) or _wrapper(value) for value in values if value - missing]
    known = any(isinstance(o, Optimizer) for o in objects)
    unseen = [o for value in values if known and (o := _optimizer_out_of_sight(interp, node, name, value)) is not None]
    built = list(dict.fromkeys([*(o for o in objects if o is not None and (is_built(o) or _is_instead(interp, o, objects))), *unseen]))
    if len(built) < max(2, len(objects)) or kind_of_all(built) is None:
        return reduce(join, values, NOTHING)
    return frozenset({Ref(built_either(interp, node, name, *built))}) | missing


def _is_instead(interp: Interpreter, obj: Obj, others: Iterable[Obj | None]) -> bool:
    """Whether an object is only ever built where none of the others is."""
    return all(other is obj or (other is not None and alternatives.exclude_each_other(interp, obj, other)) for other in others)


def built_in(obj: Obj, frame: Frame) -> bool:
    """Whether an object was allocated by an activation of a function, or by what it called."""
    return frame.ctx in contexts_of(obj.key)


def _wrapper(value: Value) -> Obj | None:
    """The object of a class of the program that a value is, where it keeps an optimizer, a scheduler or a scaler."""
    obj = next((a.obj for a in value if isinstance(a, Ref)), None) if len(value) == 1 else None
    return obj if isinstance(obj, Instance) and any(isinstance(single(held), GONE_WHEN_REPLACED) for held in obj.heap.values()) else None
