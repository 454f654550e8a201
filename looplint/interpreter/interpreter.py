"""The abstract interpreter of one linted file, with the few moves everything else is made of: evaluate, call, emit, create, read and write."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from looplint.domain.call_string import CallString
from looplint.domain.objects import (
    Accelerator,
    AnyObj,
    Data,
    Engine,
    Generator,
    Loader,
    Loss,
    Module,
    Obj,
    Optimizer,
    Sampler,
    Scaler,
    Scheduler,
    Settings,
    number_anew,
)
from looplint.domain.values import NOTHING, Arguments, ClassRef, EventKey, Func, Method, Ref, Tuple, Value, join, released
from looplint.flow.events import Accumulate, Escape, Event, Exhaust, Keep, MakeIterator
from looplint.flow.graph import Guard, Loop, Loose
from looplint.flow.remarks import Fetch, Remark, Withdraw
from looplint.interpreter import shared
from looplint.interpreter.facts import Agenda, Applications, Evidence, Flags, GradientAccess, Heap, Reached, Uses
from looplint.interpreter.state import Position
from looplint.interpreter.training_names import LeadingNames, TrainingNames
from looplint.knowledge.pytorch import PLAIN_ATTRIBUTES
from looplint.syntax import ir
from looplint.syntax.implication import Implications
from looplint.syntax.substitution import Substitutions

if TYPE_CHECKING:
    import libcst as cst

    from looplint.interpreter.frames import Frame, Snapshot
    from looplint.interpreter.replay import Recording
    from looplint.syntax.project import ModuleInfo, Project

E = TypeVar("E", bound=Event)
# How many statements and expressions are followed from one root, and from all roots of a file.
ROOT_FUEL = 120_000
# What a root gets once more that is larger than this, to be followed with less of what it calls.
AGAIN_FUEL = 60_000
# What it gets at last, to be followed as if no other file were in sight: in proportion to the one that is linted.
ALONE_FUEL = 30_000
FILE_FUEL = 240_000
# A unit test that trains nothing itself may call any of a library; what it calls is judged in its own file, and what is found in a test is advice.
UNIT_TEST_FUEL = 30_000
DEPTH = 24
# What a call that cannot be followed may do something to.
TRACKED = (Optimizer, Module, Scheduler, Scaler, Loader, Sampler, Accelerator, Engine)
# Of what these hold, it gets at nothing by itself.
_CLOSED = (Module, Loss, Generator)


class OutOfFuel(Exception):
    """What is being followed is larger than its part of the budget."""


def _only_hands_on(event: Event) -> bool:
    """Whether an event is no more than that an output or an iterator is kept, or no longer is of use, or that something leaves the program."""
    return isinstance(event, Keep | Withdraw | Accumulate | Fetch | Escape | MakeIterator | Exhaust)


class Interpreter(Position):
    """Follows one linted file; what it knows of the program, whatever path it is on: the heap, and what is noted beside the graph."""

    def __init__(self, project: Project, main: ModuleInfo) -> None:
        super().__init__()
        # What is read and changed of objects.
        self.journal = number_anew()
        self.substitutions = Substitutions()
        self.project = project
        self.main = main
        # What is noted beside the graph.
        self.uses = Uses()
        self.gradients = GradientAccess()
        self.flags = Flags()
        self.reached = Reached()
        self.applications = Applications()
        self.remarks: dict[EventKey, Remark] = {}
        self.heap = Heap()
        self.agenda = Agenda()
        # The frames in which functions and classes were defined: what these hold, holds them.
        self.enclosing: set[Frame] = set()
        # What is left of the budget, below which level what is being followed ends, and what is left for all roots.
        self.fuel = ROOT_FUEL
        self.floor = 0
        self.left = FILE_FUEL
        # Whether a root is followed once more that was larger than its budget.
        self.again = False
        # Whether it is followed as if no other file of the program could be read.
        self.alone = False
        # The `__exit__` of what the stacks of contexts that are open have entered.
        self.entered: list[Value] = []
        # How often something was emitted, remarked or written, and what calls gave in which nothing was.
        self.happened = 0
        # How often something was emitted or remarked, or an object of the loop was built; what is only kept or handed on does not count.
        self.occurred = 0
        self.summaries: dict[object, Value] = {}
        # What calls of functions that only work on data have used; None for functions that do something else too.
        self.data_work: dict[ir.Function, int | None] = {}
        # And what it was given in them that is more than data.
        self.data_given: dict[ir.Function, frozenset[object]] = {}
        # What functions that only work on data have handed to code out of sight.
        self.data_lost: dict[ir.Function, set[Obj]] = {}
        # The functions of which a call has given more than data.
        self.giving: set[ir.Function] = set()
        # What calls of functions have used in vain: they are larger than that.
        self.spent: dict[ir.Function, int] = {}
        # How often a name of a module or of a function around others was given something by other code, what calls in loops did, and the keys of all
        # remarks as they were made.
        self.assigned = 0
        self.recordings: dict[tuple[CallString, Func], Recording] = {}
        self.noted: list[EventKey] = []
        # Where loops in loops were read last: with what names and paths came to their heads from outside, and what held there in the end.
        self.heads: dict[Loop, tuple[Snapshot, Snapshot]] = {}
        # Whether all that was met and may train was followed.
        self.complete = True
        # The names of functions that may train, and of those that put something into eval mode.
        self.training = TrainingNames()
        self.evaluating = LeadingNames(["eval"])
        # What follows from conditions, by the identities of these; with them, so that no other gets one of these.
        self.said: dict[tuple[int, ...], tuple[tuple[Guard, ...], dict[object, Implications]]] = {}
        # By what the forwards of classes differentiate, if they do.
        self.differentiating: dict[ir.Class, frozenset[str]] = {}
        self.lines: dict[object, list[ClassRef]] = {}
        self.evidence = Evidence()
        self.importing: set[object] = set()
        # Whether an attribute of a class is set to None there, and to something elsewhere.
        self.left_open: dict[tuple[ClassRef, str], bool] = {}
        # The methods that give an attribute of a class something else than None, each with the class that has it.
        self.setters: dict[tuple[ClassRef, str], list[tuple[ir.Function, ClassRef]]] = {}
        self.lacking: dict[tuple[ClassRef, str], bool] = {}
        # What the methods of a class can set on its objects by their text; None where that is any attribute.
        self.set_by_methods: dict[tuple[ClassRef, ir.Function], tuple[frozenset[str], frozenset[str]] | None] = {}
        # The settings of each module where they were needed, by its file.
        self.settings: dict[str, frozenset[str]] = {}
        # The moves that statements, expressions and calls make of each other, bound where following begins.
        self.run_block: Callable[[list[ir.Stmt]], None]
        self.evaluate: Callable[[ir.Expr], Value]
        self.assign: Callable[[ir.Expr, Value], None]
        self.call: Callable[[Value, Arguments, ir.Call], Value]
        self.call_function: Callable[[Func, Arguments, ir.Expr], Value]
        self._interned: dict[object, Loop] = {}
        self._contexts: dict[object, CallString] = {}

    def context(self, outer: CallString | None, *site: object) -> CallString:
        """The calling context that is entered at a place of another one; the same object each time."""
        key = (outer, site)
        found = self._contexts.get(key)
        if found is None:
            found = self._contexts[key] = CallString(outer, site, len(self._contexts))
        return found

    # -- looks at what is there

    def seen(self, expr: ir.Expr) -> Value:
        """What an expression is: nothing happens of it, and no gradient counts as read."""
        with self.looking(), self.gradients.unread():
            return self.evaluate(expr)

    def seen_from(self, frame: Frame, expr: ir.Expr) -> Value:
        """What an expression is in an activation that is under way."""
        saved, self.frame = self.frame, frame
        try:
            return self.seen(expr)
        finally:
            self.frame = saved

    # -- budget

    def burn(self) -> None:
        self.fuel -= 1
        if self.fuel < self.floor:
            raise OutOfFuel

    # -- events

    def emit(self, event: E, node: cst.CSTNode, subjects: Iterable[Obj], *, certain: bool = True) -> E | None:
        """Something happens here, on this path. Nothing is noted on a path that cannot be reached."""
        if not self.at:
            return None
        self._occur(event, node, subjects, certain)
        index = self.graph.add("event", self.loops, self.at, event=event)
        self.at = [Loose(index)]
        return event

    def remark(
        self, event: Remark, node: cst.CSTNode, subjects: Iterable[Obj], *, certain: bool = True, told_by_text: bool = False
    ) -> None:
        """Something stands here that is judged by itself, not by the path to it: it is noted beside the graph, once in each context.

        What the text of the function alone tells (`told_by_text`) is so whichever of several functions a call goes to.
        """
        if self.at:
            subjects = list(subjects)
            self._occur(event, node, subjects, certain)
            if self.candidates and (told_by_text or (subjects and all(self._is_being_built(o) for o in subjects))):
                event.certain = certain  # whichever class is taken: this constructor does it to what it makes
            event.index = len(self.graph.nodes)
            if self.candidates and event.key in self.remarks:
                event.subjects |= self.remarks[event.key].subjects  # one call that goes to one of several objects
            self.remarks[event.key] = event
            self.noted.append(event.key)

    def _is_being_built(self, obj: Obj) -> bool:
        """Whether the running constructor is that of an object which was made since the callee is not certain."""
        own = any(isinstance(a, Ref) and a.obj is obj for a in self.frame.instance)
        return bool(self.assembling) and own and obj.candidates >= self.candidates

    def _occur(self, event: Event, node: cst.CSTNode, subjects: Iterable[Obj], certain: bool) -> None:
        """Give an event its place: where the interpreter is now."""
        self.happened += 1
        self.occurred += not _only_hands_on(event)
        event.key = (self.frame.ctx, id(node), event.kind)
        event.site = self.site(node)
        event.subjects = frozenset(subjects)
        event.certain = certain and not self.candidates
        event.loops, event.guards, event.grad, event.statement = self.loops, self.guards, self.grad, self.statement
        event.calls, event.root = self.frame.calls, self.root

    def forget_remarks(self, length: int) -> None:
        """Take back the remarks after the first `length`: what was being followed is larger than is followed."""
        for key in list(self.remarks)[length:]:
            del self.remarks[key]

    @contextmanager
    def fueled(self, fuel: int) -> Iterator[None]:
        """Follow something on a budget of its own."""
        saved, self.fuel, self.floor = (self.fuel, self.floor), fuel, 0
        try:
            yield
        finally:
            self.fuel, self.floor = saved

    # -- objects

    def create(
        self, kind: type[AnyObj], node: cst.CSTNode, name: str = "", *, slot: object = None, qualname: str = "", cls: ClassRef | None = None
    ) -> AnyObj:
        """The abstract object of an allocation site in the present calling context; the same one each time."""
        key = (self.frame.ctx, id(node), kind, slot)
        obj = self.heap.objects.get(key)
        self.occurred += issubclass(kind, TRACKED)
        if obj is not None:
            self.drop_constant(obj, "[]")  # made anew
        if obj is None:
            obj = self.heap.objects[key] = kind(key, name, qualname=qualname, cls=cls)
            obj.node = node
            obj.source = self.frame.module
            obj.loops = self.loops
            obj.candidates = self.candidates
            obj.made_under = self.guards
            if isinstance(obj, Module):
                obj.made_in = tuple(self.active)
        assert isinstance(obj, kind)
        self.trace.built.add(obj)
        return obj

    def known(self, kind: type[AnyObj], key: object, name: str, cls: ClassRef | None = None) -> AnyObj:
        """The object that goes by a key, wherever that is; no expression builds it."""
        obj = self.heap.objects.get(key)
        if obj is None:
            obj = self.heap.objects[key] = kind(key, name, cls=cls)
        assert isinstance(obj, kind)
        return obj

    def setting_owner(self, qualname: str) -> Settings:
        """The object that the settings of a library belong to; one for the whole program."""
        return self.known(Settings, ("settings", qualname), qualname)

    def note_name(self, name: str, given: ir.Expr | None = None) -> None:
        """A name was assigned, by what expression; under a condition only the first time counts."""
        if self.guarded():
            self.frame.born.setdefault(name, self.loops)
        else:
            self.frame.born[name] = self.loops
        while isinstance(given, ir.Attr | ir.Subscript):
            given = given.value
        if isinstance(given, ir.Name):
            self.frame.parts[name] = given.id
        else:
            self.frame.parts.pop(name, None)

    def note_birth(self, target: ir.Attr) -> None:
        """An attribute was assigned: sums in it start here."""
        path = ir.path_of(target)
        for atom in self.frame.locals.get(path.partition(".")[0], frozenset()) if path else ():
            if isinstance(atom, Ref):
                self.heap.born[(id(atom.obj), target.attr)] = self.loops

    def born(self, target: ir.Expr) -> tuple[Loop, ...]:
        """The loops that were running when a name or attribute was last set other than by adding to it."""
        match target:
            case ir.Name():
                return self.frame.born.get(target.id, self.frame.entered)
            case ir.Attr(value=ir.Name(id=base)):
                holders = (atom.obj for atom in self.frame.locals.get(base, NOTHING) if isinstance(atom, Ref))
                return max((self.heap.born.get((id(o), target.attr), ()) for o in holders), key=len, default=())
            case ir.Subscript(value=ir.Attr() as whole):
                return self.born(whole)
            case ir.Subscript(value=ir.Name(id=base)):
                held = [atom.obj for atom in self.frame.locals.get(base, NOTHING) if isinstance(atom, Ref)]
                # Another one, as of `if step % 100 == 0: sums = {}`, is made now and then.
                in_each_turn = [o for o in held if not _is_made_in_a_branch(o)]
                return max((o.loops or () for o in in_each_turn or held), key=len) if held else self._born_as(base)
        return ()

    def _born_as(self, name: str) -> tuple[Loop, ...]:
        """The loops that were running when the tensor of a name was made: here, with what it is a part of, by a caller that passes its name, or for the call."""
        for frame in self.frame.outward():
            for _ in frame.parts:
                name = frame.parts.get(name, name)
            if name in frame.born:
                return frame.born[name]
            match (frame.written or {}).get(name):
                case ir.Name(id=name):
                    pass
                case ir.Call() | ir.Binary():
                    return frame.entered
                case _:
                    return ()
        return ()

    def reachable(self, values: Iterable[Value]) -> list[Obj]:
        """The objects of the loop that someone who holds these values can get at."""
        return [obj for obj in self.held_by(values) if isinstance(obj, TRACKED)]

    def held_by(self, values: Iterable[Value]) -> list[Obj]:
        """All objects that someone who holds these values can get at."""
        found: dict[int, Obj] = {}
        work = list(values)
        while work:
            for atom in work.pop():
                if type(atom) is Ref:
                    obj = atom.obj
                    if id(obj) in found:
                        continue
                    found[id(obj)] = obj
                    if not isinstance(obj, _CLOSED):
                        work.extend(obj.heap.values())
                elif type(atom) is Tuple:
                    work.extend(atom.items)
                elif type(atom) is Method and atom.name not in PLAIN_ATTRIBUTES:
                    work.append(frozenset({atom.obj}))
        return [*found.values()]

    def loop(self, stmt: ir.For | ir.While) -> Loop:
        key = (self.frame.ctx, id(stmt.node), tuple(id(x) for x in self.loops))
        loop = self._interned.get(key)
        if loop is None:
            outer, function = self.loops[-1] if self.loops else None, self.frame.function
            loop = Loop(self.site(stmt.node), outer, stmt.assigned, self.frame.ctx, reset=stmt.reset, stmt=stmt, function=function)
            self._interned[key] = loop
        return loop

    def note_write(self, obj: Obj, slot: str, value: Value) -> None:
        """Remember what the branch at hand gave an attribute."""
        self.trace.held.setdefault((id(obj), slot), obj.heap.get(slot, NOTHING))
        self.trace.writes[(id(obj), slot)] = (obj, value)

    def write(self, obj: Obj, slot: str, value: Value) -> None:
        """The heap does not follow paths: a slot holds everything that was ever put in it."""
        if not slot.isidentifier():
            value = released(value)
        self.note_write(obj, slot, value)
        rewritten = self.constant(obj, "[]") if slot == "[]" or slot.startswith("=") else None
        if rewritten is not None:
            self.set_constant(obj, "[]", join(rewritten, value))  # an entry more, beside those that a loop has replaced
        else:
            self.drop_constant(obj, slot)
            self.drop_constant(obj, shared.names_of(slot))
        self.happened += 1
        if isinstance(obj, Data) and self.loops and not self.aside:
            obj.changing = True
        old = obj.heap.get(slot)
        obj.heap[slot] = value if old is None else join(old, value)


def _is_made_in_a_branch(obj: Obj) -> bool:
    """Whether a condition in the loop in which an object is made decides whether it is."""
    depth = len(obj.loops or ())
    return depth > 0 and any(guard.depth >= depth for guard in obj.made_under)
