"""Containers of torch, and the classes that a program derives from them: modules that hold the parts they are given."""

from __future__ import annotations

from looplint.domain.membership import adopt, register
from looplint.domain.objects import Dict, Module
from looplint.domain.values import NONE, UNKNOWN, Arguments, Ref, Value, constant_of, exact_items, join, ref, refs
from looplint.interpreter import classes
from looplint.interpreter.calls import constructed
from looplint.interpreter.elements import element_of, last_of
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.transfers import method_transfer, transfer
from looplint.knowledge.lookup import call_effect
from looplint.syntax import ir


@transfer("container")
def _container(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """`nn.Sequential`, `nn.ModuleList`, `nn.ModuleDict`."""
    obj = interp.create(Module, expr.node, qualname=qualname)
    constructed(interp, obj, args, expr)
    fill(interp, obj, args)
    return ref(obj)


def fill(interp: Interpreter, obj: Module, args: Arguments) -> None:
    """What torch's constructor does with the arguments of a container: they, or what the only one of them holds, become its parts."""
    parts = list(args.positional) or ([UNKNOWN] if args.starred else [])
    exact, last = not args.starred and not args.keywords, args.last
    if len(parts) == 1 and not _is_module(parts[0]):
        named = _named_parts(parts[0])
        inner = [part for _, part in named] if named is not None else exact_items(parts[0])
        for slot, part in named or ():
            obj.heap[slot] = part
        if inner is not None:
            parts = inner
        else:
            last = last_of(parts[0])
            parts, exact = [_values_of(interp, parts[0])], False
    obj.length = len(parts) if exact and all(_is_module(p) for p in parts) else None
    obj.last = last if obj.length is None and last is not None and _is_module(last) else None
    for number, part in enumerate(parts):
        adopt(obj, part)
        register(part, deep=True)
        obj.heap[f"[{number}]"] = part
        interp.write(obj, "[]", part)


@method_transfer("add-entries")
def _add_entries(interp: Interpreter, obj: Module, name: str, args: Arguments, expr: ir.Call) -> Value:
    """`nn.ModuleDict.update`: what a dict or another container holds becomes its parts too."""
    parts = frozenset(a for value in args.values() for a in _values_of(interp, value) if isinstance(a, Ref) and isinstance(a.obj, Module))
    obj.length = obj.last = None
    named = _named_parts(args.positional[0]) if args.positional else None
    for slot, part in named or ():
        old = obj.heap.get(slot) if interp.guards else None
        obj.heap[slot] = part if old is None else join(old, part)
    adopt(obj, parts)
    register(parts)
    interp.write(obj, "[]", parts)
    return NONE


def fill_derived(interp: Interpreter, obj: Module, args: Arguments) -> None:
    """Fill an instance of a class of the program, where that is derived from a container and its constructor is torch's."""
    if obj.cls is not None and any(call_effect(base) == "container" for base in classes.external_bases(interp, obj.cls)):
        fill(interp, obj, args)


def _named_parts(value: Value) -> list[tuple[str, Value]] | None:
    """The entries, in order, of the dict or of the pairs that a container is built from, if all of it is known."""
    rows = [exact_items(row) or [] for row in exact_items(value) or ()]
    keys = [constant_of(row[0]) if len(row) == 2 else None for row in rows]
    names = [key.value for key in keys if key is not None and isinstance(key.value, str)]
    if rows and len(names) == len(rows):
        return [(name, row[1]) for name, row in zip(names, rows)]
    dicts = [d for d in refs(value, Dict) if d.exact and not d.changed]
    if len(dicts) != 1 or len(value) != 1:
        return None
    return [(slot[1:], part) for slot, part in dicts[0].heap.items() if slot.startswith("=")]


def _values_of(interp: Interpreter, value: Value) -> Value:
    """Whatever is in what a container is built from: the values of a dict, the elements of other things."""
    dicts = refs(value, Dict)
    held = frozenset().union(*(part for each in dicts for slot, part in each.heap.items() if slot == "[]" or slot.startswith("=")))
    others = frozenset(a for a in value if not (isinstance(a, Ref) and a.obj in dicts))
    return held | element_of(interp, others) if others or not held else held


def _is_module(value: Value) -> bool:
    return bool(value) and all(isinstance(a, Ref) and isinstance(a.obj, Module) for a in value)
