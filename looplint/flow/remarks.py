"""What is remarked beside the graph: events that are judged where they stand, whatever came before them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from looplint.flow.events import Event

if TYPE_CHECKING:
    import libcst as cst

    from looplint.domain.objects import File, Loader
    from looplint.domain.values import EventKey, Outcomes, Value
    from looplint.flow.graph import Guard
    from looplint.syntax import ir


class Remark(Event):
    """Something stands here that no path to it can change. It has no node in the graph, and automata do not see it."""


class Discard(Remark):
    """A tensor's copy on another device or in another type is made, and not used."""

    kind = "discard"
    # The text of the tensor, and the method that copies it.
    receiver: str
    method: str
    # What the copy would have changed.
    changes: Literal["device", "type"]
    # Whether it is a parameter that its module has registered.
    of_parameter: bool = False
    # Whether what reads the tensor next moves it, and keeps that.
    again: bool = False
    # Whether something else in its function goes where it would have gone, and the program keeps that.
    beside: bool = False
    # Whether it would meet a tensor afterwards that is on another device, as far as its function tells.
    meets: bool = False
    # Whether anything that it meets may want it there: a model, a tensor that is there, code out of sight.
    wanted: bool = True


class Shelve(Remark):
    """A list, tuple or dict becomes an attribute of a module, the event's subject."""

    kind = "shelve"
    value: Value
    # The text of the attribute.
    name: str
    # The constructor of the module; None where it has none.
    constructor: ir.Function | None
    # Whether another method mentions the attribute, and whether one hands it out.
    used: bool
    given: bool


class Unready(Remark):
    """A part is given to a module before the constructor of torch's base class has run."""

    kind = "unready"
    # The text of the attribute or call that takes the part.
    part: str
    what: Literal["modules", "parameters"]
    constructor: ir.Function
    # Whether torch's is the only base class, so that its constructor takes no arguments.
    plain: bool


class Unregistered(Remark):
    """A parameter is moved or converted where it is built, and a module, the event's subject, keeps the result."""

    kind = "unregistered"
    # The text of the attribute.
    name: str
    # The call that builds the parameter, and the one that moves or converts it.
    built: cst.CSTNode
    copy: ir.Call
    # What the copy differs in, and to which kind of device it goes, where that is known.
    changes: Literal["device", "type"]
    device: str | None


class Drop(Remark):
    """A forward drops numbers by a function that is not told the mode of the module, the event's subject."""

    kind = "drop"
    # The text of the function, and what the method calls its module.
    what: str
    own: str
    # The argument that gives an attention its rate, and its text; "" where the function is a dropout.
    argument: str = ""
    rate: str = ""
    # Whether the rate is known to be above 0.
    sure: bool = True


class Bypass(Remark):
    """`module.forward(...)` is called in place of the module."""

    kind = "bypass"
    # The text of the module, and the other name that its bound `forward` is called by, if it is.
    receiver: str
    alias: str
    # The function that does it, and whether that is a method of the module's own.
    function: str
    own: bool


class Attach(Remark):
    """Something comes to stand around the calls of a module, its subject, that `forward` alone passes over."""

    kind = "attach"
    what: Literal["hook", "norm", "shards", "compilation"]
    # Whether a method of the module's own puts it there.
    own: bool = False


class Withdraw(Remark):
    """Something is taken out of a container, the event's subject, or all that it holds: `losses.clear()`, `queue.popleft()`, `del losses[0]`."""

    kind = "withdraw"


class Mix(Remark):
    """A state gets other entries than those of its owner: `state["fc.weight"] = weight`, `state.update(other)`."""

    kind = "mix"


class ReadEntry(Remark):
    """An entry of what `torch.load` has read is asked for, by a subscript: `checkpoint["model"]`. It is certain where that is what the base holds."""

    kind = "read-entry"
    entry: str
    # The text of the read.
    text: str
    # The files that it may have been read from.
    files: frozenset[File]


class Spread(Remark):
    """A module is wrapped to compute on several devices. From there on the names in its state begin with that of the wrapper's attribute, `module.`."""

    kind = "spread"


class Transfer(Remark):
    """A part of a batch goes to a device. The subjects are the loaders that the batch may come from."""

    kind = "transfer"
    # The text of what goes there.
    name: str
    # "accelerator", "cpu" or "xla", where that is known.
    device: str | None
    # Whether that is what a test of the machine says: a GPU, or else the CPU.
    chosen: bool
    # Whether the program waits for the copy; None where that is not known.
    waits: bool | None
    # Whether the program has put it into pinned memory by itself.
    pinned: bool


class Fetch(Remark):
    """The value of a forward's result is read, or the program waits for the device explicitly."""

    kind = "fetch"
    # The text of what waits.
    what: str


class Export(Remark):
    """A tensor that may have a graph becomes an array, without `detach()`: `Tensor.numpy()` raises a RuntimeError where it has one."""

    kind = "export"
    # The forwards that it comes from.
    forwards: frozenset[EventKey]


class Differentiate(Remark):
    """The program asks for derivatives by a call that fills no gradients: `torch.autograd.grad(energy, positions)`."""

    kind = "differentiate"
    # The forwards that it goes through.
    forwards: frozenset[EventKey]
    # Whether it begins at what has gone backward, on some path: that of an earlier turn, where it stands above the backward.
    again: bool


class Release(Remark):
    """The device's cached memory is given back."""

    kind = "release"
    # The text of the function that does it.
    what: str


class Show(Remark):
    """A tensor becomes text: it is printed or put into a string."""

    kind = "show"
    # The text of the tensor's expression.
    name: str


class BuildLoader(Remark):
    """A data loader is built."""

    kind = "loader"


class BuildSampler(Remark):
    """A sampler is built."""

    kind = "sampler"


class Drive(Remark):
    """A framework gets a loader to go over: `trainer.fit(model, train, valid)`, or what `train_dataloader()` of its module returns."""

    kind = "drive"
    # Whether it trains on the batches; else it evaluates on them.
    trains: bool


class Seed(Remark):
    """The random numbers of torch start over."""

    kind = "seed"
    # Whether an object out of sight is told it by its own method, which as a rule seeds what that draws: `env.action_space.seed(3)`.
    alone: bool = False
    # What it is told, which changes from turn to turn as a condition does; None where it may not be what shuffles a loader that starts over.
    told: tuple[Guard, ...] | None = None


class Initialize(Remark):
    """Parameters get their first values again."""

    kind = "initialize"


class ResetStatistics(Remark):
    """The running statistics of a batch norm, or of those in a module, are begun anew."""

    kind = "reset-statistics"


class AskPlace(Remark):
    """It is read how far a scheduler has got, or what it makes of that: `scheduler.last_epoch`, `scheduler.get_lr()`."""

    kind = "ask-place"


class AskRate(Remark):
    """The rate that is in force is read, or set: `optimizer.param_groups[0]["lr"]`, `scheduler.get_last_lr()`."""

    kind = "ask-rate"


class SetRate(Remark):
    """The rate of an optimizer is set by hand: `optimizer.param_groups[0]["lr"] = rate`."""

    kind = "set-rate"


class EpochSet(Remark):
    """The epoch of a sampler is set."""

    kind = "set-epoch"


class Outdated(Remark):
    """A name of torch is called that has another one now: `torch.cuda.amp.autocast`."""

    kind = "outdated"
    # The device and the name: "cuda", "autocast".
    device: str
    name: str


class Average(Remark):
    """The mean loss of a batch, or a sum of such, is divided by a number of items or of batches."""

    kind = "average"
    # The texts of both.
    total: str
    divisor: str
    # The loader whose batches are counted; None where items are.
    loader: Loader | None
    # Whether the result is multiplied.
    weighted: bool = False
    # Whether what it is divided by is the number of items of one batch, over which the mean was taken.
    again: bool = False


class Score(Remark):
    """A loss is computed of a prediction of which it matters what it came out of."""

    kind = "score"
    # The loss as a function of torch.nn.functional.
    function: str
    # What the prediction came out of, on each path; empty where that is not known.
    outcomes: Outcomes
    # Whether gradients are on, None where that is not known: where they are off, the loss trains nothing.
    grad: bool | None
    # The forwards that the prediction has in its graph.
    forwards: frozenset[EventKey] = frozenset()


class Objective(Remark):
    """A loss is computed of parameters themselves. The subjects are the modules that hold them, none of tensors alone; of a loss that a module's call
    is in, those parameters that stand by themselves."""

    kind = "objective"


class Entrust(Remark):
    """A call out of sight gets a loss with its graph, or what is computed from one: it may send that backward. The subjects are the modules behind it."""

    kind = "entrust"
