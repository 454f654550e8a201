"""How a program feeds its device: its loaders with the loops that go over them, and what it waits for."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from looplint.dataclass import dataclass
from looplint.domain.objects import Dataset, FrameworkObject, Loader, Obj, Sampler
from looplint.domain.values import NONE, NOTHING, UNKNOWN, Ref, Value, constant_of, refs
from looplint.flow.events import Backward, Event, Forward, Move, Step
from looplint.flow.graph import Loop
from looplint.flow.remarks import BuildLoader, BuildSampler, Drive, Transfer
from looplint.interpreter.elements import loaders_in
from looplint.queries.data_loops import over_data, validation_loop
from looplint.queries.program import Pass, Program
from looplint.semantics.loaders import only_loader


@dataclass(frozen=True, slots=True)
class Unknown:
    """An argument that is given, and whose value the text does not tell."""


@dataclass(frozen=True, slots=True)
class EpochPass:
    """A loop over a loader that another loop repeats: what is built once, and what goes on."""

    loader: Event
    epochs: Loop
    batches: Loop


def argument(loader: Loader, name: str) -> object:
    """What a loader was given for a name: a constant, None where it is not given, or `Unknown()`."""
    value = loader.options.get(name)
    if value is None:
        return None if loader.complete else Unknown()
    known = constant_of(value)
    return known.value if known is not None else Unknown()


@dataclass(frozen=True, slots=True)
class DrawnBy:
    """What draws the items of a loader, and where the loader keeps it: `sampler`."""

    samplers: Value
    path: str


def drawn_by(loader: Loader) -> DrawnBy:
    """The sampler of a loader, or that from which its batch sampler takes the items."""
    by_batch = loader.options.get("batch_sampler", NOTHING)
    if by_batch in (NOTHING, NONE):
        return DrawnBy(loader.options.get("sampler", NOTHING), "sampler")
    inner = (a.obj.heap.get("sampler", UNKNOWN) if isinstance(a, Ref) and isinstance(a.obj, Sampler) else frozenset({a}) for a in by_batch)
    return DrawnBy(frozenset().union(*inner), "batch_sampler.sampler")


def order_is_chosen(found: Pass) -> bool:
    """Whether a run takes a loader in the place of another one that no distributed sampler mixes: what stands for that in a single process mixes as well."""
    others = (o for e in found.others for o in e.subjects if isinstance(o, Loader))
    return any(not any(each.by_epoch for each in refs(drawn_by(o).samplers, Sampler)) for o in others)


def builds_others(program: Program, event: Event) -> bool:
    """Whether the call that builds a loader builds others too, as in a helper that is called for each part of the data."""
    return any(e.site.node is event.site.node and e.subjects.isdisjoint(event.subjects) for e in program.of(BuildLoader))


@dataclass(frozen=True, slots=True)
class LastBatch:
    """A loader's last batch that is smaller than the others: how many items it has, and how many they have."""

    items: int
    size: int


def smaller_last(loader: Loader) -> LastBatch | None:
    """The last batch of a loader, where it is known to be smaller and to be given."""
    size, dropped = argument(loader, "batch_size"), argument(loader, "drop_last")
    (data,) = refs(loader.options.get("dataset"), Dataset)[:1] or (None,)
    if data is None or data.length is None or type(size) is not int or size < 1 or dropped not in (None, False):
        return None
    left = data.length % size
    return LastBatch(left, size) if left and data.length > size and argument(loader, "sampler") is None else None


def measured_passes(program: Program, *, prepared: bool = False) -> Iterator[tuple[Forward, Loader]]:
    """The passes over a loader on which nothing is trained, each loader once, with a forward whose results are measured.

    One that a framework has prepared shares its batches out in the framework's way, but gives no others.
    """
    seen: set[Loader] = set()
    for event in program.of(Forward):
        loop = validation_loop(program, event)
        loader = only_loader(loop.over) if loop is not None else None
        if loader is None or loader in seen or loader in program.training_passes or program.is_trained(event):
            continue
        if event.key in program.uses.scored and not loader.escaped and (prepared or not loader.prepared):
            seen.add(loader)
            yield event, loader


@dataclass(frozen=True, slots=True)
class PaddedPass:
    """A pass over a loader in which nothing is trained and results are measured, and the sampler that repeats items for it."""

    forward: Forward
    loader: Loader
    sampler: Sampler


def padded_passes(program: Program) -> Iterator[PaddedPass]:
    """The validation passes over a loader, on which nothing is trained, whose distributed sampler repeats items until each process has as many."""
    built = {obj for event in program.of(BuildSampler) for obj in event.subjects}
    for event, loader in measured_passes(program):
        given = drawn_by(loader).samplers
        samplers = refs(given, Sampler)
        if len(samplers) == len(given) == 1 and samplers[0] in built and samplers[0].pads and not samplers[0].escaped:
            yield PaddedPass(event, loader, samplers[0])


@dataclass(frozen=True, slots=True)
class ShortenedPass:
    """A pass over a loader in which nothing is trained and results are measured, and which leaves out the last batch where it is smaller."""

    # Where the model is measured: a forward, or where a framework gets the loader.
    measured: Event
    built: Event
    # How many items it leaves out; None where that is not known.
    items: int | None


def shortened_passes(program: Program) -> Iterator[ShortenedPass]:
    """The validation passes over a loader, on which nothing is trained, that was told to drop the last batch where it is smaller."""
    built = {obj: e for e in program.of(BuildLoader) for obj in e.subjects}
    for event, loader in (*measured_passes(program, prepared=True), *_driven_passes(program)):
        if argument(loader, "drop_last") is not True or loader not in built or not same_everywhere(program, built[loader], "drop_last"):
            continue
        if not isinstance(argument(loader, "sampler") or argument(loader, "batch_sampler"), type(None)):
            continue  # a sampler may have chosen what fits
        size, data = argument(loader, "batch_size"), refs(loader.options.get("dataset"), Dataset)[:1]
        length = data[0].length if data else None
        items = length % size if length is not None and type(size) is int and size > 0 else None
        if items != 0 and size not in (None, 1):
            yield ShortenedPass(event, built[loader], items)


def _driven_passes(program: Program) -> Iterator[tuple[Event, Loader]]:
    """The loaders that a framework evaluates on, each once, and nothing trains on."""
    driven = [(e, o) for e in program.of(Drive) for o in e.subjects if isinstance(o, Loader)]
    trained = {*program.training_passes, *(loader for event, loader in driven if event.trains)}
    yield from {loader: (event, loader) for event, loader in driven if loader not in trained}.values()


def never_in_order_again(program: Program) -> bool:
    """Whether no trainer of a framework that a program builds takes batches twice in one order: for one epoch at most, or by samplers of its own."""
    trainers = [obj for obj in program.heap.objects.values() if isinstance(obj, FrameworkObject) and obj.qualname.endswith(".Trainer")]
    return bool(trainers) and all(trainer.one_epoch or trainer.gives_samplers for trainer in trainers)


def only_over(loop: Loop, loader: Loader) -> bool:
    """Whether a loop goes over one loader and nothing else."""
    return only_loader(loop.over) is loader


def same_everywhere(program: Program, loader: Event, name: str) -> bool:
    """Whether each of the loaders that one call builds is given the same constant for a name."""
    given = [
        argument(obj, name)
        for e in program.of(BuildLoader)
        if e.site.node is loader.site.node
        for obj in e.subjects
        if isinstance(obj, Loader)
    ]
    return all(value == given[0] for value in given)


def is_written(loader: Event, name: str) -> bool:
    """Whether a number stands in the call that builds a loader, so that no other call and no setting can change it."""
    node = loader.site.node
    return isinstance(node, cst.Call) and any(
        a.keyword is not None and a.keyword.value == name and isinstance(a.value, cst.Integer) for a in node.args
    )


def off(loader: Loader, name: str) -> bool:
    """Whether a loader is known to do without something: it is not given, or given as False, 0 or None."""
    given = argument(loader, name)
    return given is None or (not isinstance(given, Unknown) and not given)


def epoch_passes(program: Program) -> dict[Loader, EpochPass]:
    """The loaders that are iterated over repeatedly."""
    built = {obj: e for e in program.of(BuildLoader) for obj in e.subjects}
    found: dict[Loader, EpochPass] = {}
    for event in program.of(Forward, Backward):
        for depth, loop in enumerate(event.loops):
            loader = only_loader(loop.over)
            if depth and loader is not None and loader in built and event.loops[depth - 1] not in built[loader].loops:
                found.setdefault(loader, EpochPass(built[loader], event.loops[depth - 1], loop))
    return found


def on_accelerator(program: Program) -> bool:
    """Whether a model or a batch is known to go to an accelerator, where the machine has one."""
    return any(e.device == "accelerator" for e in program.of(Move, Transfer))


def trains(program: Program, loop: Loop) -> bool:
    """Whether a loop is one whose batches go backward and are stepped on."""
    return loop in program.batch_loops and any(loop in e.loops for e in program.of(Step))


def over_batches(program: Program, loop: Loop) -> bool:
    """Whether a loop goes over batches: it trains on them, a loader gives them, or each is a pair. One name from a list may as well be a path."""
    return loop in program.batch_loops or (over_data(loop) and (bool(loaders_in(loop.over)) or len(loop.targets) > 1))


def is_record(event: Event) -> bool:
    """Whether what a statement computes is only added up, printed or passed on: nothing in the loop waits for it."""
    node = event.statement
    if isinstance(node, cst.SimpleStatementLine):
        return len(node.body) == 1 and isinstance(node.body[0], cst.AugAssign | cst.Expr)
    return isinstance(node, cst.AugAssign | cst.Expr)


def changing(loader: Loader) -> bool:
    """Whether a loop of the program changes a loader or its dataset: it sets or calls something of theirs."""
    parts = [loader, *refs(loader.options.get("dataset"), Dataset, Loader)]
    return any(o.changing for o in parts)


def goes_over_training_data(program: Program, event: Forward, module: Obj) -> bool:
    """Whether a forward is part of a pass over the very loaders that its module is trained on."""
    trained_on = (each.batches for each in program.of(Forward) if module in each.subjects and program.is_trained(each))
    return bool(event.batches) and event.batches <= frozenset().union(*trained_on)
