"""What the interpreter notes beside the graph of events: a class for each reader.

`Uses`, `GradientAccess` and `Flags` are for rules; `Reached` tells which code was followed; `Applications`, `Heap`, `Agenda` and `Evidence` are the
interpreter's own memory.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import libcst as cst

    from looplint.domain.call_string import CallString
    from looplint.domain.objects import Generator, Obj, StateDict
    from looplint.domain.values import Arguments, EventKey, Func, Value
    from looplint.flow.graph import Loop
    from looplint.syntax import ir
    from looplint.syntax.project import ModuleInfo
    from looplint.syntax.site import Site

K = TypeVar("K")
V = TypeVar("V")


class Uses:
    """What becomes of what forwards put out: the keys of the forwards, and of what keeps and adds up their results."""

    def __init__(self) -> None:
        # A loss, a metric or a number is computed from it.
        self.scored: set[EventKey] = set()
        # It leaves torch as plain numbers: an array, a list.
        self.fetched: set[EventKey] = set()
        # It becomes an array without `detach()`, which torch refuses where there is a graph: there is none, whatever the model may be.
        self.graphless: set[EventKey] = set()
        # It is compared with something: with a target by a loss, with labels by `==`.
        self.compared: set[EventKey] = set()
        # It is cut from its graph by `detach()`.
        self.detached: set[EventKey] = set()
        # It goes backward.
        self.trained: set[EventKey] = set()
        # What goes backward is computed from it, with its graph or without: predictions that are another one's targets.
        self.supervising: set[EventKey] = set()
        # Its values are put into a new tensor that asks for gradients, or into a `Variable`: the graph ends there.
        self.cut_off: set[EventKey] = set()
        # `torch.autograd.grad` goes through it, or code out of sight may that was handed the function which returns it.
        self.differentiated: set[EventKey] = set()
        # Those of them that code out of sight may differentiate, at a place that is not known.
        self.differentiated_elsewhere: set[EventKey] = set()
        # It is differentiated by tensors that are no parameters.
        self.attacked: set[EventKey] = set()
        # A function that nobody in sight calls returns it with its graph, or leaves it in its object: its callers may send it backward.
        self.handed_on: set[EventKey] = set()
        # It lies with its graph in an object that code out of sight gets, which may send it backward, or make a loss of it.
        self.lent: set[EventKey] = set()
        # Keeps and sums whose tensors go backward.
        self.going_backward: set[EventKey] = set()
        # Sums that start from what a forward put out: an output in the making, no record of the iterations.
        self.added_to_outputs: set[EventKey] = set()
        # The events that hand what has a graph to code out of sight which makes a loss of it by its name, or something of which a loss is computed in sight.
        self.made_into_a_loss: set[EventKey] = set()
        # The forwards of which code out of sight has made something, by the events that handed it what they put out.
        self.made_out_of_sight: dict[EventKey, frozenset[EventKey]] = {}

    def compare(self, origins: Iterable[EventKey]) -> None:
        """What forwards put out is compared with something, and that is a number which tells of them."""
        self.scored.update(origins)
        self.compared.update(origins)

    def make_into_a_loss(self, handed_over: Iterable[EventKey], forwards: frozenset[EventKey]) -> None:
        """A loss is computed of what code out of sight has made, and goes through the graph of which it has made it: that was not sent backward there.

        Args:
            handed_over: the events that handed something to such code.
            forwards: those in the graph of the loss.
        """
        for key in handed_over:
            of = self.made_out_of_sight.get(key, frozenset())
            if not of or not of.isdisjoint(forwards):
                self.made_into_a_loss.add(key)


class GradientAccess:
    """Which gradients the program reads or changes by itself."""

    def __init__(self) -> None:
        # The modules whose gradients are read, and whether gradients are whose module is not known.
        self.read: frozenset[Obj] = frozenset()
        self.read_unknown = False
        # The same of those that are read to be applied, as far as one can tell: not to be measured or changed in place.
        # Each with the calling context in which that is done.
        self.applied_at: frozenset[tuple[Obj, CallString]] = frozenset()
        self.applied_unknown = False
        # The modules whose parameters the program steps by them, with no optimizer, as the form of a statement tells.
        self.stepped: frozenset[Obj] = frozenset()
        # Those whose parameters are given values that the program computes.
        self.written: frozenset[Obj] = frozenset()
        # The loops in which the gradient of a tensor is read that is no parameter: it is what their backwards are for.
        self.read_of_tensors: set[Loop] = set()
        # Whether what is evaluated measures the gradients that it comes by, or changes them in place.
        self.measures = False
        # The modules whose gradients are multiplied, divided or overwritten.
        self.scaled: frozenset[Obj] = frozenset()

    @property
    def applied(self) -> frozenset[Obj]:
        """The modules whose gradients are read to be applied."""
        return frozenset(obj for obj, _ in self.applied_at)

    @contextmanager
    def unread(self) -> Iterator[None]:
        """Evaluate what makes no use of the gradients that it comes by."""
        before = self.read, self.read_unknown, set(self.read_of_tensors)
        with self.unapplied():
            try:
                yield
            finally:
                self.read, self.read_unknown, self.read_of_tensors = before

    @contextmanager
    def unapplied(self) -> Iterator[None]:
        """Evaluate what measures the gradients that it comes by: it is no step."""
        before = self.applied_at, self.applied_unknown, self.measures
        self.measures = True
        try:
            yield
        finally:
            self.applied_at, self.applied_unknown, self.measures = before

    @contextmanager
    def changed(self) -> Iterator[None]:
        """Evaluate what changes the gradients that it comes by in place: it is no step, and takes nothing of them elsewhere."""
        before = set(self.read_of_tensors)
        with self.unapplied():
            try:
                yield
            finally:
                self.read_of_tensors = before


class Flags:
    """What holds for the whole program because it stands somewhere in it."""

    def __init__(self) -> None:
        # The program gives a parameter group its learning rate itself.
        self.sets_rates = False
        # A module's move gives it new parameters: `torch.__future__.set_overwrite_module_params_on_conversion(True)`.
        self.overwrites_params = False
        # New tensors go to an accelerator whatever machine the program runs on, or it imports what runs on nothing else.
        self.needs_accelerator = False
        # Whether something goes to a GPU under no condition that asks for one.
        self.goes_to_gpu = False
        # The objects that are one of several and in whose methods something does.
        self.on_gpu: set[Obj] = set()
        # The states of modules that are spread over processes are taken as copies on the CPU.
        self.states_on_cpu = False
        # The type of autocast is set by a separate call.
        self.sets_autocast_dtype = False
        # Each gradient is used as soon as it is there: https://docs.pytorch.org/tutorials/intermediate/optimizer_step_in_backward_tutorial.html
        self.steps_in_backward = False
        # Tensors take the place of parameters, whose gradients go to what the tensors were made of: `module._parameters["weight"] = fast_weight`.
        self.replaces_parameters = False


class Ending:
    """An expression that raises, and ends the path of a function that may train behind it."""

    def __init__(self, function: ir.Function, expr: ir.Expr) -> None:
        self.function = function
        self.expr = expr
        # Whether it ends a branch alone that would not train, and the path beside that goes on to what stands behind.
        self.passed = False


class Reached:
    """Which code some path reaches."""

    def __init__(self) -> None:
        self.functions: dict[ir.Function, None] = {}
        # Functions of other files that are followed with this file's objects, as "file::qualified name", with the call that does so where it is one.
        self.elsewhere: dict[str, CallString | None] = {}
        # The calls in other files that were not followed for their size, where what is called trains or evaluates, and those that were.
        self.left: dict[cst.CSTNode, Site] = {}
        self.entered: dict[cst.CSTNode, None] = {}
        # Of a method where following began, by the root's name: where a base class calls it.
        self.by_bases: dict[str, Site] = {}
        # The names of the roots that end with gradients off, or perhaps off: what is called after them finds them so.
        self.ending_without_gradients: set[str] = set()
        # The calls of `backward` and `step`, whatever they turned out to be.
        self.gradient_calls: dict[ir.Call, None] = {}
        # Of a call by the name of a backward: whether it goes to functions of the program alone that call nothing which goes backward.
        self.only_called_so: dict[ir.Call, bool] = {}
        # Of a function in which a call does not fit what it calls, or an attribute is read that nothing sets: what is wrong with the first one.
        self.misfits: dict[ir.Function, str] = {}
        # The same where only a branch comes to it, and the path beside that goes on: what it says of the function is no more than that.
        self.misfits_aside: dict[ir.Function, str] = {}
        # Those of these behind which something may train: it may not be in sight.
        self.endings: list[Ending] = []
        # The calls to which some path has come since one of these was met.
        self.behind: set[ir.Call] = set()

    def misfit(self, function: ir.Function) -> str | None:
        """What is wrong in a function with a call that does not fit: with one to which all paths come, if there is any."""
        return self.misfits.get(function) or self.misfits_aside.get(function)

    def mark(self) -> tuple[int, int, int, int]:
        """How much has been reached so far."""
        return len(self.functions), len(self.elsewhere), len(self.gradient_calls), len(self.entered)

    def forget(self, mark: tuple[int, int, int, int]) -> None:
        """Take back what was reached after a mark."""
        _shorten(self.functions, mark[0])
        _shorten(self.elsewhere, mark[1])
        _shorten(self.gradient_calls, mark[2])
        _shorten(self.entered, mark[3])
        self.behind.clear()


def _shorten(reached: dict[K, V], length: int) -> None:
    for key in [*reached][length:]:
        del reached[key]


class Applications:
    """With what modules are called, and what their forwards return."""

    def __init__(self) -> None:
        self.arguments: dict[EventKey, Arguments] = {}
        # By the module, the call and the constants among its arguments.
        self.results: dict[object, Value] = {}
        # The attributes of their objects to which forwards give something that is computed.
        self.leaving: dict[ir.Function, frozenset[str]] = {}
        # By the module, the call and the attribute: what the forward leaves there.
        self.left: dict[object, Value] = {}
        # The forwards that made what a function of the program returns with a graph; and those behind what a single call of one returns.
        self.returned: dict[ir.Function, set[EventKey]] = {}
        self.returned_by_call: dict[CallString, set[EventKey]] = {}
        # The modules whose forwards the program has put in the place of those of others, by these others.
        self.borrowed: dict[Obj, frozenset[Obj]] = {}
        # The calls of methods that a base leaves to its subclasses, some of which go backward there.
        self.left_to_some_that_train: set[CallString] = set()


class Heap:
    """The abstract objects by allocation site and calling context."""

    def __init__(self) -> None:
        self.objects: dict[object, Obj] = {}
        # The loops that were running when an attribute, of an object by its identity, was last set other than by adding to it.
        self.born: dict[tuple[int, str], tuple[Loop, ...]] = {}


class Agenda:
    """What may run later and is followed after everything else."""

    def __init__(self) -> None:
        # Values with functions that were passed to code which may call them.
        self.values: list[Value] = []
        # The functions among them, and those of objects that can be called, that are handed to code which may differentiate what they return.
        self.handed_out: dict[ir.Function, None] = {}
        # Generators from which no item was taken yet.
        self.generators: dict[Generator, Func] = {}


class Evidence:
    """What the text tells of names, looked up once; for the roles of objects that come from outside."""

    def __init__(self) -> None:
        # The states that names of a frame are meant to keep, where they stand for the model itself.
        self.kept: dict[tuple[CallString, str], StateDict] = {}
        # The assignments of another name in branches that remember a better value, by identity.
        self.of_better: set[int] = set()
        # What tests stand for that call a function, or ask for a property, by the identities of both.
        self.conditions: dict[tuple[int, int], ir.Expr | None] = {}
        # How values are used, by the function or class in which they have a name.
        self.usage: dict[tuple[object, ...], dict[str, ir.Usage]] = {}
        # The functions of a module that use a name, by the module's body.
        self.users: dict[ir.Function, dict[str, list[ir.Function]]] = {}
        # The names that functions bind.
        self.bound: dict[ir.Function, set[str]] = {}
        # Names that code which is not analysed binds, and what their use says that they hold: None where it says nothing.
        self.names: dict[tuple[str, str, str], Value | None] = {}
        # The modules of which the program takes members by names that are not known.
        self.tables: dict[ModuleInfo, None] = {}
        # Whether the methods of a name go backward by themselves, for so many tables and modules.
        self.training_methods: dict[tuple[str, int, int], Literal["always", "sometimes", "never"]] = {}
        # Whether some of a base's subclasses go backward in a method that it leaves to them, for so many modules.
        self.training_subclasses: dict[tuple[ir.Class, str, int], bool] = {}
