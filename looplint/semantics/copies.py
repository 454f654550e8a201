"""Copies: the same kind of object, with an identity of its own, and whose parts are its own too where the copy is deep."""

from __future__ import annotations

from collections.abc import Iterable

from looplint.dataclass import replace
from looplint.domain.objects import Container, Dict, FrameworkModule, Instance, List, Loss, Module, Obj, Optimizer, Scheduler
from looplint.domain.tensors import detached
from looplint.domain.values import NOTHING, UNKNOWN, Arguments, Atom, Const, Method, Params, Ref, Tensor, Tuple, Value, join, ref, refs
from looplint.flow.events import Copy
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.transfers import transfer
from looplint.semantics import checkpoints
from looplint.syntax import ir

# How deep what an object holds is copied with it.
_DEPTH = 3


@transfer("average-module")
def _average(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """A wrapper that keeps the average of a model's weights: a copy of the model, with methods of its own."""
    made = _copy(interp, qualname, args, expr)
    for module in refs(made, Module):
        module.averaging = True
    return made


@transfer("copy", "copy-module")
def _copy(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """A deep copy: the same kind of object, with an identity of its own."""
    original = args.positional[0] if args.positional else NOTHING
    copying = _Copying(interp, expr)
    if qualname == "copy.copy":
        return frozenset().union(*(copying.of_atom(atom, 0) for atom in original)) or UNKNOWN
    return frozenset().union(*(copying.of_atom(atom, _DEPTH) for atom in checkpoints.deep_copy(original, interp.loops))) or UNKNOWN


class _Copying:
    """One call that copies: what it has copied already, so that two names of one object stand for one copy."""

    def __init__(self, interp: Interpreter, expr: ir.Call) -> None:
        self.interp = interp
        self.expr = expr
        self.made: dict[Obj, Obj] = {}

    def of_atom(self, atom: Atom, depth: int) -> Value:
        match atom:
            case Ref(obj=Module() | Optimizer() as obj):
                return ref(self._twin(obj, part=False))
            case Ref(obj=Instance() | FrameworkModule() as obj) if depth:
                return ref(self._whole(obj, depth))
            case Ref(obj=List() | Dict() as obj) if depth and self.interp.reachable([frozenset({atom})]):
                return ref(self._whole(obj, depth))
            case Tuple(items) if depth:
                return frozenset({replace(atom, items=tuple(self._value(item, depth) for item in items))})
            case Tensor():
                return frozenset({detached(atom)})
            case Params():
                return UNKNOWN
        return frozenset({atom})

    def _value(self, value: Value, depth: int) -> Value:
        """What stands in the copy where a value stands in what is copied."""
        return frozenset().union(*(self._part(atom, depth) for atom in value))

    def _part(self, atom: Atom, depth: int) -> Value:
        match atom:
            case Ref(obj=Module() | Optimizer() | Scheduler() as obj):
                return ref(self._twin(obj, part=True))
            case Method(obj=Ref(obj=inner)) if inner in self.made:
                return frozenset({Method(Ref(self.made[inner]), atom.name)})
        return self.of_atom(atom, depth)

    def _twin(self, obj: Obj, *, part: bool) -> Obj:
        """The copy of something that the loop trains with."""
        if obj in self.made:
            return self.made[obj]
        slot = _first(obj).key if part else None
        twin = self.interp.create(type(obj), self.expr.node, cls=obj.cls, qualname=obj.qualname, slot=slot)
        self.made[obj] = twin
        _note_original(twin, obj)
        if part:
            twin.name, twin.symbolic = obj.name, obj.symbolic
        if part and isinstance(obj, Optimizer | Scheduler):
            vars(twin).update({field: value for field, value in vars(obj).items() if field != "original"})
        if isinstance(twin, Optimizer) and part:
            twin.holds = frozenset(self._twin(self._copied_with(each), part=True) for each in twin.holds)
        if isinstance(obj, Module) and isinstance(twin, Module):
            # What a call of a model that code out of sight has built gives is as little known of its copy.
            twin.foreign, twin.declared = obj.foreign, obj.declared
            self._beside_parts(twin, obj)
        if isinstance(twin, Scheduler) and twin.optimizer is not None:
            twin.optimizer = self._value(twin.optimizer, 0)
        if self.interp.loops:
            # A new object each time, in whatever state the original is.
            self.interp.emit(Copy(), self.expr.node, {twin})
        return twin

    def _beside_parts(self, twin: Module, obj: Module) -> None:
        """Give the copy of a model what the model holds beside its layers: it is trained with an optimizer of its own where the model has one."""
        for slot, value in list(obj.heap.items()):
            if value and all(
                isinstance(atom, Const) or (isinstance(atom, Ref) and isinstance(atom.obj, Optimizer | Scheduler | Loss)) for atom in value
            ):
                twin.heap[slot] = join(twin.heap.get(slot, NOTHING), self._value(value, 0))

    def _copied_with(self, obj: Obj) -> Obj:
        """What stands for a layer in a copy: the model that is copied as a whole, whose copy has no layers of its own."""
        return next(
            (each for each in self.made if isinstance(each, Module) and any(ref(obj) <= value for value in each.heap.values())), obj
        )

    def _whole(self, obj: Instance | FrameworkModule | Container, depth: int) -> Obj:
        """The copy of something that holds what the loop trains with: it has copies of that."""
        if obj in self.made:
            return self.made[obj]
        twin = self.interp.create(type(obj), self.expr.node, obj.name, cls=obj.cls, qualname=obj.qualname, slot=_first(obj).key)
        self.made[obj] = twin
        _note_original(twin, obj)
        twin.symbolic = obj.symbolic
        for slot, value in list(obj.heap.items()):
            twin.heap[slot] = join(twin.heap.get(slot, NOTHING), self._value(value, depth - 1))
            constant = self.interp.constant(obj, slot)
            if constant is not None:
                self.interp.set_constant(twin, slot, self._value(constant, depth - 1))
        if isinstance(obj, Container) and isinstance(twin, Container):
            twin.changed, twin.bounded = obj.changed, obj.bounded
        if isinstance(obj, List) and isinstance(twin, List):
            twin.items = self._values(obj.items, depth)
            twin.last = self._value(obj.last, depth - 1) if obj.last is not None else None
        if isinstance(obj, Dict) and isinstance(twin, Dict):
            twin.exact, twin.by_attribute = obj.exact, obj.by_attribute
        return twin

    def _values(self, items: Iterable[Value] | None, depth: int) -> tuple[Value, ...] | None:
        return tuple(self._value(item, depth - 1) for item in items) if items is not None else None


def _note_original(twin: Obj, obj: Obj) -> None:
    """Note what an object is a copy of; what is copied to and fro (`a = deepcopy(b)`, `b = deepcopy(a)`) is a copy of what was there first."""
    if twin not in _originals(obj):
        twin.original = obj


def _first(obj: Obj) -> Obj:
    """What an object is a copy of, or a copy of a copy."""
    return _originals(obj)[-1]


def _originals(obj: Obj) -> list[Obj]:
    found = [obj]
    while found[-1].original is not None:
        found.append(found[-1].original)
    return found
