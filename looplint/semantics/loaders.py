"""What data loaders go over, and in which order: their datasets, samplers and the loops that take batches from them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from looplint.domain.objects import Data, Dataset, Loader, Obj, Sampler
from looplint.domain.values import (
    NONE,
    NOTHING,
    UNKNOWN,
    Arguments,
    ClassRef,
    Const,
    External,
    Func,
    Iter,
    Number,
    Ref,
    Tuple,
    Unknown,
    Value,
    constant_of,
    exact_items,
    ref,
    refs,
)
from looplint.flow.graph import Loop
from looplint.flow.remarks import BuildLoader, BuildSampler, EpochSet
from looplint.interpreter import classes, implied, objects, unfollowed
from looplint.interpreter.calls import builds
from looplint.interpreter.elements import loaders_in
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.transfers import construction, methods_of, transfer
from looplint.knowledge.data import (
    DATASET_WRAPPERS,
    DECODING_DATASETS,
    DISTRIBUTED_SAMPLERS,
    ITERABLE_DATASETS,
    LIGHT_CALLS,
    LOADER_ARGUMENTS,
    MAP_DATASETS,
    ORDERED_DATASETS,
    PLAIN_LOADERS,
    UNORDERED_DATASETS,
)  # fmt: skip
from looplint.semantics.made_up_rows import MadeUp, gives_rows_alike
from looplint.syntax import ir

# A dataset whose items belong together in time says so in its name or in the names it works with.
_IN_TIME = (
    r"(?i)seq|series|window|stock|forecast|tempor|time|stream|rollout|traject|episode|frame|video|sorted|bucket|ordered|chunk|corpus|bptt"
)
# What programs call the number of the process.
_RANK = r"^((local|global|node|dist|dp|ddp|data_parallel)_?)?rank$|^process_index$|^get_rank$"
_CARRIED = r"(?i)^(hiddens?|hidden_states?|h|hc|hn|state|states|rnn_state|mems?|memory|carry|prev_(h|hidden|state|memory)\w*|cell|cells)$"
# How a dataset is told how many items go into a batch.
_SIZES_OF_BATCHES = frozenset({"batch_size", "batchsize", "bs", "batch_sz"})
# The arguments of torch's loader that decide which items come in which order, and its methods and properties that do.
_OF_ORDER = frozenset({"dataset", "batch_size", "shuffle", "sampler", "batch_sampler"})
_OF_DRAWING = ("__iter__", "_get_iterator", "_index_sampler", "sampler", "batch_sampler")
_SHUFFLING = frozenset({"shuffle", "permutation", "randperm", "permute_", "shuffled"})
_NUMBERS = frozenset({"randn", "rand", "randint", "normal", "uniform"})
_DRAWING = frozenset({"randint", "choice", "choices", "randrange", "sample", "multinomial"})


@construction(Loader)
def _built(interp: Interpreter, obj: Loader, args: Arguments, expr: ir.Call) -> None:
    """Note how a loader goes over its dataset: `order` is "as stored" where nothing mixes it, "given" where something does, else None."""
    obj.arguments = args
    if obj.cls is not None and classes.find_member(interp, obj.cls, "__init__") is None:
        take(interp, obj, args)
    plain = obj.cls is None and obj.qualname in PLAIN_LOADERS
    places = ((name, args.get(number if plain else -1, name)) for number, name in enumerate(LOADER_ARGUMENTS))
    named = {name: value for name, value in places if value is not None}
    # What the class of the program hands on is what counts.
    obj.options = {**obj.options, **named} if obj.cls is None else {**named, **obj.options}
    for name in ("dataset", "sampler", "batch_sampler"):
        if name in obj.options:
            obj.heap[name] = obj.options[name]
    if plain and not args.starred:
        obj.complete = True
        obj.mixed_by = _mixed_by(obj, expr)
        _note_order(interp, obj)
        obj.makes_items = made_when_asked(interp, obj.options.get("dataset", NOTHING))
    elif obj.cls is not None and obj.options.keys() >= {"sampler", "batch_sampler"} and _draws_as_torch(interp, obj.cls):
        _note_order(interp, obj)
    interp.remark(BuildLoader(), expr.node, {obj})


def _note_order(interp: Interpreter, obj: Loader) -> None:
    """Note in which order a loader of torch goes over its dataset, of which all arguments are known."""
    data = obj.options.get("dataset", NOTHING)
    obj.order = _order(obj)
    obj.style = style(interp, data)
    made, parted = _constructors(interp, data), any(d.qualname.endswith(".random_split") for d in refs(data, Dataset))
    obj.mixed_once, obj.drawn_once = parted or any(map(_mixes, made)), any(f.methods & _NUMBERS for f in made)
    obj.of_noise = _is_made_up(interp, data)


def take(interp: Interpreter, obj: Loader, args: Arguments) -> None:
    """Note what the order of a loader hangs on, of what the constructor of torch's loader is given by that of a class of the program which derives from it.

    The rest need be no argument of that class.
    """
    places = ((name, args.get(number, name)) for number, name in enumerate(LOADER_ARGUMENTS) if name in _OF_ORDER)
    absent = {} if args.starred else dict.fromkeys(("sampler", "batch_sampler"), NONE)
    obj.options = {**obj.options, **absent, **{name: value for name, value in places if value is not None}}


def _draws_as_torch(interp: Interpreter, cls: ClassRef) -> bool:
    """Whether a class derives from torch's loader, takes `shuffle` as that does, and leaves to it what draws the items."""
    bases = [a for c in classes.mro(interp, cls) for a in classes.base_values(interp, c) if not isinstance(a, ClassRef)]
    if not all(isinstance(a, External) and a.qualname in PLAIN_LOADERS for a in bases):
        return False
    init = classes.find_member(interp, cls, "__init__")
    takes = init is None or (isinstance(init[0], ir.Function) and any(p.name == "shuffle" or p.kind == "**" for p in init[0].params))
    return takes and all(classes.find_member(interp, cls, name) is None for name in _OF_DRAWING)


def _order(obj: Loader) -> Literal["as stored", "given"] | None:
    sampled = not _absent(obj.options.get("sampler")) or "shuffle" in obj.options
    if (sampled and not obj.mixed_by) or not _absent(obj.options.get("batch_sampler")):
        return "given"
    # One batch of everything has no order.
    size = obj.options.get("batch_size")
    return None if _is_everything(size) or _holds_all(size, obj.options.get("dataset", NOTHING)) else "as stored"


def _mixed_by(obj: Loader, expr: ir.Call) -> str:
    """The text of a sampler that may be None, with no `shuffle` for where it is, and is otherwise a distributed one that mixes its items or out of sight."""
    shuffle, sampler = obj.options.get("shuffle"), obj.options.get("sampler", NOTHING)
    off = constant_of(shuffle) if shuffle is not None else Const(False, bool)
    others = [a for a in sampler if not (isinstance(a, Const) and a.value is None)]
    written = next((a.value for a in expr.args if a.keyword == "sampler"), None)
    if off is None or off.value is not False or written is None or len(others) == len(sampler):
        return ""
    if not others:  # here it is None; what it may be elsewhere takes no shuffle beside it
        return ir.render(written) if shuffle is None and not isinstance(written, ir.Const) else ""
    return ir.render(written) if all(isinstance(a, Ref) and isinstance(a.obj, Sampler) and a.obj.by_epoch for a in others) else ""


def _holds_all(size: Value | None, data: Value) -> bool:
    """Whether a batch has room for every item of a dataset whose length is known."""
    known = constant_of(size) if size is not None else Const(1, int)
    lengths = [d.length for d in refs(data, Dataset)]
    if known is None or not isinstance(known.value, int) or len(lengths) < len(data):
        return False
    return all(length is not None and length <= known.value for length in lengths)


def _absent(value: Value | None) -> bool:
    """Whether an argument is not given, or given as None."""
    known = constant_of(value) if value is not None else None
    return value is None or (known is not None and known.value is None)


def _is_everything(size: Value | None) -> bool:
    """Whether a batch size is a length, or None: the dataset is the batch, or has batches of its own."""
    return size is not None and any(isinstance(a, Number) or (isinstance(a, Const) and a.value is None) for a in size)


@construction(Sampler)
def _sampler_built(interp: Interpreter, obj: Sampler, args: Arguments, expr: ir.Call) -> None:
    """Note whether a sampler draws another order for each epoch number that is set."""
    if obj.cls is None and obj.qualname in DISTRIBUTED_SAMPLERS and not args.starred:
        obj.by_epoch = _shuffles(interp, args.get(3, "shuffle"), expr)
        obj.seed_by_rank = _hangs_on_rank(interp, args, expr)
        dropped = args.get(5, "drop_last")
        known = constant_of(dropped) if dropped is not None else None
        obj.pads = dropped is None or (known is not None and not known.value)
    interp.remark(BuildSampler(), expr.node, {obj})


def _shuffles(interp: Interpreter, shuffle: Value | None, expr: ir.Call) -> bool:
    """Whether a distributed sampler mixes its items: by default, by a constant, or where it is built under what it is given: `if args.do_train:`."""
    known = constant_of(shuffle) if shuffle is not None else None
    if shuffle is None or known is not None:
        return known is None or bool(known.value)
    written = next((a.value for a in expr.args if a.keyword == "shuffle"), None)
    return written is not None and implied.outcome(interp, written) is True


@transfer("batch-sampler")
def _batch_sampler(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """What puts the items of another sampler together: that one draws them, and is told the epoch."""
    obj = interp.create(Sampler, expr.node, qualname=qualname)
    obj.heap["sampler"] = args.get(0, "sampler") or UNKNOWN
    return ref(obj)


def _hangs_on_rank(interp: Interpreter, args: Arguments, expr: ir.Call) -> bool:
    """Whether a distributed sampler's seed is another one in each process: by its value, by a name that says so, or by what its `rank` is given."""
    written = {a.keyword: a.value for a in expr.args if a.keyword}
    seed, rank = written.get("seed"), written.get("rank")
    if any(isinstance(a, Number) and "rank" in a.units for a in args.keywords.get("seed", NOTHING)):
        return True
    read = ir.paths_in(seed) if seed is not None else set()
    if isinstance(seed, ir.Name):
        targets = (s for s in interp.frame.function.body if isinstance(s, ir.Assign) and any(ir.path_of(t) == seed.id for t in s.targets))
        read |= set().union(*(ir.paths_in(s.value) for s in targets))
    own = {ir.path_of(rank)} if rank is not None else set()
    return bool(read & own) or any(re.search(_RANK, path.rpartition(".")[2]) for path in read)


def style(interp: Interpreter, value: Value, depth: int = 4) -> Literal["map", "iterable"] | None:
    """ "map" where a dataset is known to give its items by index, in an order that means nothing; "iterable" or None else."""
    found = {_style_of(interp, atom, depth) for atom in value} if depth else {None}
    return found.pop() if len(found) == 1 else None


def _style_of(interp: Interpreter, atom: object, depth: int) -> Literal["map", "iterable"] | None:
    obj = atom.obj if isinstance(atom, Ref) else None
    if obj is not None and obj.cls is not None and (isinstance(obj, Dataset) or _is_dataset_by_protocol(interp, obj.cls)):
        return _style_of_class(interp, obj.cls)
    if not isinstance(obj, Dataset):
        return None
    if obj.qualname in ITERABLE_DATASETS:
        return "iterable"
    if obj.qualname in DATASET_WRAPPERS:
        inner = obj.arguments.get(0, "dataset", "datasets") if obj.arguments is not None else None
        return style(interp, _parts(inner), depth - 1) if inner else None
    return "map" if _gives_by_index(obj.qualname) else None


def _gives_by_index(qualname: str) -> bool:
    """Whether a library's class of datasets gives its items by index, in an order that means nothing."""
    return qualname in MAP_DATASETS or (qualname.startswith(ORDERED_DATASETS) and qualname.rpartition(".")[2] not in UNORDERED_DATASETS)


def _is_dataset_by_protocol(interp: Interpreter, cls: ClassRef) -> bool:
    """Whether a class without bases has the methods of a dataset that torch's loader calls."""
    methods = ("__getitem__", "__len__")
    return not classes.has_unknown_base(interp, cls) and all(classes.find_member(interp, cls, name) is not None for name in methods)


def _parts(value: Value) -> Value:
    """The datasets that a wrapper was given: one, or a list of them."""

    items = exact_items(value)
    return frozenset().union(*items) if items else value


def _style_of_class(interp: Interpreter, cls: ClassRef) -> Literal["map", "iterable"] | None:
    """A project's own dataset: by its base class and its methods."""
    line = classes.mro(interp, cls)
    if any(base in ITERABLE_DATASETS or not _gives_by_index(base) for base in classes.external_bases(interp, cls)):
        return "iterable" if any(base in ITERABLE_DATASETS for base in classes.external_bases(interp, cls)) else None
    methods = {name: function for each in reversed(line) for name, function in each.cls.methods.items()}
    if "__getitem__" not in methods or "__iter__" in methods or re.search(_IN_TIME, " ".join(c.cls.name for c in line)):
        return None
    if any(_mixes(function) for name, function in methods.items() if name != "__init__"):
        return None
    if "__init__" in methods and any(p.name in _SIZES_OF_BATCHES for p in methods["__init__"].params):
        return None  # it puts side by side what goes into one batch
    getter = methods["__getitem__"]
    if getter.methods & _DRAWING or getter.usage.keys() & _DRAWING or not _asks_for_index(getter):
        return None
    return "map"


def _asks_for_index(getter: ir.Function) -> bool:
    """Whether the item depends on the index that is asked for: not where the next one of something else is given, whose order is its own."""
    if len(getter.params) < 2:
        return True
    written = (expr for stmt in ir.statements(getter.body) for expr in ir.walk(*ir.expressions(stmt)))
    return any(isinstance(expr, ir.Name) and expr.id == getter.params[1].name for expr in written)


def _mixes(function: ir.Function) -> bool:
    return bool(function.methods & _SHUFFLING or function.usage.keys() & _SHUFFLING)


def _constructors(interp: Interpreter, value: Value) -> list[ir.Function]:
    """The constructors of a project's own dataset, which run once for all epochs."""
    lines = [classes.mro(interp, o.cls) for o in refs(value, Obj) if o.cls is not None]
    return [each.cls.methods["__init__"] for line in lines for each in line if "__init__" in each.cls.methods]


def made_when_asked(interp: Interpreter, value: Value, depth: int = 4) -> bool:
    """Whether a dataset is known to read, decode or compute an item on each access."""
    return bool(value) and depth > 0 and all(_makes_items(interp, atom, depth) for atom in value)


def _makes_items(interp: Interpreter, atom: object, depth: int) -> bool:
    if not isinstance(atom, Ref) or not isinstance(atom.obj, Dataset):
        return False
    obj = atom.obj
    if obj.cls is not None:
        line = classes.mro(interp, obj.cls)
        getter = next((each.cls.methods["__getitem__"] for each in line if "__getitem__" in each.cls.methods), None)
        if getter is None:
            return any(base.startswith(DECODING_DATASETS) for base in classes.external_bases(interp, obj.cls))
        called = {path.rpartition(".")[2] for path, usage in getter.usage.items() if usage.called} | getter.methods
        return bool(called - LIGHT_CALLS)
    if obj.qualname in DATASET_WRAPPERS:
        inner = obj.arguments.get(0, "dataset", "datasets") if obj.arguments is not None else None
        return inner is not None and made_when_asked(interp, _parts(inner), depth - 1)
    return obj.qualname.startswith(DECODING_DATASETS)


def only_loader(value: Value) -> Loader | None:
    """The one loader that an iterable goes over, where it is nothing else."""
    found = loaders_in(value)
    if len(found) == 1 and len(value) == 1 and not any(isinstance(a, Tuple) for a in value):
        (loader,) = found
        return loader if isinstance(loader, Loader) and not loader.many else None
    return None


def shuffles(loop: Loop) -> bool:
    """Whether a loop calls what mixes something, as its name says: the items of a dataset, before each pass over them."""
    written = ir.statements(loop.stmt.body) if loop.stmt is not None else ()
    calls = (e for stmt in written for e in ir.walk(*ir.expressions(stmt)) if isinstance(e, ir.Call))
    return any(ir.called_name(call) in _SHUFFLING for call in calls)


def follows_time(loader: Loader, assigned: Iterable[str]) -> bool:
    """Whether names say that a loader's batches follow each other in time, or that a state is carried from one to the next."""
    data = refs(loader.options.get("dataset"), Obj)
    return any(re.search(_IN_TIME, o.name) for o in [loader, *data]) or any(re.search(_CARRIED, name) for name in assigned)


@transfer("split")
def _split(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    obj = interp.create(Dataset, expr.node, qualname=qualname)
    obj.arguments = args
    return frozenset({Iter(ref(obj))})


def _dataset_method(interp: Interpreter, obj: Data, args: Arguments) -> Value:
    return ref(obj) if not args.values() or all(isinstance(a, Const | Func | Unknown) for v in args.values() for a in v) else UNKNOWN


@methods_of(Loader, Dataset)
def _method(interp: Interpreter, obj: Data, name: str, args: Arguments, expr: ir.Call) -> Value:
    if name == "set_epoch" and isinstance(obj, Loader):
        interp.remark(EpochSet(), expr.node, {obj})
        return UNKNOWN
    if interp.loops and name not in ("__next__", "next", "__iter__", "__len__"):
        obj.changing = True
    return objects.element(interp, obj) if name in ("__next__", "next") else _dataset_method(interp, obj, args)


@methods_of(Sampler)
def _sampler_method(interp: Interpreter, obj: Sampler, name: str, args: Arguments, expr: ir.Call) -> Value:
    if name == "set_epoch":
        interp.remark(EpochSet(), expr.node, {obj})
        return UNKNOWN
    return unfollowed.quiet(interp, args)


def _is_made_up(interp: Interpreter, value: Value, depth: int = 4) -> bool:
    """Whether datasets, or what they are parts of, are made of random numbers."""
    found = refs(value, Obj)
    return bool(found) and len(found) == len(value) and depth > 0 and all(_is_one_made_up(interp, each, depth) for each in found)


def _is_one_made_up(interp: Interpreter, data: Obj, depth: int) -> bool:
    if data.cls is not None:
        built, getter = (classes.find_member(interp, data.cls, name) for name in ("__init__", "__getitem__"))
        methods = [member[0] for member in (built, getter) if member is not None and isinstance(member[0], ir.Function)]
        return len(methods) == 2 and gives_rows_alike(interp, *methods)
    if not isinstance(data, Dataset):
        return False
    if data.qualname in DATASET_WRAPPERS and not data.qualname.endswith("ConcatDataset"):
        return data.arguments is not None and _is_made_up(interp, data.arguments.get(0, "dataset") or NOTHING, depth - 1)
    return data.made_up


@construction(Dataset)
def _dataset_built(interp: Interpreter, obj: Dataset, args: Arguments, expr: ir.Call) -> None:
    obj.arguments = args
    if obj.qualname.rpartition(".")[2] == "TensorDataset" and obj.cls is None and expr.args and not args.starred:
        text = MadeUp(interp)
        rows = [text.rows(arg.value) for arg in expr.args]
        obj.made_up = all(each is not None and each.alike for each in rows)
        obj.length = next((each.length for each in rows if each is not None and each.length is not None), None)
    if obj.qualname.rpartition(".")[2] == "Subset":
        indices = ir.argument(expr, 1, "indices")
        obj.length = _count(interp, indices) if indices is not None else None


def _count(interp: Interpreter, indices: ir.Expr) -> int | None:
    """How many indices an expression gives, as its text tells: `range(16)`, `list(range(16))`, `order[:16]`, `[0, 1, 2]`."""
    match indices:
        case ir.Call(func=ir.Name(id="list"), args=[ir.Arg(value=inner)]):
            return _count(interp, inner)
        case ir.Call(func=ir.Name(id="range"), args=[*given]) if 1 <= len(given) <= 2:
            bounds = [constant_of(interp.evaluate(a.value)) for a in given]
            numbers = [b.value for b in bounds if b is not None and isinstance(b.value, int)]
            return numbers[-1] - (numbers[0] if len(numbers) == 2 else 0) if len(numbers) == len(given) else None
    items = exact_items(interp.evaluate(indices))
    return len(items) if items is not None else None


for kind in (Loader, Dataset, Sampler):
    transfer(kind.kind)(builds(kind))
