"""What a training that goes on from a file asks that file for, and what is in the files that the program saves."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

import libcst as cst

from looplint.domain.objects import File, Obj, StateDict
from looplint.flow.events import LoadState, ReadFile, Save
from looplint.flow.remarks import ReadEntry
from looplint.queries.program import Program
from looplint.queries.resuming import fits_only_if_spread, saved_keys
from looplint.regex import regex
from looplint.syntax import ir

# What a function is called that may write a checkpoint, wherever its code is: `torch.load` reads what torch has written alone, no `pickle.dump`.
_SAVES = regex(r"(?i)^save(_all)?$|(?=.*(save|dump|store|write|backup)).*(check|ckpt|state|model|weight|net|snapshot|master|session|torch)")
# Whose method of such a name writes something else than a checkpoint.
_OTHER_WRITERS = frozenset({"np", "numpy", "image", "img", "im", "fig", "figure", "plt", "ani", "animation", "grid", "canvas"})
_CAUGHT = frozenset({"KeyError", "LookupError", "Exception", "BaseException"})
# What takes a dict whole and adds nothing to it.
_LEAVE_ALONE = frozenset({
    "print", "len", "type", "isinstance", "list", "sorted", "set", "dict", "load_state_dict", "info", "debug", "pprint", "id", "bool", "str",
})  # fmt: skip
_ASKS = frozenset({"get", "pop", "setdefault", "__contains__", "has_key"})


class UnsavedEntry(NamedTuple):
    """An entry that a training asks the file for from which it goes on, and that no file has which the program saves."""

    # The places where it is read, and the save that has most of the other entries.
    reads: list[ReadEntry]
    save: Save
    # The key under which that saves the state of what is given the entry, or one that is spelled alike; empty where there is none.
    instead: str
    # The object that each of the places gives the entry to as its state, where each save that fits has its state under the other key; else None.
    restored: Obj | None


def unsaved_entries(program: Program) -> Iterator[UnsavedEntry]:
    """The entries that a resumption asks for in vain, if all that the program saves is known."""
    saves, saved = program.of(Save), saved_keys(program)
    if saved is None:
        return
    loaded = {read.file: read for read in program.of(ReadFile)}
    reads = [read for read in program.of(ReadEntry) if all(_is_gone_on_from(file) and file in loaded for file in read.files)]
    if all(read.entry in saved for read in reads) or _saves_out_of_sight(program, saves):
        return
    asked = {file: {read.entry for read in reads if file in read.files} for read in reads for file in read.files}
    met: set[cst.CSTNode] = set()
    for read in reads:
        keys = frozenset[str]().union(*(asked[file] for file in read.files))
        fitting = [save for save in saves if _is_checkpoint(save, keys)]
        if read.entry in saved or not fitting or read.site.node in met:
            continue
        same = [other for other in reads if other.entry == read.entry and not read.files.isdisjoint(other.files)]
        if not all(_fails(other, [loaded[file] for file in other.files]) for other in same):
            continue
        met.update(other.site.node for other in same)
        yield _unsaved(program, same, fitting, keys)


def _is_checkpoint(save: Save, keys: frozenset[str]) -> bool:
    """Whether what is saved may be what a program asks for some keys: it has others of them, and not the number of an epoch alone."""
    common = len(keys.intersection(save.entries or ()))
    return common > 1 or (common == 1 and bool(save.states))


def _is_gone_on_from(file: File) -> bool:
    return file.continues and not file.published and not file.holds_module


def _fails(read: ReadEntry, loads: list[ReadFile]) -> bool:
    """Whether a place ends the program where the entry is missing, whenever the file is read."""
    under = frozenset(read.guards).difference(*(load.guards for load in loads))
    return read.certain and not under and not _is_expected_to_be_missing(read)


def _is_expected_to_be_missing(read: ReadEntry) -> bool:
    """Whether the code around a place asks whether the entry is there, catches that it is not, or puts it there itself."""
    node = read.site.node
    base = _text_of_base(node) if isinstance(node, cst.Subscript) else ""
    for site in read.chain:
        code = site.module.lowered()
        if code is None:
            return True
        told = _told(code)
        bases = {base, *(path for path, _ in told.put)} if base in told.lent else {base}
        put = any((each, read.entry) in told.put for each in bases)
        if read.entry in told.asked or put or base in told.handed or site.node in told.caught:
            return True
    return False


def _text_of_base(node: cst.Subscript) -> str:
    names: list[str] = []
    base: cst.BaseExpression = node.value
    while isinstance(base, cst.Attribute):
        names.append(base.attr.value)
        base = base.value
    return ".".join([*([base.value] if isinstance(base, cst.Name) else []), *reversed(names)])


class _Told(NamedTuple):
    """What the text of a file tells of entries that may be missing."""

    # The keys that something is asked for, and those that are put into what a path stands for.
    asked: frozenset[str]
    put: frozenset[tuple[str, str]]
    # The paths of what other files' functions are given whole, and is updated: they may put anything into it; and of what those of this one are given.
    handed: frozenset[str]
    lent: frozenset[str]
    # What stands where a missing entry is caught, or another part of the expression decides whether it is read.
    caught: frozenset[cst.CSTNode]


@ir.kept_with_code
def _told(code: ir.ModuleCode) -> _Told:
    asked: set[str] = set()
    put: set[tuple[str, str]] = set()
    handed: set[str] = set()
    lent: set[str] = set()
    caught: set[cst.CSTNode] = set()
    defined = {f.name for f in code.functions}
    for stmt in (stmt for f in code.functions for stmt in ir.statements(f.body)):
        for target in ir.targets(stmt):
            if isinstance(target, ir.Subscript) and isinstance(target.index, ir.Const) and isinstance(target.index.value, str):
                put.add((ir.path_of(target.value) or "", target.index.value))
        for part in ir.walk(*ir.expressions(stmt)):
            match part:
                case ir.Compare(left=ir.Const(value=str(key)), ops=["in" | "not in", *_]):
                    asked.add(key)
                case ir.Call(func=ir.Attr(attr=name), args=[ir.Arg(value=ir.Const(value=str(key))), *_]) if name in _ASKS:
                    asked.add(key)
                case ir.Call(func=ir.Attr(value=base, attr="update")):
                    handed.add(ir.path_of(base) or "")
                case ir.Call(args=args) if (name := ir.called_name(part)) not in _LEAVE_ALONE:
                    (lent if name in defined else handed).update(ir.path_of(arg.value) or "" for arg in args)
                case ir.BoolOp(right=right):
                    caught.update(inner.node for inner in ir.walk(right))
                case ir.IfExp(body=body, orelse=orelse):
                    caught.update(inner.node for inner in ir.walk(body, orelse))
        if _catches_missing(stmt):
            caught.update(part.node for body in _tried(stmt) for each in ir.statements(body) for part in ir.walk(*ir.expressions(each)))
    return _Told(frozenset(asked), frozenset(put), frozenset(handed), frozenset(lent), frozenset(caught))


def _tried(stmt: ir.Stmt) -> list[list[ir.Stmt]]:
    """What a statement guards: its body, and what is tried where that has failed."""
    match stmt:
        case ir.Try(body=body, handlers=handlers):
            return [body, *(handler for _, handler in handlers)]
        case ir.With(body=body):
            return [body]
    return []


def _catches_missing(stmt: ir.Stmt) -> bool:
    """Whether what is raised for a missing entry ends in a statement: `except KeyError`, `with suppress(KeyError)`."""
    match stmt:
        case ir.Try(node=cst.Try(handlers=handlers)):
            return any(_is_caught_by(handler.type) for handler in handlers)
        case ir.With(items=items):
            return any(isinstance(context, ir.Call) and ir.called_name(context) in ("suppress", "raises") for context, _ in items)
    return False


def _is_caught_by(caught: cst.BaseExpression | None) -> bool:
    match caught:
        case None:
            return True
        case cst.Name(value=name):
            return name in _CAUGHT
        case cst.Tuple(elements=elements):
            return any(_is_caught_by(element.value) for element in elements)
    return False


def _saves_out_of_sight(program: Program, saves: Iterable[Save]) -> bool:
    """Whether a call may write a checkpoint that is not one of some saves: by a function out of sight, or where the program was not followed."""
    written = {save.site.node for save in saves}
    codes = [code for info in program.modules_read if (code := info.lowered()) is not None]
    work = list(codes[0].functions) if codes else []
    # What stands in other files counts where something of its name is called.
    rest = [f for code in codes[1:] for f in code.functions]
    defined = {f.name for f in (*work, *rest)}
    members = {f.name for f in (*(f for f in work if "." in f.qualname), *rest)}
    called: set[str] = set()
    while work:
        function = work.pop()
        for call in ir.calls_in(function.body):
            name = ir.called_name(call)
            known = name in (members if isinstance(call.func, ir.Attr) else defined) and ir.path_of(call.func) != "torch.save"
            if call.node not in written and not known and _may_save(call, name):
                return True
            called.add(name)
        work += [f for f in rest if f.name in called]
        rest = [f for f in rest if f.name not in called]
    return False


def _may_save(call: ir.Call, name: str) -> bool:
    """Whether a call may write a checkpoint, by its name."""
    if _SAVES.search(name) is None:
        return False
    owner = (ir.path_of(call.func) or "").split(".")[:-1]
    return not (owner and owner[-1] in _OTHER_WRITERS)


def _unsaved(program: Program, reads: list[ReadEntry], fitting: list[Save], keys: frozenset[str]) -> UnsavedEntry:
    given = [_given(program, read) for read in reads]
    obj = next(iter(given[0].subjects)) if given[0] is not None else None
    nearest = max(fitting, key=lambda save: (len(keys.intersection(save.entries or ())), any(state.owner is obj for state in save.states)))
    entries = nearest.entries or {}
    if obj is not None and len(own := _keys_of(obj, entries)) == 1:
        restored = all(load is not None and all(_is_same(o, obj) for o in load.subjects) for load in given)
        saved = all(_holds_state_of(obj, (save.entries or {}).get(own[0], ())) for save in fitting)
        spread = any(load is not None and fits_only_if_spread(program, load) for load in given)
        return UnsavedEntry(reads, nearest, own[0], obj if restored and saved and not spread else None)
    from difflib import get_close_matches

    taken = {read.entry for read in program.of(ReadEntry)}
    near = get_close_matches(reads[0].entry, [key for key in entries if key not in taken], 1, 0.75)
    return UnsavedEntry(reads, nearest, near[0] if near else "", None)


def _keys_of(obj: Obj, entries: Mapping[str, frozenset[StateDict]]) -> list[str]:
    """The keys under which the state of an object is saved; of what the same place builds in another call, where there is none of its own."""
    own = [key for key, states in entries.items() if any(state.owner is obj for state in states)]
    return own or [key for key, states in entries.items() if any(_is_same(state.owner, obj) for state in states)]


def _holds_state_of(obj: Obj, states: Collection[StateDict]) -> bool:
    return bool(states) and all(_is_same(state.owner, obj) for state in states)


def _is_same(first: Obj, second: Obj) -> bool:
    """Whether two objects are one, or one place builds both, each in a call of its own."""
    return first is second or (first.node is not None and first.node is second.node and type(first) is type(second))


def _given(program: Program, read: ReadEntry) -> LoadState | None:
    """The load that gives one object an entry as its state, where that is read for it: `net.load_state_dict(checkpoint["net"])`."""
    for load in program.of(LoadState):
        match load.site.node:
            case cst.Call(args=[cst.Arg(value=given), *_]) if given is read.site.node and len(load.subjects) == 1 and load.certain:
                return load
    return None
