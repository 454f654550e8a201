"""What happens in a program, as the static side knows it: a class for each kind of event, with what is known of such an event.

A rule asks for the events of a class (`program.of(Clear)`) and reads their fields; automata name events by their `kind`, the word that the
recorded side shares. What is only remarked beside the graph is in `looplint.flow.remarks`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from looplint.domain.objects import Container, Data, File, Module, Obj, Scaler, StateDict, TorchModule
from looplint.domain.record import Record
from looplint.domain.tags import Mark, sources_of_batches

if TYPE_CHECKING:
    from collections.abc import Mapping

    import libcst as cst

    from looplint.domain.autocast import Autocast
    from looplint.domain.values import Arguments, EventKey, Tensor, Value
    from looplint.flow.graph import Guard, Loop
    from looplint.flow.kinds import EventKind
    from looplint.syntax.site import Site


class Occurrence:
    """Where an event happens, when and to what: known of every event, and set when the interpreter emits it."""

    # The calling context, the node and the kind: the same for the same event in each turn of the analysis.
    key: EventKey
    site: Site
    # The objects it happens to; empty when they are not known.
    subjects: frozenset[Obj]
    # The loops around it and the conditions on the way to it, outer ones first.
    loops: tuple[Loop, ...]
    guards: tuple[Guard, ...]
    # False when it may also happen to none of the objects.
    certain: bool
    # Whether gradients are recorded there; None where that is not known.
    grad: bool | None
    statement: cst.CSTNode | None
    # The calls that lead to it, from the root on.
    calls: tuple[Site, ...]
    # The function that the interpreter started from.
    root: str
    # The node of the graph; of a remark, the number of nodes that stand before it.
    index: int = -1

    @property
    def chain(self) -> tuple[Site, ...]:
        """The calls that lead to the event, and its own place."""
        return (*self.calls, self.site)


class Event(Record, Occurrence):
    """Something happens to some objects at a place. A subclass is a kind of event; its fields are what it is made with."""

    kind: ClassVar[EventKind]

    @property
    def variant(self) -> str:
        """What tells events of one kind apart where a protocol has to: a backward of a "scaled" loss."""
        return ""

    def __repr__(self) -> str:
        names = ",".join(sorted(o.name or o.kind for o in self.subjects))
        return f"{self.kind}({names}){'' if self.certain else '?'}"


class Construct(Event):
    """A module, an optimizer, a scheduler or a scaler is built."""

    kind = "construct"


class Clear(Event):
    """Gradients are taken away or set to zero: `zero_grad()`, `p.grad = None`."""

    kind = "clear"
    # What it was called with, where it was.
    set_to_none: Value | None = None
    # Whether they are those of an input, as an attack wants them, and of no parameter of a module.
    of_inputs: bool = False


class Forward(Event):
    """A module is called, which is the event's subject."""

    kind = "forward"
    # What its inputs are, as one tensor; None where no tensor is known among them.
    inputs: Tensor | None
    # Whether none of its parameters wants a gradient.
    frozen: bool
    # Whether nothing shows that it has parameters at all, where it is not frozen; or it records no graph itself.
    bare: bool
    # Whether it does the same in every turn of its loop, so that what differs is chance.
    repeated: bool
    # Whether it gets the same data in every turn of a loop that counts, and besides them at most a key made of the number, whoever hands them down.
    fed_again: bool
    # The region of automatic mixed precision it is in.
    autocast: Autocast | None
    # Whether it is in a `with torch.enable_grad()`: its graph is wanted.
    enabled: bool
    # How many of the calls that lead to it are outside the class of the module: the first place where a mode can be set for it.
    outside: int
    # Whether the name, the attribute or the index that is called holds the module itself, and is no function that is given it.
    applied: bool
    # Whether it is a method out of sight that may set modes by itself: one for subclasses to write, or one that evaluates by its name.
    decides: bool
    # Of a module that is one of several, those that it may be there.
    one_of: tuple[Obj, ...]
    # The module before the dot of what is called, `net` of `net.encoder(x)` and of `net.encode(x)`; None where that is none, or is not sure to be one.
    owner: Obj | None

    @property
    def batches(self) -> frozenset[Data]:
        """The loaders whose batches it goes over."""
        return sources_of_batches(self.inputs.tags) if self.inputs is not None else frozenset()

    @property
    def volatile(self) -> bool:
        """Whether an input asks for no graph in the words of torch 0.3."""
        return self.inputs is not None and Mark.VOLATILE in self.inputs.tags

    @property
    def recorded(self) -> bool:
        """Whether an input asks for its graph in the words of torch 0.3."""
        return self.inputs is not None and Mark.RECORDED in self.inputs.tags

    @property
    def of_one_item(self) -> bool:
        """Whether its inputs are made a batch of one item each."""
        return self.inputs is not None and Mark.SINGLE in self.inputs.tags

    @property
    def variant(self) -> Literal["half", ""]:
        return "half" if self.autocast is not None and self.autocast.half else ""


class Backward(Event):
    """Gradients are added to those of the parameters: `loss.backward()`, or what stands for it."""

    kind = "backward"
    # Whether the program sets the gradients itself: `p.grad = g`. Nothing more is known of such a one.
    manual: bool = False
    # Of such a one, the model whose gradients they are, as they are: `shared.grad = p.grad`.
    copied_from: frozenset[Module] = frozenset()
    # Whether these are gradients of an input, or of a copy of parameters, and of no parameter of a module.
    of_inputs: bool = False
    # Whether all that goes backward is known.
    known: bool = False
    # Whether it ends at tensors that the program made of values, and comes to no parameter of a module: `Variable(loss, requires_grad=True)`.
    cut_off: bool = False
    # The forwards whose graphs it goes through.
    forwards: frozenset[EventKey] = frozenset()
    # What goes backward where it comes from parameters alone, and from no forward.
    of_parameters: frozenset[Tensor] = frozenset()
    # Whether a part of its graph was computed from leaves outside of the loop that it is in: it goes through that in each turn.
    reaches_out: bool = False
    # Whether it is the mean over one batch, as a loss function gives it: not divided, and added to nothing.
    mean: bool = False
    # Whether a scaler has multiplied it, on every path or on some, and which scalers did so on every path.
    scaling: Literal["scaled", "maybe-scaled", ""] = ""
    scalers: frozenset[Scaler] = frozenset()
    # What runs it in place of the loss: "accelerator", "engine", "optimizer", "scaler"; "framework", whose site is the hook that gives the loss,
    # or the call of the framework's own.
    via: str = ""
    # None where the value of the argument is not known.
    retain_graph: bool | None = False
    create_graph: bool | None = False
    # Whether it is in a comprehension.
    repeated: bool = False

    @property
    def variant(self) -> str:
        return self.scaling if self.scaling and self.via == "framework" else self.via or self.scaling


class Unscale(Event):
    """A scaler takes its factor out of an optimizer's gradients: `scaler.unscale_(optimizer)`."""

    kind = "unscale"
    # None where a framework does it.
    scaler: Scaler | None = None


class Clip(Event):
    """Gradients are limited: `clip_grad_norm_`, `clip_grad_value_`, `accelerator.clip_grad_norm_`."""

    kind = "clip"
    # Whether it is given all parameters of its subjects, and none are picked from them.
    whole: bool = True
    # Whether a scaler's factor is in the limit, as it is in the gradients.
    scaled: bool = False
    # The dotted names in the limit: a condition on these alone asks whether there is one.
    limit: frozenset[str] = frozenset()


class Step(Event):
    """An optimizer changes the parameters: `optimizer.step()`, `scaler.step(optimizer)`."""

    kind = "step"
    # The scaler through which the optimizer steps.
    scaler: Scaler | None = None
    # Whether it is, or may be, given a function that recomputes the gradients.
    closure: bool = False

    @property
    def variant(self) -> Literal["scaler", ""]:
        return "scaler" if self.scaler is not None else ""


class Update(Event):
    """A scaler adjusts its factor: `scaler.update()`."""

    kind = "update"


class Schedule(Event):
    """A scheduler sets the next learning rate: `scheduler.step()`."""

    kind = "schedule"
    args: Arguments

    @property
    def told(self) -> bool:
        """Whether it is told something, as the epoch or a metric: `scheduler.step(epoch)`, `scheduler.step(epoch=epoch)`."""
        return bool(self.args.positional or self.args.keywords)


class Train(Event):
    """A module is put into train mode."""

    kind = "train"


class Eval(Event):
    """A module is put into eval mode."""

    kind = "eval"
    # Whether a library builds it in that mode, as nobody asked for: `AutoModel.from_pretrained(name)`.
    built: bool = False


class SetMode(Event):
    """A module is put into a mode that is not known: `model.train(was_training)`."""

    kind = "mode"
    # The text of what is called.
    callee: str


class Freeze(Event):
    """The parameters of modules take no gradients from here on: `p.requires_grad = False`, `requires_grad_(False)`."""

    kind = "freeze"


class Thaw(Event):
    """Parameters of modules take gradients again, all or some; with no subjects, those of modules that are not known."""

    kind = "thaw"


class Move(Event):
    """A module changes its device or its type: `to`, `cuda`, `half`, `to_empty`."""

    kind = "move"
    method: str
    args: Arguments
    # "accelerator", "cpu" or "xla", where that is known; `chosen` where it is one or the other, whichever the machine has.
    device: str | None
    chosen: bool
    # The type that floating-point parameters get, as torch names it: "float16"; "" where they keep theirs, None where that is not known.
    dtype: str | None = ""

    @property
    def variant(self) -> str:
        return "unknown" if self.dtype is None else self.dtype or "same"


class Replace(Event):
    """A part of a module, or a parameter, is replaced or added."""

    kind = "replace"
    # The attribute's name, or the index in brackets; empty where a part is added to a sequence.
    attr: str
    # The modules that it is from there on.
    new: tuple[TorchModule, ...]


# What is kept or added up: a tensor for certain, a tensor or a structure of tensors, a tensor of one element on some paths and a number on others, or
# something else on some of them.
Nature = Literal["tensor", "tensors", "number", "mixed"]


class Keep(Event):
    """A tensor with its graph is put into a container that outlives the iteration. The subjects are the modules behind the graph."""

    kind = "keep"
    value: Tensor
    into: Container
    # Whether it takes the place of what was there under the same key.
    slot: bool
    # The loops that the container outlives an iteration of, outer ones first.
    carried: tuple[Loop, ...]
    nature: Nature


class Accumulate(Event):
    """A tensor becomes part of what other iterations added to: `total += loss`. The subjects are the modules behind its graph."""

    kind = "accumulate"
    value: Tensor
    # The text of what it is added to.
    target: str
    # The loops that the sum outlives an iteration of, outer ones first.
    carried: tuple[Loop, ...]
    nature: Nature
    # A sum, a running average (`mean = 0.9 * mean + 0.1 * loss`), or a tensor with a place for each (`losses[i] = loss`).
    form: Literal["sum", "average", "tensor"] = "sum"


class Snapshot(Event):
    """A state dict is taken, which is the event's subject."""

    kind = "snapshot"


class Save(Event):
    """Something is written to a file: `torch.save`."""

    kind = "save"
    # The keys of the dict that is written, but for those of a state itself, with the states that they stand for; None where they are not known.
    entries: Mapping[str, frozenset[StateDict]] | None
    # The state dicts that are written, and those of which some entries are, by a condition on each.
    states: frozenset[StateDict]
    parts: frozenset[StateDict]
    # The calls that lead to the innermost running function that has made all that is written: each call of it begins with nothing.
    # None where no function has made all of it.
    made_in: tuple[Site, ...] | None
    # The innermost loop of which each iteration makes anew all that is written, and every state in it goes by no name of its own.
    made_each: Loop | None = None
    # Those of which each turn of a loop adds one to a container, with the container, out of which one is taken by a key.
    picked: frozenset[tuple[StateDict, Container]] = frozenset()


class Load(Event):
    """A state is read from a file, or given back to an object."""

    kind = "load"


class ReadFile(Load):
    """A file is read: `torch.load`."""

    file: File
    # Whether the call says onto which device.
    map_location: bool


class LoadState(Load):
    """An object is given a state: `load_state_dict`."""

    # The state dicts that it is given, and the files that what it is given was read from.
    states: frozenset[StateDict]
    files: frozenset[File]
    # Those of which each turn of a loop adds one to a container, with the container, out of which one is taken by a key.
    picked: frozenset[tuple[StateDict, Container]] = frozenset()


class Switch(Event):
    """A setting of PyTorch gets a value; one that is not known may be an option and counts as off."""

    kind = "switch"
    setting: str
    on: bool

    @property
    def variant(self) -> str:
        return f"{self.setting} {'on' if self.on else 'off'}"


class MakeIterator(Event):
    """An iterator over parameters is made, and kept under a name or as an attribute: `params = net.parameters()`."""

    kind = "iterator"


class Exhaust(Event):
    """An iterator over parameters is gone through to its end, and gives none from there on."""

    kind = "exhaust"
    # What goes through it.
    by: Literal["optimizer", "clip", "loop"]
    # The text of what is gone through, a name or an attribute; "" where it is written otherwise.
    given: str = ""


class Copy(Event):
    """The objects are copies that a loop makes anew in each turn, in whatever state their originals are: no code out of sight has them."""

    kind = "copy"


class Escape(Event):
    """The objects reach code that cannot be followed, and may be in any state from there on."""

    kind = "escape"
    # The text of what is called.
    callee: str
    # Whether only what the objects put out is passed on: it may be sent backward, and nothing else can happen to them.
    output: bool = False
    # The forwards that the output comes from.
    forwards: frozenset[EventKey] = frozenset()
    # Those objects that are reached only as what the object keeps whose method it is: `self.update()` of a base out of sight.
    kept: frozenset[Obj] = frozenset()
    # Whether what is called restores a state, by its name.
    restores: bool = False
    # The forwards whose graphs lie in what is passed on, in objects too; None where that is not known, or something is made of it.
    graphs: frozenset[EventKey] | None = None

    @property
    def variant(self) -> Literal["output", "restoring", ""]:
        return "output" if self.output else "restoring" if self.restores else ""
