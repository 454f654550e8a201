"""Where the abstract interpreter stands: on which path, in which frame, loops and calls; and how paths split and join."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING

from looplint.domain.autocast import Autocast
from looplint.domain.objects import Obj
from looplint.domain.slots import WHOLE, Journal
from looplint.domain.values import Value
from looplint.flow.graph import Condition, EventGraph, Guard, Loop, Loose
from looplint.interpreter import handed_down, settled, shared
from looplint.interpreter.frames import Constants, Frame, LoopScope, Snapshot, Trace, merge
from looplint.syntax import ir
from looplint.syntax.site import Site
from looplint.syntax.substitution import Substitutions

if TYPE_CHECKING:
    import libcst as cst


# Of how many texts a test may ask that is split into what asks for each.
_TEXTS = 8


def _implied(test: ir.Expr, held: bool) -> Iterator[tuple[ir.Expr, bool]]:
    """The outcomes that the names in a test must have had: each of `a and b` held where it did, none of `a or b` where it did not.

    Where `mode in ("a", "b")` did not hold, `mode` was neither.
    """
    if isinstance(test, ir.BoolOp) and (test.op == "and") is held:
        for operand in (test.left, test.right):
            part, outcome = ir.affirmed(operand, held)
            if ir.path_of(part) is not None or _compares_with_none(part):
                yield part, outcome
            yield from _implied(part, outcome)
    elif isinstance(test, ir.Compare) and test.ops == ["not in" if held else "in"]:
        yield from ((each, False) for each in _of_each_text(test))


@lru_cache(maxsize=4096)
def _of_each_text(test: ir.Compare) -> tuple[ir.Compare, ...]:
    """For what asks whether a name is one of some texts: what asks for each of them, `mode == "a"`."""
    match test.rights:
        case [ir.Display(items=items)] if ir.path_of(test.left) is not None and len(items) <= _TEXTS:
            texts = [each for each in items if isinstance(each, ir.Const) and isinstance(each.value, str)]
            return tuple(ir.Compare(test.node, test.left, ["=="], [text]) for text in texts)
    return ()


def _compares_with_none(test: ir.Expr) -> bool:
    match test:
        case ir.Compare(left=left, rights=[ir.Const(value=None)]):
            return ir.path_of(left) is not None
    return False


def _without_no(test: ir.Expr, held: bool) -> tuple[ir.Expr, bool]:
    """A comparison that denies another one as that one, with its outcome: `scaler is not None` is what `scaler is None` asks."""
    denied = _denied_by(test) if isinstance(test, ir.Compare) else None
    return (test, held) if denied is None else (denied, not held)


@lru_cache(maxsize=4096)
def _denied_by(test: ir.Compare) -> ir.Compare | None:
    opposite = ir.DENIED.get(test.ops[0]) if len(test.ops) == 1 else None
    return ir.Compare(test.node, test.left, [opposite], test.rights) if opposite is not None else None


@lru_cache(maxsize=4096)
def read_by(test: ir.Expr) -> tuple[str, frozenset[str]]:
    """The text of a test, and the names that it reads; the same tests are met on many paths."""
    return ir.render(test), frozenset(ir.paths_in(test))


class Path:
    """What differs from path to path, with the names of the frame: what leads on, whether gradients are on, and under which conditions."""

    __slots__ = ("at", "constants", "grad", "guards")
    # What is read and changed of objects, on whatever path.
    journal: Journal
    # What conditions are in the words of callers.
    substitutions: Substitutions

    def __init__(self) -> None:
        self.at: list[Loose] = []
        self.grad: bool | None = True
        self.guards: tuple[Guard, ...] = ()
        # What attributes hold on this path, where that is a constant, or what a model puts out: the heap has what they hold on any.
        self.constants: Constants = {}

    @property
    def alive(self) -> bool:
        return bool(self.at)

    def die(self) -> None:
        self.at = []

    def constant(self, obj: Obj, slot: str) -> Value | None:
        """What an attribute holds on this path, or all entries of a container ("[]"); None where that is not known to be one constant."""
        self.journal.note_on_path(obj.number, slot)
        return self.constants.get((obj.number, slot))

    def set_constant(self, obj: Obj, slot: str, value: Value) -> None:
        self.journal.note_on_path(obj.number, slot)
        self.constants = {**self.constants, (obj.number, slot): value}

    def drop_constants(self, obj: Obj) -> None:
        self.journal.note_on_path(obj.number, WHOLE)
        if any(number == obj.number for number, _ in self.constants):
            self.constants = {key: value for key, value in self.constants.items() if key[0] != obj.number}

    def drop_constant(self, obj: Obj, slot: str) -> None:
        dropped = (obj.number, slot)
        self.journal.note_on_path(*dropped)
        if dropped in self.constants:
            self.constants = {key: value for key, value in self.constants.items() if key != dropped}


class Position(Path):
    """A place in the program as it is followed: the frame, and what is around it."""

    __slots__ = ("graph", "root", "frame", "statement", "loops", "scopes", "active", "candidates", "assembling", "iterating", "aside", "autocast", "enabled_by", "enabling", "comprehensions", "repetitions", "handling", "trace")  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        # The graph that grows here, and the root that is followed.
        self.graph = EventGraph()
        self.root = ""
        self.frame: Frame
        self.statement: cst.CSTNode | None = None
        self.loops: tuple[Loop, ...] = ()
        # Where break and continue lead.
        self.scopes: list[LoopScope] = []
        # The functions that are being followed.
        self.active: list[ir.Function] = []
        # How many calls around this one may go to another callee: what happens then happens to one of several objects.
        self.candidates = 0
        # How many constructors of modules are running: what is built in them becomes part of a module.
        self.assembling = 0
        # The objects of the program whose items are being computed.
        self.iterating: list[Obj] = []
        # Inside a module, where nothing is part of a loop: what is met there says nothing about the objects of the loop.
        self.aside = False
        # The innermost region of automatic mixed precision.
        self.autocast: Autocast | None = None
        # How many `enable_grad` are around this place.
        self.enabling = 0
        # The condition that switches gradients on around this place where its outcome is not known, with the frame in whose names it is.
        self.enabled_by: tuple[Frame, ir.Expr] | None = None
        # How many comprehensions are around this place, and how many of them do the same thing in each turn.
        self.comprehensions = 0
        self.repetitions = 0
        # How many handlers of exceptions are around this place.
        self.handling = 0
        # What the branch at hand did.
        self.trace = Trace()

    def save(self) -> Snapshot:
        return Snapshot(list(self.at), dict(self.frame.locals), self.grad, self.guards, self.constants)

    def restore(self, snapshot: Snapshot) -> None:
        self.at = list(snapshot.at)
        self.frame.locals = dict(snapshot.locals)
        self.grad = snapshot.grad
        self.guards = snapshot.guards
        self.constants = snapshot.constants

    @contextmanager
    def looking(self) -> Iterator[None]:
        """Evaluate what was evaluated before, for its value: on this path nothing happens again."""
        before = self.save()
        yield
        self.restore(before)

    def join_at(self, snapshots: list[Snapshot]) -> None:
        self.restore(merge(snapshots))

    def assume(self, test: ir.Expr, held: bool) -> None:
        """Go on along the path on which `test` had the given outcome."""
        test, held = ir.affirmed(test, held)
        names, owner, same = self._split_at(test, held)
        self.guards = (*self.guards, self._guard(test, held, names, owner, settled=same))
        for part, outcome in _implied(test, held):
            self._split_at(part, outcome)

    def _split_at(self, test: ir.Expr, held: bool) -> tuple[frozenset[str], Obj | None, bool]:
        """Split the path at a test, and go on where it had the given outcome; the names that it reads, the object that it asks, whether that stays."""
        _, names = read_by(test)
        owner, frame, said = self.in_whose_words(test, names)
        said, held = _without_no(*ir.affirmed(said, held))
        options = settled.options_asked(self.frame, test, names) if owner is None else frozenset()
        same = owner is not None or bool(options)
        # What the options say is the same in each call of a function that has a name of its own for them.
        of = next(iter(options)) if len(options) == 1 else owner
        context = frame.ctx if of is None else list(frame.ctx.outward())[-1]
        self._branch(self.graph.condition(context, *read_by(said), of, settled=same), held)
        return names, owner, same

    def in_whose_words(self, test: ir.Expr, names: frozenset[str]) -> tuple[Obj | None, Frame, ir.Expr]:
        """The object that a test asks, where that has one answer throughout, the activation in whose words it can be said, and the test in these words."""
        owner = settled.owner_of(self.frame, names)
        if owner is not None:
            return owner, self.frame, test
        home, said = handed_down.at_home(self.frame, test, names, self.substitutions)
        return (settled.owner_of(home, read_by(said)[1]) if said is not test else None), home, said

    def choose(self, path: str, obj: Obj, held: bool) -> None:
        """Go on along the path on which a name that can be one of several objects is this one, or is not."""
        frame, path = shared.home_of(self, path)
        frame.chosen.add(path)
        self._branch(self.graph.condition(frame.ctx, f"{path} is {obj.name or obj.kind}", frozenset({path}), obj), held)

    def choose_class(self, obj: Obj, one: Obj, held: bool) -> None:
        """Go on along the path on which an object that is one of several is this one of them, or is not: whichever it is, it stays."""
        assert isinstance(obj.key, tuple)
        self._branch(self.graph.condition(obj.key[0], f"{obj.name} is {one.number}", frozenset(), obj, settled=True), held)

    def _branch(self, condition: Condition, held: bool) -> None:
        """Split the path at a condition, and go on where it had the given outcome."""
        self.at = [Loose(self.graph.add("branch", self.loops, self.at), condition, held)]

    def _guard(self, test: ir.Expr, held: bool, names: frozenset[str], owner: Obj | None, *, settled: bool = False) -> Guard:
        """A condition as a guard; one that was given a name first (`update = (i + 1) % k == 0`) is what the name stands for."""
        named = self.frame.tests.get(test.id) if isinstance(test, ir.Name) else None
        if named is not None:
            names, owner = names | ir.paths_in(named), None
            test, held = ir.affirmed(named, held)
        home, meaning = handed_down.at_home(self.frame, test, names, self.substitutions)
        behind = names.union(*(self.frame.given.get(n, ()) for n in names))
        return Guard(test, held, self.frame.ctx, len(self.loops), behind, home.ctx, meaning, owner, settled=settled)

    def reading(self, expr: ir.Expr) -> Guard:
        """What an expression reads, in whose words: its value changes as the outcome of a condition on it does."""
        names = read_by(expr)[1]
        return self._guard(expr, True, names, settled.owner_of(self.frame, names))

    def forget(self, path: str) -> None:
        """A name got a new value: conditions on it no longer hold."""
        if path in self.frame.shared:
            shared.forget(self, self.frame, path)
        if self.at and (path in self.frame.function.tested or path in self.frame.chosen):
            node = self.graph.add("forget", self.loops, self.at, forgets=(self.frame.ctx, path))
            self.at = [Loose(node)]

    def site(self, node: cst.CSTNode) -> Site:
        return Site(self.frame.module, node)

    def guarded(self) -> bool:
        """Whether a condition inside the innermost loop stands before what happens now."""
        depth, ctx = len(self.loops), self.frame.ctx
        return depth > 0 and any(guard.frame is ctx for guard in self.guards if guard.depth >= depth)

    @contextmanager
    def beside(self, frame: Frame) -> Iterator[None]:
        """Follow something on a graph of its own: nothing that happens there is part of the loop; what is remarked stays."""
        saved = [(name, getattr(self, name)) for name in (*Path.__slots__, *Position.__slots__)]
        self.frame, self.graph, self.grad, self.guards, self.loops, self.scopes, self.active = frame, EventGraph(), True, (), (), [], []
        self.assembling = self.candidates = 0
        self.constants = {}
        self.at = [Loose(self.graph.add("entry", (), []))]
        try:
            yield
        finally:
            for name, value in saved:
                setattr(self, name, value)
