"""Abstract values: what a name can hold, as a set of atoms.

A value is a frozenset of atoms; joining two paths is the union. All tensors of a value are kept as one atom.

The order in which a set is iterated depends on the hashes in it, and the interpreter iterates over such sets everywhere. So no hash rests on an address
or on the seed of Python's hashes of text: objects are hashed by their number, text by its content. One input then has one output.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache, reduce
from typing import TYPE_CHECKING, Literal
from zlib import crc32

from looplint.dataclass import dataclass, field, replace
from looplint.domain.call_string import CallString
from looplint.domain.objects import AnyObj, File, List, Loader, Obj, ParameterIterator
from looplint.domain.tags import NO_TAGS, Mark, Tag, Tags, is_loss_or_mean, joined

if TYPE_CHECKING:
    from looplint.domain.autocast import Autocast
    from looplint.domain.texts import Affixes
    from looplint.flow.graph import Loop
    from looplint.interpreter.frames import Frame
    from looplint.syntax import ir
    from looplint.syntax.project import ModuleInfo
    from looplint.syntax.site import Site

Graph = Literal["yes", "no", "maybe"]
# What gives parameters, where that can be gone through once: the iterator that an assignment keeps, or as long as none does what it is like.
OneTime = ParameterIterator | Literal["lazy", "choosing"]
EventKey = tuple[CallString, int, str]
# What a number counts or is: batches, the rank of a process; items of one batch ("rows"), of all ("items"); the mean loss of a batch, or a sum of such.
# "divided" beside "batches": a part of so many batches; "epochs": what is divided by the batches of one. "chunks": where a chunk of a size that has a
# name begins, `range(0, len(x), size)`. "scale": the factor of a scaler is in it.
Quantity = Literal["batches", "divided", "epochs", "rank", "rows", "items", "mean-loss", "chunks", "scale"]
WIDTH = 8
# How deep tuples may stand in those that are joined column by column: a tuple that a loop puts into itself ends.
_NESTED = 2
# How deep they may stand in one that is kept at all.
_DEEPEST = 6
_GRAPHS: tuple[Graph, ...] = ("no", "maybe", "yes")


@lru_cache(maxsize=16384)
def hash_of_text(text: str) -> int:
    """A hash that is the same in every process."""
    return crc32(text.encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class Const:
    """A constant that is known; its type tells True from 1."""

    value: ir.Constant
    type: type

    def __hash__(self) -> int:
        return hash_of_text(self.value) if isinstance(self.value, str) else hash(self.value) if isinstance(self.value, int | float) else 0


@dataclass(frozen=True, slots=True)
class Number:
    """A number that is not known, with what it counts or is."""

    units: frozenset[Quantity] = frozenset()

    def __hash__(self) -> int:
        return len(self.units)


@dataclass(frozen=True, slots=True)
class Mode:
    """Whether a module was in train mode when it was read: `model.training`."""

    module: Obj

    def __hash__(self) -> int:
        return self.module.number


@dataclass(frozen=True, slots=True)
class Ref:
    """An object of the heap."""

    obj: Obj

    def __hash__(self) -> int:
        return self.obj.number


@dataclass(frozen=True, slots=True)
class Made:
    """What made a tensor: an operation of torch, and where it stands."""

    op: str
    site: Site | None = None

    def __hash__(self) -> int:
        return hash_of_text(self.op)


# Some operation of torch: all that is known is that a tensor came out.
COMPUTED = frozenset({Made("tensor")})


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a tensor came out of: an operation or a layer ("softmax", "linear"), or the "forward" of a module, to be resolved on demand.

    `path` are the entries taken of what the forward returned, `key` is the forward's call, `own` tells methods
    of the tensor itself (`x.softmax(1)`) from functions.
    """

    op: str
    site: Site
    module: Obj | None = None
    path: tuple[int | str, ...] = ()
    key: EventKey | None = None
    own: bool = False

    def __hash__(self) -> int:
        return hash((hash_of_text(self.op), self.module.number if self.module is not None else -1))


Outcomes = frozenset[Outcome]


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor, or a structure of tensors, computed by the program.

    `graph` tells whether it carries its autograd graph, `sources` are the modules whose parameters that graph reaches, `forwards` the forward
    events in it, `origins` those of all it was computed from, `tags` what else was done to it, `made` what made it on each path: empty where that is not
    known, and then it may be a structure or an object with a tensor's methods. `outcomes` are what it came out of last, on each path: empty where
    that is not known.
    """

    sources: frozenset[Obj] = frozenset()
    graph: Graph = "no"
    forwards: frozenset[EventKey] = frozenset()
    tags: Tags = NO_TAGS
    scalar: bool = False
    origins: frozenset[EventKey] = frozenset()
    made: frozenset[Made] = frozenset()
    outcomes: Outcomes = frozenset()

    def tagged(self, *tags: Tag) -> Tensor:
        return replace(self, tags=self.tags | frozenset(tags))

    def __hash__(self) -> int:
        return hash((self.sources, _GRAPHS.index(self.graph), len(self.origins), len(self.tags), self.scalar))


@dataclass(frozen=True, slots=True)
class Params:
    """Parameters of some modules or optimizers, or their gradients; `exact` when it is all of each, `cut` when they were chosen by their place.

    `form` tells what holds them: something with several in it, one parameter itself, or tensors that are none: their data, and what is computed.
    `iterator` is what gives them once; None where they can be gone through again.
    """

    sources: frozenset[Obj]
    exact: bool = True
    grad: bool = False
    cut: bool = False
    form: Literal["several", "one", "tensors"] = "several"
    iterator: OneTime | None = None

    def __hash__(self) -> int:
        return hash((self.sources, self.exact, self.grad, self.cut, self.form))

    def item(self) -> Params:
        """What iterating over them, or an index, gives: one of several, or a row of one."""
        return replace(self, form="one" if self.form == "several" else "tensors", iterator=None)

    def result(self) -> Params:
        """What an operation makes of them: of one parameter a tensor that is none, of several what has some in it, as a sum of lists."""
        return replace(self, form="several" if self.form == "several" else "tensors", iterator=None)

    def listed(self) -> Params:
        """What a list of them has in it: several parameters, or none but their data."""
        return replace(self, form="tensors" if self.form == "tensors" else "several", iterator=None)


@dataclass(frozen=True, slots=True)
class Tuple:
    """A tuple, each of its items known as a value of its own; `names` are those that a named tuple has for them."""

    items: tuple[Value, ...]
    names: tuple[str, ...] = ()

    def __hash__(self) -> int:
        return hash(self.items)


@dataclass(frozen=True, slots=True)
class Func:
    """A function of the project; `bound` is the object that its first parameter gets, `owner` the class it was found in."""

    function: ir.Function
    module: ModuleInfo
    closure: Frame | None = None
    bound: Value | None = None
    owner: ClassRef | None = None

    def __hash__(self) -> int:
        return hash_of_text(self.function.qualname)


@dataclass(frozen=True, slots=True)
class ClassRef:
    """A class of the project."""

    cls: ir.Class
    module: ModuleInfo
    closure: Frame | None = None

    def __hash__(self) -> int:
        return hash_of_text(self.cls.qualname)


@dataclass(frozen=True, slots=True)
class Method:
    """A method of an object of the knowledge tables, not yet called."""

    obj: Atom
    name: str

    def __hash__(self) -> int:
        return hash((self.obj, hash_of_text(self.name)))


@dataclass(frozen=True, slots=True)
class Partial:
    """`functools.partial`: a function with some of its arguments."""

    func: Value
    args: tuple[Value, ...]
    kwargs: tuple[tuple[str, Value], ...]

    def __hash__(self) -> int:
        return hash((self.func, self.args))


@dataclass(frozen=True, slots=True)
class External:
    """Something of a library, by its qualified name."""

    qualname: str

    def __hash__(self) -> int:
        return hash_of_text(self.qualname)


@dataclass(frozen=True, slots=True)
class ModuleRef:
    """A module of the project."""

    module: ModuleInfo

    def __hash__(self) -> int:
        return 0  # where the project lies must not matter


@dataclass(frozen=True, slots=True)
class Super:
    """`super()` in a method of `owner`, for its instance."""

    owner: ClassRef
    instance: Value

    def __hash__(self) -> int:
        return hash((self.owner, self.instance))


@dataclass(frozen=True, slots=True)
class Iter:
    """An iterator or wrapped iterable whose elements are known as one value; `over` is the loader behind it, `iterator` as of parameters."""

    element: Value
    over: frozenset[Obj] = frozenset()
    bound: Value = frozenset()
    iterator: OneTime | None = None

    def __hash__(self) -> int:
        return hash((self.element, self.over))


def is_over_loader(iterated: Value) -> bool:
    """Whether the items of a value are the batches of a loader."""
    return any((isinstance(atom, Iter) and atom.over) or (isinstance(atom, Ref) and isinstance(atom.obj, Loader)) for atom in iterated)


NUMBERS = frozenset({Iter(frozenset({Number()}))})


@dataclass(frozen=True, slots=True)
class Context:
    """A context manager of the knowledge tables: its effect, what it was given, and the region that an autocast opens."""

    effect: str
    args: tuple[Value, ...] = ()
    region: Autocast | None = None

    def __hash__(self) -> int:
        return hash((hash_of_text(self.effect), self.args))


@dataclass(frozen=True, slots=True)
class Unknown:
    """Anything; `deps` are the modules it may depend on, `files` the files it was read from, `parameters` whether it was made of parameters."""

    deps: frozenset[Obj] = frozenset()
    files: frozenset[File] = frozenset()
    parameters: bool = False
    # The loops around the call that made it as a deep copy of a state; None where it is none.
    copied: tuple[Loop, ...] | None = None
    # How it begins and ends, where it is a string of which that is known.
    text: Affixes | None = None
    # Whether it is all that `torch.load` has read from its files, and no entry of that.
    whole: bool = False

    def __hash__(self) -> int:
        return hash((self.deps, self.files))


@dataclass(frozen=True, slots=True)
class Named:
    """A name of an activation: what an attribute holds on a path, it holds as well."""

    frame: CallString
    name: str

    def __hash__(self) -> int:
        return hash_of_text(self.name)


Atom = (
    Const | Number | Mode | Named | Ref | Tensor | Params | Tuple | Func | ClassRef | Method | Partial | External | ModuleRef | Super | Iter | Context | Unknown
)  # fmt: skip
Value = frozenset[Atom]

UNKNOWN: Value = frozenset({Unknown()})
NONE: Value = frozenset({Const(None, type(None))})
NOTHING: Value = frozenset()


def const(value: ir.Constant) -> Value:
    return frozenset({Const(value, type(value))})


def ref(obj: Obj) -> Value:
    return frozenset({Ref(obj)})


def join_tensors(tensors: Iterable[Tensor]) -> Tensor:
    """One tensor that may be any of the given ones."""
    items = list(tensors)
    graphs = {t.graph for t in items}
    attached = [t for t in items if t.graph != "no"]
    return Tensor(
        frozenset().union(*(t.sources for t in attached)),
        graphs.pop() if len(graphs) == 1 else "maybe",
        frozenset().union(*(t.forwards for t in attached)),
        joined((t.tags for t in items), attached=[t.tags for t in attached]),
        all(t.scalar for t in items),
        frozenset().union(*(t.origins for t in items)),
        frozenset().union(*(t.made for t in items)) if all(t.made for t in items) else frozenset(),
        frozenset().union(*(t.outcomes for t in items)) if all(t.outcomes for t in items) else frozenset(),
    )


def join(left: Value, right: Value) -> Value:
    """The least value that covers both."""
    if left is right or left == right:
        return left
    if not left and len(right) == 1:
        (only,) = right
        if type(only) is not Tuple:
            return right
    both = left | right
    kinds = [type(atom) for atom in both]
    if len(kinds) <= WIDTH and Tuple not in kinds and kinds.count(Tensor) < 2 and kinds.count(Ref) < 2:
        return both
    both = _without_merged(both)
    tensors = [a for a in both if isinstance(a, Tensor)]
    if len(tensors) > 1:
        merged = join_tensors(tensors)
        tests = ((Mark.MIXED, _are_mixed), (Mark.PLACE_HELD, _are_held_by_constants), (Mark.UNSETTLED, _has_constants))
        merged = replace(merged, tags=merged.tags - {Mark.PLACE_HELD} | frozenset(mark for mark, is_so in tests if is_so(tensors)))
        both = frozenset(a for a in both if not isinstance(a, Tensor)) | {merged}
    tuples = [a for a in both if isinstance(a, Tuple)]
    if len(tuples) > 2 and len({len(t.items) for t in tuples}) == 1 and not any(_is_deeper(t, _NESTED) for t in tuples):
        # Rows of one length, as of a table: what stands in each column.
        both = frozenset(a for a in both if not isinstance(a, Tuple)) | {
            Tuple(tuple(reduce(join, c) for c in zip(*(t.items for t in tuples))), common_names(tuples))
        }
        tuples = []
    if len(both) > WIDTH or len(tuples) > 2 or any(_is_deeper(t, _DEEPEST) for t in tuples):
        return _widen(both)
    return both


def _are_mixed(tensors: Iterable[Tensor]) -> bool:
    """Whether some tensors are losses or means, and others have a graph that they got from nobody knows what."""
    items = list(tensors)
    unseen = any(t.graph != "no" and not t.made and not is_loss_or_mean(t.tags) for t in items)
    return unseen and any(is_loss_or_mean(t.tags) for t in items)


def _are_held_by_constants(tensors: Iterable[Tensor]) -> bool:
    """Whether some tensors are constants of the program, and all others have their graph, wherever no such constant has their place."""
    items = list(tensors)
    others = [t for t in items if not _is_constant(t)]
    held = len(others) < len(items) or any(Mark.PLACE_HELD in t.tags for t in others)
    return held and bool(others) and all(t.graph == "yes" or Mark.PLACE_HELD in t.tags for t in others)


def _has_constants(tensors: Iterable[Tensor]) -> bool:
    return any(map(_is_constant, tensors))


def _is_constant(tensor: Tensor) -> bool:
    """Whether a tensor was made of nothing that the program computes or reads: `torch.zeros(1)`."""
    return tensor.graph == "no" and bool(tensor.made) and not tensor.origins and not tensor.tags


def _without_merged(value: Value) -> Value:
    """A value without the objects of which another one in it is one: that one stands for them."""
    refs = [a for a in value if isinstance(a, Ref)]
    if len(refs) < 2 or all(a.obj.merged is None for a in refs):
        return value
    objects = {a.obj for a in refs}
    return value - {a for a in refs if not objects.isdisjoint(a.obj.joined_with())}


def _is_deeper(row: Tuple, limit: int) -> bool:
    """Whether tuples stand in a tuple deeper than a limit; one that a loop puts into itself has as many paths as two to its depth."""
    return limit < 1 or any(_is_deeper(a, limit - 1) for item in row.items for a in item if isinstance(a, Tuple))


def released(value: Value) -> Value:
    """The value without what tells its iterators from others: it is one of several things that are kept in one place."""
    if not any(isinstance(a, Params | Iter) and a.iterator is not None for a in value):
        return value
    return frozenset(replace(a, iterator=None) if isinstance(a, Params | Iter) else a for a in value)


def _widen(value: Value) -> Value:
    """Give up constants and tuples, which can grow without end; keep objects, which cannot, and where there is room what can be called."""
    kept = frozenset(a for a in value if isinstance(a, Ref | Tensor | Params) or (isinstance(a, Method) and isinstance(a.obj, Ref)))
    own, of_libraries = ({a for a in value if isinstance(a, kind)} for kind in (Func | ClassRef, External))
    # What is followed for a call is never more than a value may hold.
    if len(own) <= WIDTH and len(kept | own | of_libraries) <= 2 * WIDTH:
        return kept | own | of_libraries | UNKNOWN
    if len(kept) <= 2 * WIDTH:
        return kept | UNKNOWN
    for atom in kept:
        owner = atom.obj if isinstance(atom, Method) else atom
        if isinstance(owner, Ref):
            owner.obj.lost = True  # lost from sight: anything may happen to it
    return UNKNOWN


def refs(value: Value | None, *kinds: type[AnyObj]) -> list[AnyObj]:
    """The objects of some kinds that a value can be."""
    return [a.obj for a in value or () if isinstance(a, Ref) and isinstance(a.obj, kinds)]


def tensor_of(value: Value) -> Tensor | None:
    return next((a for a in value if isinstance(a, Tensor)), None)


def constant_of(value: Value) -> Const | None:
    """The one constant that the value is, if it is one."""
    if len(value) == 1:
        (atom,) = value
        if isinstance(atom, Const):
            return atom
    return None


def is_one(value: Value | None) -> bool:
    """Whether a value may be the number 1, as far as the program tells."""
    return any(isinstance(a, Const) and not isinstance(a.value, bool) and a.value == 1 for a in value or ())


def may_be_unknown(value: Value) -> bool:
    return not value or any(isinstance(a, Unknown) for a in value)


@dataclass(slots=True)
class Arguments:
    """Evaluated arguments of a call; `starred` when some came through * or **, `last` is the last positional one where it is known.

    `spread` is what may come so at any other place, or under any name: tensors, and what depends on modules. `of_callers` when all that comes through **
    is what callers out of sight give a function that hands it on.
    """

    positional: list[Value] = field(default_factory=list)
    keywords: dict[str, Value] = field(default_factory=dict)
    starred: bool = False
    last: Value | None = None
    spread: Value = NOTHING
    of_callers: bool = False

    def get(self, position: int, *names: str) -> Value | None:
        for name in names:
            if name in self.keywords:
                return self.keywords[name]
        if 0 <= position < len(self.positional):
            return self.positional[position]
        return None

    def values(self) -> list[Value]:
        return [*self.positional, *self.keywords.values(), *((self.spread,) if self.spread else ())]

    def handed_on(self, positional: list[Value], keywords: dict[str, Value] | None = None) -> Arguments:
        """The arguments of another call, by what comes through * and ** and, unless others are given, by name."""
        return Arguments(positional, self.keywords if keywords is None else keywords, self.starred, spread=self.spread)


def common_names(tuples: Iterable[Tuple]) -> tuple[str, ...]:
    """The names that all of some tuples have for their items; none where one has others."""
    names = {each.names for each in tuples}
    return names.pop() if len(names) == 1 else ()


def exact_items(value: Value) -> list[Value] | None:
    """The elements, one by one, of a sequence that is fully known; of a short text, which may spell what a block is made of, its letters."""
    if len(value) != 1:
        return None
    (atom,) = value
    if isinstance(atom, Const) and isinstance(atom.value, str) and len(atom.value) <= WIDTH:
        return [const(letter) for letter in atom.value]
    if isinstance(atom, Tuple):
        return list(atom.items)
    if isinstance(atom, Ref) and isinstance(atom.obj, List):
        return list(atom.obj.items) if atom.obj.items is not None else None
    return None


def is_text(value: Value) -> bool:
    return bool(value) and all(isinstance(a, Const) and isinstance(a.value, str) for a in value)


def stable(atom: Atom) -> tuple[str, str]:
    match atom:
        case Func():
            return ("Func", atom.function.qualname)
        case ClassRef():
            return ("ClassRef", atom.cls.qualname)
        case Method():
            return ("Method", f"{stable(atom.obj)}{atom.name}")
        case Ref():
            return ("Ref", f"{atom.obj.kind}{atom.obj.name}{atom.obj.qualname} {atom.obj.number:9}")
        case External():
            return ("External", atom.qualname)
    return (type(atom).__name__, "")
