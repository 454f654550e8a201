"""Abstract objects: a class for each kind of thing that a training program builds, with what is known of one.

An object is an allocation site in a calling context. A field whose default stands in the class costs nothing until it is set.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Literal, TypeVar

from looplint.domain.slots import Journal, Slots

if TYPE_CHECKING:
    import libcst as cst

    from looplint.domain.values import Arguments, ClassRef, Const, Value
    from looplint.flow.graph import Guard, Loop
    from looplint.syntax import ir
    from looplint.syntax.project import ModuleInfo

Unit = Literal["steps", "epochs", "validations"]
_NO_VALUES: Mapping[str, Value] = MappingProxyType({})
_NO_DEFAULTS: Mapping[str, int] = MappingProxyType({})
_NONE_APPENDED: Mapping[tuple[int, object], Value] = MappingProxyType({})


_journal = Journal()


def number_anew() -> Journal:
    """An analysis begins: what came before it has no part in the numbers of its objects, nor in what is noted of them."""
    global _journal
    _journal = Journal()
    return _journal


class Obj:
    """An abstract object; what every kind of object has."""

    __slots__ = (
        "__dict__", "also_in", "cls", "heap", "key", "loops", "lost", "made_under", "many", "merged", "name", "node", "number", "one_of", "outlives", "parent", "qualname", "source",
        "symbolic",
    )  # fmt: skip

    # The kind in the words of the knowledge tables.
    kind: ClassVar[str] = "object"
    # The class of the project that it is an instance of.
    cls: ClassRef | None
    # Whether code that cannot be followed got hold of it.
    lost: bool
    # Whether such code got to see it, whatever kind of object it is.
    shown: bool = False
    # Whether the caller of a function that was followed alone has it afterwards, and may do anything with it then.
    outlives: bool
    # The files of which it may have been read whole, to which an earlier run has pickled it.
    unpickled: frozenset[File] = frozenset()
    # The object that it is a deep copy of.
    original: Obj | None = None
    # What its attributes and elements can hold.
    heap: Slots
    # Calling context, allocation site, and what else tells it from other objects.
    key: object
    # The loops around the place that builds it; None where it is not built in sight.
    loops: tuple[Loop, ...] | None
    # Whether it stands for many objects at a time.
    many: bool
    # The object that stands for it, and for what other branches build, after they join.
    merged: Obj | None
    # How many calls were under way, when it was first met, of which it was not certain where they go.
    candidates: int = 0
    # What the program calls it.
    name: str
    # When in the analysis it was first met; its hash, so that no order rests on an address.
    number: int
    # The expression that builds it.
    node: cst.CSTNode | None
    # The conditions under which it is built.
    made_under: tuple[Guard, ...]
    # The file in which that stands.
    source: ModuleInfo | None
    # The objects of several branches, of which it is one.
    one_of: tuple[Obj, ...]
    # The module that it is part of.
    parent: Obj | None
    # Those that it became part of later.
    also_in: tuple[Obj, ...]
    # The parts of it, and of its parts, that another module had before: `nn.Sequential(net.features, nn.Flatten())`.
    borrowed: frozenset[Obj] = frozenset()
    # The modules that have such parts from it.
    lent_to: frozenset[Obj] = frozenset()
    # What a library calls its class or the function that built it.
    qualname: str
    # Whether it comes from outside the analysed code: its role is inferred from its use.
    symbolic: bool

    def __init__(self, key: object, name: str = "", *, qualname: str = "", cls: ClassRef | None = None) -> None:
        self.number = _journal.number()
        self.key = key
        self.name = name
        self.qualname = qualname
        self.cls = cls
        self.heap = Slots(self.number, _journal)
        self.parent = None
        self.also_in = ()
        self.node = None
        self.made_under = ()
        self.source = None
        self.loops = None
        self.one_of = ()
        self.merged = None
        self.symbolic = False
        self.many = False
        self.lost = False
        self.outlives = False

    def __hash__(self) -> int:
        return self.number

    def __repr__(self) -> str:
        return f"{self.kind}:{self.name or self.qualname}"

    @property
    def escaped(self) -> bool:
        """Whether code that is not followed may do something with it, while the function runs or afterwards."""
        return self.lost or self.outlives

    def lineage(self) -> Iterable[Obj]:
        """The object and the modules that contain it, or of which one is what contains it."""
        further: tuple[Obj, ...] = ()
        for each in self.first_lineage():
            yield each
            further += each.also_in
        for whole in further:
            yield from whole.lineage()

    def first_lineage(self) -> Iterable[Obj]:
        """The same by the module that each became part of first."""
        # What was met behind the first such object: only there a way may lead back.
        met: set[Obj] | None = None
        here: Obj | None = self
        while here is not None and (met is None or here not in met):
            if met is not None:
                met.add(here)
            yield here
            here = here.parent
            if here is not None and here.merged is not None:
                ways = [here, *here.joined_with()]
                met = {*(met or ()), *ways}
                yield from ways
                here = ways[-1].parent  # what contains all of them

    def joined_with(self) -> list[Obj]:
        """The objects that are this one or another, after the branches that built them have met."""
        found: list[Obj] = []
        here = self.merged
        while here is not None and here not in found and here is not self:
            found.append(here)
            here = here.merged
        return found


AnyObj = TypeVar("AnyObj", bound=Obj)


# -- what trains


class Optimizer(Obj):
    """An optimizer: its step applies the gradients of the parameters it holds."""

    kind = "optimizer"
    # The modules whose parameters it was given.
    holds: frozenset[Obj] = frozenset()
    # Whether it was given all of their parameters, and nothing else.
    exact: bool = False
    # Whether it was given nothing but tensors of the program's own: an image, a latent code.
    of_tensors: bool = False
    # Whether it may hold such tensors: where it is either of several, one of them does.
    with_tensors: bool = False
    # Whether it was given either of several things.
    alternatives: bool = False
    # Whether parameter groups were added after it was built.
    extended: bool = False
    # The text of its learning rate.
    rate: str = ""
    # Whether its step may clear the gradients too: code that cannot be followed built it, of nothing that tells.
    may_clear: bool = False
    # Whether it keeps something between its steps, such as momentum.
    stateful: bool = False
    # Whether a scaler has to unscale its gradients: those of torch do not divide them in their step, as fused ones do.
    needs_unscaled: bool = False
    # Whether the program gets at what it keeps: `optimizer.state`.
    state_asked: bool = False
    # Whether it is of a class of the program, and makes its steps with another optimizer that it keeps.
    steps_by_inner: bool = False
    # Whether its step uses gradients, or may: that of a class of the program may change parameters by their values alone.
    uses_gradients: bool = True


class Scheduler(Obj):
    """A learning-rate scheduler."""

    kind = "scheduler"
    # The optimizer whose learning rate it sets; None where it is not built in sight.
    optimizer: Value | None = None
    # What one of its steps counts; None where nothing tells.
    unit: Unit | None = None
    # Whether it is one of torch's own, or of a class that derives from one.
    of_torch: bool = False
    # The number that it is built to count to.
    horizon: Const | None = None
    # And the text of it.
    counts_to: str = ""
    # The number of steps after which it ends, where no setting says otherwise.
    usual_end: int | None = None
    # The last of the milestones that are known as numbers.
    milestone: int | None = None
    # Whether it is built to end after as many steps as there are batches, undivided.
    ends_with_batches: bool = False
    # Whether it is built to end after as many steps as one loader has batches: `T_max=len(loader)`.
    ends_with_an_epoch: bool = False
    # Whether another scheduler was built around it, which steps it.
    wrapped: bool = False
    # Whether it gives the same learning rate throughout.
    constant: bool = False
    # What each of its steps multiplies the rate by, where that is one number.
    factor: float | None = None
    # Whether it leaves the rate as it is at first, and changes it at some of its later steps alone.
    in_stairs: bool = False
    # Whether it warms up, as it is named: the first rate is next to none.
    warms_up: bool = False
    # Whether its arguments may define where its schedule begins: `last_epoch`, or a name or value of where training is resumed.
    given_start: bool = False


class Scaler(Obj):
    """A gradient scaler."""

    kind = "scaler"
    # The argument that switches it on or off, if there is one.
    enabled: Value | None = None
    # And its expression.
    switch: ir.Expr | None = None
    # The condition that it is a name of: `use_amp = args.amp and on_gpu`.
    condition: ir.Expr | None = None


class Accelerator(Obj):
    """An accelerator of accelerate, or a Fabric."""

    kind = "accelerator"
    # Over how many batches it adds gradients up in its `accumulate()`, where it was told.
    accumulates: Value | None = None


class Engine(Obj):
    """A DeepSpeed engine: model and optimizer in one."""

    kind = "engine"
    # The model that it is given: its layers are those of the engine.
    model: Value = frozenset()
    # Nothing: the gradients that it applies are those of its own parameters.
    holds: frozenset[Obj] = frozenset()
    # As of an optimizer.
    exact: bool = False


# -- what is trained


class TorchModule(Obj):
    """What is a module to torch, whatever else it is."""

    # Whether torch's own constructor has run, so that it can take parts; None where nothing tells.
    ready: bool | None = None
    # Whether its parameters take no gradient, unless an option alone says so.
    frozen: bool = False
    # The tensors that are set as its attributes and have a graph that others' parameters are in: `decoder.hidden = encoder(x)`.
    fed: Value = frozenset()
    # The modules that took it as a part after they were built.
    joined: frozenset[Obj] = frozenset()
    # Whether its class is known to get parameters from what its attributes hold alone.
    in_sight: bool = False
    # The attributes that its constructor gives numbers, texts or flags.
    settings: frozenset[str] = frozenset()
    # Whether it is a parameter whose first values are written in the program, or a module whose methods draw none.
    constant: bool = False


class Module(TorchModule):
    """A model, a layer, a container of layers, or a single parameter."""

    kind = "module"
    # The function that nobody calls to which it is handed in, and which only keeps it, by the name of the root; "" for any other.
    handed_to: str = ""
    # What it was built from.
    arguments: Arguments | None = None
    # Whether what it computes itself, its parts aside, differs between train and eval mode; "" where only its name tells.
    modal: Literal["yes", "no", "maybe", ""] = ""
    # What the program sets the rate of its dropouts to, as it goes over all of its parts: 0 ("off"), or something else at some place.
    dropouts: Literal["", "off", "other"] = ""
    # The attributes that its forward may read; None where that is not known.
    reads: frozenset[str] | None = None
    # Whether its running statistics are those of the last batch alone: a norm with `momentum=1`.
    of_one_batch: bool = False
    # Whether what it computes itself, its parts aside, needs gradients: its forward differentiates something.
    differentiates: bool = False
    # Whether it enables them itself for all that it differentiates: they may be off around it.
    enables_gradients: bool = False
    # The functions that were running when it was built, outermost first.
    made_in: tuple[ir.Function, ...] = ()
    # Whether it is a part, met by its name only, of a module whose class is not known.
    part: bool = False
    # Whether it is a part that is a method which the class in its owner's annotation leaves to subclasses.
    left_open: bool = False
    # Whether it is a parameter by itself.
    parameter: bool = False
    # How many parts a container has; None where that is not known, or it is none.
    length: int | None = None
    # Where it has parts whose number is not known: what was put at its end last; None where that is not known either.
    last: Value | None = None
    # The losses that straight-line code has put at its end, by the calls that did.
    losses: Mapping[tuple[int, object], Value] = _NONE_APPENDED
    # Whether another module has it among its parts.
    registered: bool = False
    # Whether the constructor of the module that it is part of built it: it is in train mode as soon as that module is built.
    assembled: bool = False
    # Whether its forward hands on what an earlier call of it has left on the object.
    carries: bool = False
    # The type that its floating-point parameters are built with, as torch names it; "" where it is torch's default, None where that is not known.
    dtype: str | None = ""
    # Whether the program puts other numbers in the place of its parameters': `p.data = p.data.float()`.
    refilled: bool = False
    # Whether the program calls its `parameters()`.
    parameters_read: bool = False
    # The conditions under which it does, at each place.
    parameters_read_under: tuple[tuple[Guard, ...], ...] = ()
    # Whether code that cannot be followed got hold of it, inside of a module too.
    handed_over: bool = False
    # Whether it was scripted or traced.
    compiled: bool = False
    # Whether its parameters are spread over the processes, each of which has a part of them and of their gradients.
    sharded: bool = False
    # Whether the program puts it into train or eval mode by itself: it is a module, and no method.
    switched: bool = False
    # Whether an accelerator has taken it, and placed it on its device.
    prepared: bool = False
    # Whether a library's wrapper keeps it as the average of a model's weights: it has the methods that move it towards those.
    averaging: bool = False
    # Whether code that cannot be followed built it, so that all that tells it is a module is its use.
    foreign: bool = False
    # Modules with which it may share parts: code that cannot be followed was given the one when it built the other.
    shares_with: frozenset[Module] = frozenset()
    # The class of the program that an annotation says it is of, where nothing else tells: a subclass may be meant, and has its methods.
    declared: ClassRef | None = None
    # The class of the program as which a framework has restored it that trains it by the hooks of the class: `Net.load_from_checkpoint(path)`.
    restored: ClassRef | None = None
    # Whether a framework drives it: the object whose hooks it calls.
    driven: bool = False
    # What its `configure_optimizers` returned.
    configured: Value = frozenset()


class Loss(TorchModule):
    """A loss function that is an object."""

    kind = "loss"
    # The argument that says how it reduces, if there is one.
    reduction: Value | None = None
    # What it was built from.
    arguments: Arguments | None = None


class FrameworkModule(TorchModule):
    """An instance of a class that a framework drives: it runs the loop, and calls the hooks of the class."""

    kind = "framework"


class DerivedTrainer(FrameworkModule):
    """An instance of a class that derives from transformers' Trainer: what it does not override is known."""

    kind = "derived-trainer"


class FrameworkObject(Obj):
    """An object of a framework that runs the loop itself, such as a Trainer."""

    kind = "framework-object"
    # Whether what it is built from says that it trains for one epoch at most.
    one_epoch: bool = False
    # Whether it is told to train in several processes, so that it gives each training loader a sampler that shuffles.
    gives_samplers: bool = False
    # Whether a function is among it that says what is done with a batch.
    updates: bool = False


class ParameterIterator(Obj):
    """An iterator over parameters that an assignment keeps, as `params = net.parameters()` does: it can be gone through once."""

    kind = "iterator"
    # Whether what it goes over is chosen as it does so: `filter(lambda p: p.requires_grad, net.parameters())`.
    chooses: bool = False


# -- what it is trained on


class Data(Obj):
    """What yields the data to train on."""

    # What it was built from.
    arguments: Arguments | None = None
    # Whether a loop sets or calls something of it.
    changing: bool = False


class Dataset(Data):
    """A dataset."""

    kind = "dataset"
    # How many items it has; None where the program does not say.
    length: int | None = None
    # Whether it is made of random numbers, each item by itself: their order means nothing.
    made_up: bool = False


class Loader(Data):
    """A data loader: what yields batches."""

    kind = "loader"
    # The arguments of torch's DataLoader that it was given, by their names.
    options: Mapping[str, Value] = _NO_VALUES
    # Whether `options` are all of its arguments.
    complete: bool = False
    # In which order it goes over its dataset; None where nothing tells.
    order: Literal["as stored", "given"] | None = None
    # The text of its sampler, where that is None unless several processes share the data, and mixes it then: else it goes over them as stored.
    mixed_by: str = ""
    # Whether its dataset gives items by their index, or only goes on; None where nothing tells.
    style: Literal["map", "iterable"] | None = None
    # Whether its dataset mixes its items when it is built.
    mixed_once: bool = False
    # Whether its dataset draws its items at random then.
    drawn_once: bool = False
    # Whether its dataset is seen to be made of random numbers, each item by itself.
    of_noise: bool = False
    # Whether its dataset reads, decodes or computes an item on each access.
    makes_items: bool = False
    # Whether a framework goes over it in its own way.
    prepared: bool = False


class Sampler(Obj):
    """A sampler: the order in which a loader goes over its dataset."""

    kind = "sampler"
    # Whether it draws another order for each epoch number that is set.
    by_epoch: bool = False
    # Whether it draws from a seed that is another one in each process.
    seed_by_rank: bool = False
    # Whether it is a distributed one that repeats items until each process has as many.
    pads: bool = False


# -- what is kept


class StateDict(Obj):
    """A state dict, as taken in one place."""

    kind = "state"
    # The object whose state it is.
    owner: Obj
    # Whether the program puts the tensors of its entries back into it from the CPU.
    on_cpu: bool = False
    # The loops that were running when the object was built, or got the name by which the state is taken.
    owned_since: tuple[Loop, ...] = ()


class File(Obj):
    """What `torch.load` read in one place."""

    kind = "file"
    # Whether the program's words say that it holds published weights.
    published: bool = False
    # The entries that the program reads.
    keys: frozenset[str] = frozenset()
    # Whether the program takes from it where to go on.
    continues: bool = False
    # Whether what it holds is put into a mode: a whole module.
    holds_module: bool = False
    # Whether what it holds is moved to the CPU, on every machine.
    goes_to_cpu: bool = False


class Disk(Obj):
    """What all files are kept on; one for the whole program."""

    kind = "disk"


class Settings(Obj):
    """What the settings of a library, or a seed, belong to; one for the whole program."""

    kind = "settings"


# -- everything else


class Container(Obj):
    """A list or a dict."""

    # Whether it is changed after the expression that makes it, in another way than the fields below can follow.
    changed: bool = False
    # Whether a function that nobody calls returns it.
    leaves: bool = False
    # Whether it holds no more than so many items, and drops the oldest for new ones.
    bounded: bool = False


class List(Container):
    """A list, set or deque."""

    kind = "list"
    # What `items` gives.
    _items: tuple[Value, ...] | None = None
    # Where they are not: what was put at its end last; None where that is not known either.
    last: Value | None = None
    # Whether the expression that makes it was followed before.
    evaluated: bool = False
    # Its items before the first `append`.
    display: tuple[Value, ...] | None = None
    # What each call of `append` in straight-line code added.
    appended: Mapping[tuple[int, object], Value] = _NONE_APPENDED

    @property
    def items(self) -> tuple[Value, ...] | None:
        """Its items, one by one; None where they are not all known."""
        self.heap.look()
        return self._items

    @items.setter
    def items(self, items: tuple[Value, ...] | None) -> None:
        if items != self._items:
            self.heap.change()
        self._items = items


class Dict(Container):
    """A dict: the heap has an entry under `=key`, and all of them under `[]`."""

    kind = "dict"
    # Whether all of its entries are known as long as it is not changed.
    exact: bool = False
    # Whether a condition on each entry decides what is put in: `{k: v for k, v in state.items() if k.startswith("head")}`.
    picks: bool = False
    # Whether its entries are its attributes as well: `Munch(generator=generator).generator`.
    by_attribute: bool = False
    # Whether it is the `**kwargs` of a function, and what nothing in sight puts in comes from callers out of sight.
    of_callers: bool = False
    # Whether it is the `**kwargs` of a function in one context: nothing else fills it than the call and the function.
    of_call: bool = False


class Instance(Obj):
    """An instance of a class that means nothing to a training loop by itself."""

    kind = "instance"


class Options(Obj):
    """A parser of the command line, and what it parses: the heap has the options whose defaults tell something."""

    kind = "options"
    # The names of all options that it was told of.
    declared: frozenset[str] = frozenset()
    # The whole numbers that some of them are where the command line has no other.
    defaults: Mapping[str, int] = _NO_DEFAULTS
    # Whether it was told of options one by one, each by a name that the text has, and of nothing else.
    plain: bool = True


class Generator(Obj):
    """An iterator that a call of a generator function makes: the heap has the function under `()` and its arguments under `=name`."""

    kind = "generator"


class Writer(Obj):
    """A logger: what it is given, it keeps."""

    kind = "writer"


class Metric(Obj):
    """A metric: it adds up what its `update` is given."""

    kind = "metric"


class Distribution(Obj):
    """A distribution of torch.distributions."""

    kind = "distribution"


# The classes by the kinds that the knowledge tables and the roles name.
KINDS: dict[str, type[Obj]] = {
    c.kind: c
    for c in (
        Optimizer, Scheduler, Scaler, Accelerator, Engine, Module, Loss, FrameworkModule, DerivedTrainer, FrameworkObject, ParameterIterator, Dataset, Loader, Sampler,
        StateDict, File, Disk, Settings, List, Dict, Instance, Options, Generator, Writer, Metric, Distribution,
    )
}  # fmt: skip
