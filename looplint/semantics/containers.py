"""Lists, dictionaries and namespaces: they are built, filled and asked for what they hold."""

from __future__ import annotations

from looplint.domain.values import (
    NOTHING,
    UNKNOWN,
    Arguments,
    Iter,
    Number,
    Obj,
    Params,
    Ref,
    Tensor,
    Tuple,
    Value,
    const,
    constant_of,
    exact_items,
    join,
    ref,
)
from looplint.interpreter import objects
from looplint.interpreter.elements import element_of
from looplint.interpreter.machine import Machine
from looplint.interpreter.transfers import methods_of, transfer
from looplint.semantics import keeping, loaders
from looplint.syntax import ir


@transfer("sequence")
def _sequence(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    if not args.positional:
        return ref(objects.new_list(m, expr.node, [], exact=True))
    given = args.positional[0]
    if any(isinstance(a, Params | Tensor) for a in given):
        return given
    items = exact_items(given)
    if items is not None and qualname != "builtins.set":
        return ref(objects.new_list(m, expr.node, items, exact=True))
    if loaders.loaders_in(given) or any(isinstance(a, Iter) and any(isinstance(e, Number) for e in a.element) for a in given):
        return given
    return ref(objects.new_list(m, expr.node, [element_of(m, given)], exact=False))


@transfer("list")
def _list(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    return ref(objects.new_list(m, expr.node, [], exact=False))


@transfer("dict")
def _dict(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    obj = m.create("dict", expr.node)
    for name, value in args.keywords.items():
        m.write(obj, f"={name}", value)
        m.write(obj, "[]", value)
    pairs = (
        _pairs_in(args.positional[0])
        if len(args.positional) == 1 and not args.keywords and qualname.endswith((".dict", ".OrderedDict"))
        else None
    )
    for name, value in pairs or ():
        m.write(obj, f"={name}", value)
        m.write(obj, "[]", value)
    written = not args.positional and not args.starred and qualname == "builtins.dict" and bool(args.keywords)
    obj.info["exact"] = written or bool(pairs)
    if qualname.endswith("defaultdict") and args.positional:
        made = m.call(args.positional[0], Arguments(), expr)
        m.write(obj, "[]", made)
    return ref(obj)


def _pairs_in(value: Value) -> list[tuple[str, Value]] | None:
    """The keys and values of a list of pairs that is fully known, as `OrderedDict([("fc", nn.Linear(4, 2)), ...])` takes it."""
    found: list[tuple[str, Value]] = []
    for item in exact_items(value) or ():
        pair = exact_items(item)
        key = constant_of(pair[0]) if pair is not None and len(pair) == 2 else None
        if pair is None or key is None or not isinstance(key.value, str):
            return None
        found.append((key.value, pair[1]))
    return found or None


@transfer("namespace")
def _namespace(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    obj = m.create("instance", expr.node, qualname=qualname)
    for name, value in args.keywords.items():
        m.write(obj, name, value)
    return ref(obj)


@methods_of("list", "dict")
def _on_container(m: Machine, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    match obj.kind, name:
        case "list", "append" | "add" | "appendleft" | "insert" | "extend":
            value = args.positional[-1] if args.positional else NOTHING
            if name == "extend":
                value = element_of(m, value)
            value = keeping.keep(m, expr.node, ref(obj), value, None)
            if m.loops == keeping.born_in(obj) and not m.guards and obj.info.get("items") is not None and name == "append":
                # In straight-line code the list stays exactly known; the same call seen twice adds once.
                seen = obj.info.setdefault("appended", {})
                seen[id(expr), m.frame.ctx] = value
                base = obj.info.setdefault("display", obj.info["items"])
                obj.info["items"] = (*base, *seen.values())
                m.write(obj, "[]", value)
                return UNKNOWN
            obj.info["items"] = None
            obj.info["changed"] = True
            m.write(obj, "[]", value)
            return UNKNOWN
        case "list", "pop" | "popleft":
            obj.info["items"] = None
            return obj.heap.get("[]", UNKNOWN)
        case "list", "copy":
            return ref(obj)
        case "list", _:
            return UNKNOWN
        case "dict", "items":
            return _pairs(obj)
        case "dict", "values":
            items = _slots(obj)
            if items is not None:
                return frozenset({Tuple(tuple(v for _, v in items))})
            return frozenset({Iter(obj.heap.get("[]", UNKNOWN))})
        case "dict", "get" | "pop" | "setdefault":
            key = constant_of(args.positional[0]) if args.positional else None
            default = args.positional[1] if len(args.positional) > 1 else NOTHING
            if name == "setdefault" and default:
                m.write(obj, f"={key.value}" if key else "[]", default)
            found = objects.item(m, obj, key)
            return join(found, default) if default and name != "setdefault" else found
        case "dict", "update":
            for value in args.values():
                keeping.keep(m, expr.node, ref(obj), value, None)
                for atom in value:
                    if isinstance(atom, Ref) and atom.obj.kind == "dict":
                        for slot, stored in atom.obj.heap.items():
                            m.write(obj, slot, stored)
            obj.info["changed"] = True
            return UNKNOWN
        case "dict", "copy":
            return ref(obj)
    return UNKNOWN


def _slots(obj: Obj) -> list[tuple[str, Value]] | None:
    """The entries of a dict that is fully known, in order."""
    if not obj.info.get("exact") or obj.info.get("changed"):
        return None
    return [(slot[1:], value) for slot, value in obj.heap.items() if slot.startswith("=")]


def _pairs(obj: Obj) -> Value:
    items = _slots(obj)
    if items is not None:
        return frozenset({Tuple(tuple(frozenset({Tuple((const(key), value))}) for key, value in items))})
    return frozenset({Iter(frozenset({Tuple((UNKNOWN, obj.heap.get("[]", UNKNOWN)))}))})
