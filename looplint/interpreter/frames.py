"""Frames of the abstract interpreter, and the snapshots that paths are split and joined with."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from functools import reduce
from itertools import chain
from typing import TYPE_CHECKING

from looplint.dataclass import dataclass, field
from looplint.domain.call_string import CallString
from looplint.domain.objects import Obj
from looplint.domain.values import ClassRef, Const, Ref, Tensor, Value, join
from looplint.flow.graph import Guard, Loop, Loose
from looplint.syntax.site import Site

if TYPE_CHECKING:
    from looplint.syntax import ir
    from looplint.syntax.project import ModuleInfo


# The constant that an attribute holds on a path, by the number of its object and its name. It is shared by many paths, and never changed.
Constants = Mapping[tuple[int, str], Value]


@dataclass(slots=True)
class Snapshot:
    """The part of the interpreter's state that differs from path to path. It is dead when nothing leads on from it."""

    at: list[Loose]
    locals: dict[str, Value]
    grad: bool | None
    guards: tuple[Guard, ...]
    constants: Constants = field(default_factory=dict)

    @property
    def alive(self) -> bool:
        return bool(self.at)


@dataclass(slots=True)
class Trace:
    """What code did on the way: the objects it built, and the value that it gave each attribute last, with what that held when it gave it the first."""

    built: set[Obj] = field(default_factory=set)
    writes: dict[tuple[int, str], tuple[Obj, Value]] = field(default_factory=dict)
    held: dict[tuple[int, str], Value] = field(default_factory=dict)

    def add(self, other: Trace) -> None:
        self.built |= other.built
        self.writes |= other.writes
        self.held = other.held | self.held


class Frame:
    """An activation of a function in one calling context."""

    __slots__ = (
        "abstract", "born", "call", "caller", "calls", "chosen", "closure", "ctx", "depth", "endless", "entered", "entries", "fails", "function", "given", "handed", "instance", "locals", "module", "on_yield", "outside", "owner", "parts", "passes", "pauses", "returns", "shared", "stars", "tests", "written", "yields",
    )  # fmt: skip

    def __init__(self, function: ir.Function, module: ModuleInfo, closure: Frame | None, ctx: CallString, depth: int) -> None:
        self.function = function
        self.module = module
        self.closure = closure
        self.ctx = ctx
        self.depth = depth
        self.locals: dict[str, Value] = {}
        self.entered: tuple[Loop, ...] = ()
        self.born: dict[str, tuple[Loop, ...]] = {}
        # The names that stand for another name, or a part of what that holds: `rows = self.sums`.
        self.parts: dict[str, str] = {}
        self.owner: ClassRef | None = None
        self.instance: Value = frozenset()
        self.returns: list[tuple[Snapshot, Value]] = []
        self.yields: Value = frozenset()
        # The loaders whose items a generator yields, where it goes over each once.
        self.passes: frozenset[Obj] = frozenset()
        # Where a generator stands when it has yielded an item.
        self.pauses: list[Snapshot] = []
        # Whether it says on its way that it is not implemented.
        self.abstract = False
        # Whether a path of it has ended at an expression that raises an error, and not by its own `raise`.
        self.fails = False
        # Where loops without a way out begin their next turn.
        self.endless: list[Snapshot] = []
        self.on_yield: Callable[[Value], None] | None = None
        self.calls: tuple[Site, ...] = ()
        self.call: Site | None = None
        # The frame that goes on when this one returns, while this one runs.
        self.caller: Frame | None = None
        # What star imports have brought in, in their order: the project's own modules, and those out of sight by their names.
        self.stars: list[ModuleInfo | str] = []
        # Names that stand for a condition: what was last assigned to them.
        self.tests: dict[str, ir.Expr] = {}
        # The names of the callers from which a parameter was computed.
        self.given: dict[str, frozenset[str]] = {}
        # The arguments of its call as they are written, by the parameters that get them; None where that is not known.
        self.written: dict[str, ir.Expr] | None = None
        # The parameters that stand for a name of the caller throughout, with what they stand for.
        self.handed: dict[str, ir.Expr] = {}
        # Those that stand for an entry of a container of the caller.
        self.entries: dict[str, ir.Expr] = {}
        # The names on which it has hung which of several objects a call went to.
        self.chosen: set[str] = set()
        # The names that hold on some path what an attribute holds.
        self.shared: set[str] = set()
        # How many calls deep the innermost function lies that is no method of a model: those run in training and in validation.
        self.outside = 0

    def outward(self) -> Iterator[Frame]:
        """This activation, and then those that go on one after the other when it returns."""
        frame: Frame | None = self
        while frame is not None:
            yield frame
            frame = frame.caller

    def is_method_of(self, obj: Obj) -> bool:
        """Whether what runs is a method of an object, called on it."""
        return any(isinstance(a, Ref) and a.obj is obj for a in self.instance)


@dataclass(slots=True)
class LoopScope:
    """Where break and continue lead while a loop's body is followed."""

    breaks: list[Snapshot] = field(default_factory=list)
    continues: list[Snapshot] = field(default_factory=list)


def merge(snapshots: list[Snapshot]) -> Snapshot:
    """Join paths: their loose ends together, each name with everything it can be."""
    alive = [s for s in snapshots if s.alive]
    if not alive:
        return snapshots[0] if snapshots else Snapshot([], {}, True, ())
    if len(alive) == 1:
        return alive[0]
    at = list(dict.fromkeys(chain.from_iterable(snapshot.at for snapshot in alive)))
    names: dict[str, Value] = dict(alive[0].locals)
    for snapshot in alive[1:]:
        for name, value in snapshot.locals.items():
            known = names.get(name)
            if known is not value:
                names[name] = value if known is None else join(known, value)
    grads = {s.grad for s in alive}
    constants = reduce(_on_both, (s.constants for s in alive))
    return Snapshot(at, names, grads.pop() if len(grads) == 1 else None, reduce(_shared_beginning, (s.guards for s in alive)), constants)


def _on_both(one: Constants, other: Constants) -> Constants:
    """What attributes hold where two paths meet, if that is known: the same on both, or, of the entries of a container and of outputs, or sums of them, what either has there."""
    if one is other:
        return one
    found = {}
    for key, value in one.items():
        beside = other.get(key)
        if beside is value or beside == value:
            found[key] = value
        elif beside is not None:
            either = join(value, beside)
            if key[1] == "[]" or _is_sum(either):
                found[key] = either
    return found


def _is_sum(value: Value) -> bool:
    """Whether a value is a tensor, or the number with which a sum of tensors begins: `self.loss = 0`."""
    return any(isinstance(a, Tensor) for a in value) and all(
        isinstance(a, Tensor) or (isinstance(a, Const) and type(a.value) in (int, float)) for a in value
    )


def _shared_beginning(one: tuple[Guard, ...], other: tuple[Guard, ...]) -> tuple[Guard, ...]:
    """The conditions with which two stacks begin."""
    length = min(len(one), len(other))
    if one[:length] != other[:length]:
        length = bisect_left(range(1, length + 1), True, key=lambda n: one[:n] != other[:n])
    return one[:length]
