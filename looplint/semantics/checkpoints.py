"""What is saved, kept and restored: state dicts, the files they go to, and copies of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile

from looplint.domain.objects import Container, Dict, Disk, File, List, Module, Obj, StateDict
from looplint.domain.values import (
    NONE,
    UNKNOWN,
    Arguments,
    Atom,
    Const,
    Iter,
    Number,
    Params,
    Ref,
    Tensor,
    Tuple,
    Unknown,
    Value,
    constant_of,
    ref,
    refs,
)
from looplint.flow.events import LoadState, ReadFile, Save, Snapshot
from looplint.flow.graph import Loop
from looplint.flow.remarks import Mix, ReadEntry
from looplint.interpreter import choices, endings, hooks, objects, outside
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.transfers import method_transfer, methods_of, transfer
from looplint.semantics import devices
from looplint.semantics.downloads import is_downloaded
from looplint.semantics.picked_states import picked_states
from looplint.semantics.tensor_evidence import note_discarded
from looplint.semantics.whole_checkpoints import has_no_such_entry
from looplint.syntax import ir
from looplint.syntax.site import Site


@method_transfer("state-dict")
def _state_dict(interp: Interpreter, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    """`obj.state_dict()`: a dict of its own that holds the object's own tensors."""
    state = interp.create(StateDict, expr.node, slot=obj.key)
    state.owner = obj
    named = interp.born(expr.func.value) if isinstance(expr.func, ir.Attr) else interp.loops
    state.owned_since = named if obj.loops is None else obj.loops
    interp.emit(Snapshot(), expr.node, {state})
    kept = _kept_as(interp, expr.func.value) if isinstance(expr.func, ir.Attr) else frozenset()
    return ref(state).union(*(ref(each) for each in kept if each.owner is obj))


@hooks.set_aside
def _set_aside(interp: Interpreter, obj: Module, stmt: ir.Assign) -> None:
    """`best_model = model`, where that is better than before: the name stands for a state of the model, and for the model itself."""
    name = ir.path_of(stmt.targets[0]) or ""
    if obj.loops is None or obj.one_of or interp.loops[-1] in obj.loops or name == ir.path_of(stmt.value):
        return  # created in each iteration, or one of several
    state = interp.create(StateDict, stmt.value.node, slot=obj.key)
    state.owner, state.name = obj, name
    interp.evidence.kept[interp.frame.ctx, name] = state
    interp.emit(Snapshot(), stmt.value.node, {state})


def _kept_as(interp: Interpreter, expr: ir.Expr) -> frozenset[StateDict]:
    """The state that a name was meant to keep."""
    state = interp.evidence.kept.get((interp.frame.ctx, ir.path_of(expr) or ""))
    return frozenset({state}) if state is not None else frozenset()


@method_transfer("load-state")
def _load_state(interp: Interpreter, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    if key := has_no_such_entry(interp, obj, expr):
        endings.end_there(interp, f"`{ir.render(expr)}` ends in a RuntimeError: the state of the model has no `{key}`", expr)
        return UNKNOWN
    states = _told_states(args.values())
    interp.emit(LoadState(states=states, files=files_in(args.values()), picked=picked_states(interp, states, expr)), expr.node, {obj})
    return UNKNOWN


@transfer("save")
def _save(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    values = args.values()
    states = _told_states(values).union(*(_kept_as(interp, arg.value) for arg in expr.args[:1]))
    written = _written(values)
    made_in, made_each = _made_in(interp, written), _made_each(interp, written)
    picked = picked_states(interp, states, expr)
    entries = _entries(interp, args.positional[0]) if args.positional else None
    event = Save(entries=entries, states=states, parts=_parts(values), made_in=made_in, made_each=made_each, picked=picked)
    interp.emit(event, expr.node, {_disk(interp)})
    return NONE


def _entries(interp: Interpreter, written: Value) -> Mapping[str, frozenset[StateDict]] | None:
    """The entries of the dict that is written, with the states in them; none of what has no keys of its own, as a tensor, or only names of parameters."""
    found: dict[str, frozenset[StateDict]] = {}
    for atom in written:
        match atom:
            case Ref(obj=Dict() as obj) if not obj.shown and (entries := objects.exact_entries(interp, obj)) is not None:
                for key, value in entries:
                    found[key] = found.get(key, frozenset()) | frozenset(refs(value, StateDict))
            case Ref(obj=StateDict() | Module() | List()) | Tensor() | Tuple() | Params() | Number():
                continue
            case _:
                return None
    return found


def _written(values: Iterable[Value]) -> list[Obj]:
    """The states that values are or hold, and the containers in which they are."""
    return [
        a.obj for a in _contents(values) if isinstance(a, Ref) and isinstance(a.obj, Container | StateDict) and states_in([frozenset({a})])
    ]


def _made_each(interp: Interpreter, written: Iterable[Obj]) -> Loop | None:
    """The innermost loop of which each iteration makes all that is written anew; none where a state has a name, by which a later iteration may find it."""
    innermost = interp.loops
    for obj in written:
        if obj.loops is None or (isinstance(obj, StateDict) and obj.name):
            return None
        innermost = tuple(a for a, b in zip(innermost, obj.loops) if a is b)
    return innermost[-1] if innermost else None


def _made_in(interp: Interpreter, made: Sequence[Obj]) -> tuple[Site, ...] | None:
    """The calls that lead to the innermost running function that made some objects."""
    called = takewhile(lambda frame: frame.call is not None, interp.frame.outward())
    return next((frame.calls for frame in called if all(choices.built_in(obj, frame) for obj in made)), None)


@transfer("load")
def _load(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """`torch.load`: anything can come out of a file; what does is known to come from it."""
    file = interp.create(File, expr.node)
    path = ir.render(expr.args[0].value) if expr.args else ""
    named = any(re.search(_PUBLISHED, text) for text in (_without_stage(path), *_texts(args.positional[:1])))
    known = constant_of(args.positional[0]) if args.positional else None
    text = known.value if known is not None and isinstance(known.value, str) else None
    file.published = named or (bool(expr.args) and is_downloaded(interp, expr.args[0].value, text))
    placed = "map_location" in args.keywords or len(args.positional) > 1 or args.starred
    interp.emit(ReadFile(file=file, map_location=placed), expr.node, {_disk(interp)})
    return frozenset({Unknown(files=frozenset({file}), whole=True)})


@transfer("read-file")
def _read_file(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """A file that another library reads: what comes out of it may be a state, and where its tensors go is that library's."""
    return frozenset({Unknown(files=frozenset({interp.create(File, expr.node)}))})


_STARTS = (
    r"(?i)^(start|begin|resume|initial|init|first|last)\w*(epoch|iter|iteration|step)s?\w*$|^(epoch|iter|step)\w*_?(start|begin|offset)$"
)
# Weights that somebody publishes are saved from the CPU.
_PUBLISHED = r"(?i)pre_?train|imagenet|vgg|resnet|bert|backbone|download|url|hub|cache|zoo|imagenet|official|inception|clip|vae|weights_path|init_?(model|weights|ckpt|checkpoint)"


# An option of the command line is a file that whoever runs the program has: "pretrained" tells that an earlier run made it, and not whose run.
_OPTION = r"(self\.)?(args|opts?|options|arguments|flags|FLAGS)\.\w+"
_STAGE = r"(?i)pre_?train(ed|ing)?"


def _without_stage(path: str) -> str:
    """The text of a path, without the word for an earlier stage where it is an option."""
    return re.sub(_STAGE, "", path) if re.fullmatch(_OPTION, path) else path


def _texts(values: Iterable[Value]) -> list[str]:
    return [atom.value for value in values for atom in value if isinstance(atom, Const) and isinstance(atom.value, str)]


def _disk(interp: Interpreter) -> Disk:
    """What all files are kept on; one for the whole program."""
    return interp.known(Disk, "disk", "files")


# How long the text of what is read from a file may be to stand in a sentence.
_LONG = 40


@hooks.key_read
def _key_read(interp: Interpreter, base: Value, key: object, expr: ir.Subscript) -> None:
    """`checkpoint[key]`: where all that was read from files is asked for an entry, the place is remarked."""
    note_key(base, key)
    files = frozenset(file for atom in base if isinstance(atom, Unknown) and atom.whole for file in atom.files)
    if files and isinstance(key, str):
        sure = all(atom in NONE or (isinstance(atom, Unknown) and atom.whole) for atom in base)
        asked = ir.render(expr.value)
        text = f'{asked if len(asked) <= _LONG else "the entry "}["{key}"]'
        interp.remark(ReadEntry(entry=key, text=text, files=files), expr.node, (), certain=sure)


def note_key(value: Iterable[Atom], key: object) -> None:
    """An entry of what was read from a file is read."""
    for atom in value:
        if isinstance(atom, Unknown) and isinstance(key, str):
            for file in atom.files:
                file.keys |= {key}


@hooks.assigned
def note_start(target: ir.Expr, value: Value) -> None:
    """A name that says where to begin is given something that was read from a file."""
    name = target.id if isinstance(target, ir.Name) else target.attr if isinstance(target, ir.Attr) else ""
    if says_where_to_start(name):
        note_continued(value)


def says_where_to_start(name: str) -> bool:
    """Whether a name says in which epoch or step the training begins."""
    return re.search(_STARTS, name) is not None


@hooks.counted
def note_continued(value: Value) -> None:
    """What was read from a file tells where the training goes on."""
    for atom in value:
        if isinstance(atom, Unknown):
            for file in atom.files:
                file.continues = True


def files_in(values: Iterable[Value]) -> frozenset[File]:
    """The files that values were read from, or what they hold."""
    return frozenset(file for atom in _contents(values) if isinstance(atom, Unknown) for file in atom.files)


def states_in(values: Iterable[Value]) -> frozenset[StateDict]:
    """The state dicts that values are or hold."""
    return frozenset(atom.obj for atom in _contents(values) if isinstance(atom, Ref) and isinstance(atom.obj, StateDict))


def _parts(values: Iterable[Value]) -> frozenset[StateDict]:
    """The state dicts of which the containers among some values hold no more than picked entries."""
    whole = {atom.obj for value in _within(values, whole=True) for atom in value if isinstance(atom, Ref)}
    return frozenset(state for state in states_in(values) if state not in whole)


def _told_states(values: Iterable[Value]) -> frozenset[StateDict]:
    """The state dicts that values are or hold, and never something from out of sight in their place: then it may be another one that is read."""
    return frozenset(
        atom.obj
        for value in _within(values)
        for atom in value
        if isinstance(atom, Ref) and isinstance(atom.obj, StateDict) and not any(_may_replace(a, atom.obj) for a in value)
    )


def _may_replace(atom: Atom, state: StateDict) -> bool:
    """Whether a value from out of sight may have come in the place of a state; a deep copy was there before a state that is taken in a further loop."""
    if not outside.is_unseen(atom):
        return False
    before = atom.copied if isinstance(atom, Unknown) else None
    return before is None or state.loops is None or state.loops == before or state.loops[: len(before)] != before


def _contents(values: Iterable[Value]) -> Iterator[Atom]:
    """What values are, and what the containers among them hold."""
    for value in _within(values):
        yield from value


def _within(values: Iterable[Value], *, whole: bool = False) -> Iterator[Value]:
    """Values, and those that the containers among them hold; if these are asked for as a `whole`, not those of dicts with picked entries."""
    seen: set[Obj] = set()
    work = list(values)
    while work:
        value = work.pop()
        yield value
        for atom in value:
            if isinstance(atom, Tuple):
                work.extend(atom.items)
            elif isinstance(atom, Iter):
                work.append(atom.element)
            elif isinstance(atom, Ref) and isinstance(atom.obj, Container) and atom.obj not in seen:
                if whole and isinstance(atom.obj, Dict) and atom.obj.picks:
                    continue
                seen.add(atom.obj)
                work.extend(atom.obj.heap.values())


def deep_copy(value: Value, loops: tuple[Loop, ...]) -> Value:
    """What a deep copy has of the states in a value: nothing; what holds one is not followed further."""
    kept = frozenset(a for a in value if not states_in([frozenset({a})]))
    if kept:
        return kept
    copied = value and all(isinstance(a, Ref) and isinstance(a.obj, StateDict) for a in value)
    return frozenset({Unknown(copied=loops)}) if copied else UNKNOWN


@hooks.entry_assigned
def _entry_assigned(interp: Interpreter, obj: StateDict, target: ir.Subscript, stmt: ir.Stmt | None) -> None:
    """`state[key] = value`: it is the state of its object no more; of each key, the tensor that it had, moved to the CPU, is one for a file."""
    interp.remark(Mix(), target.node, {obj})
    if isinstance(stmt, ir.Assign) and isinstance(target.index, ir.Name) and interp.loops:
        obj.on_cpu |= _goes_to_cpu(interp, stmt.value)


def _goes_to_cpu(interp: Interpreter, expr: ir.Expr) -> bool:
    """Whether an expression moves something to the CPU: `value.detach().cpu()`, `value.to("cpu")`."""
    while isinstance(expr, ir.Call) and isinstance(expr.func, ir.Attr):
        if expr.func.attr == "cpu":
            return True
        if expr.func.attr == "to" and expr.args:
            with interp.looking():
                return devices.kind(interp.evaluate(expr.args[0].value)) == "cpu"
        expr = expr.func.value
    return False


@methods_of(StateDict)
def _method(interp: Interpreter, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    if name == "update" and isinstance(obj, StateDict):
        interp.remark(Mix(), expr.node, {obj})
    match name:
        case "copy" | "detach" | "data":
            return ref(obj)  # another dict of the same tensors; one of them, which shares its numbers with the model's
        case "items":
            return frozenset({Iter(frozenset({Tuple((UNKNOWN, ref(obj)))}))})
        case "values":
            return frozenset({Iter(ref(obj))})
    note_discarded(interp, Unknown(), name, args, expr)  # a dict has no conversions: it may be one of its tensors
    return UNKNOWN
