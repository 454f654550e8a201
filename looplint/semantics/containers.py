"""Lists, dictionaries and namespaces: they are built, filled and read."""

from __future__ import annotations

from looplint.dataclass import replace
from looplint.domain.objects import Container, Dict, Instance, List, StateDict
from looplint.domain.values import (
    NONE,
    NOTHING,
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
    Value,
    const,
    constant_of,
    exact_items,
    join,
    ref,
    refs,
    released,
)
from looplint.interpreter import iterators, objects
from looplint.interpreter.elements import element_of, loaders_in, note_last
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.transfers import methods_of, transfer
from looplint.semantics import keeping
from looplint.syntax import ir

# The dicts of which keywords alone are all entries.
_OF_KEYWORDS = frozenset({"builtins.dict", "munch.Munch", "addict.Dict", "box.Box"})


@transfer("sequence")
def _sequence(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    if not args.positional:
        return ref(objects.new_list(interp, expr.node, [], exact=True))
    given = args.positional[0]
    if qualname == "itertools.chain.from_iterable":
        params = [a for value in (given, element_of(interp, given)) for a in value if isinstance(a, Params) and a.form == "several"]
        if params:
            return iterators.lazily(frozenset(params))
    else:
        iterators.exhaust_argument(interp, args, expr)
        given = released(given)
    if any(isinstance(a, Params | Tensor) for a in given):
        return given
    items = exact_items(given)
    if items is not None and qualname != "builtins.set":
        return ref(objects.new_list(interp, expr.node, items, exact=True))
    if loaders_in(given) or any(isinstance(a, Iter) and any(isinstance(e, Number) for e in a.element) for a in given):
        return given
    return ref(objects.new_list(interp, expr.node, [element_of(interp, given)], exact=False))


@transfer("list")
def _list(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    made = objects.new_list(interp, expr.node, [], exact=False)
    made.bounded = args.get(1, "maxlen") not in (None, NONE)
    return ref(made)


@transfer("dict")
def _dict(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    if len(args.positional) == 1 and not args.keywords and refs(args.positional[0], StateDict):
        return args.positional[0]  # another dict of the same tensors
    obj = interp.create(Dict, expr.node)
    for other in refs(args.positional[0], Dict) if args.positional else ():
        _take_entries(interp, obj, other)
    for name, value in args.keywords.items():
        interp.write(obj, f"={name}", value)
        interp.write(obj, "[]", value)
    if args.spread:
        interp.write(obj, "[]", args.spread)
    pairs = (
        _pairs_in(args.positional[0])
        if len(args.positional) == 1 and not args.keywords and qualname.endswith((".dict", ".OrderedDict"))
        else None
    )
    for name, value in pairs or ():
        interp.write(obj, f"={name}", value)
        interp.write(obj, "[]", value)
    if not pairs and args.positional and not qualname.endswith(("defaultdict", "Counter")):
        _take_pairs(interp, obj, frozenset(a for a in args.positional[0] if not (isinstance(a, Ref) and isinstance(a.obj, Dict))))
    written = not args.positional and not args.starred and qualname in _OF_KEYWORDS and bool(args.keywords)
    obj.exact = written or bool(pairs)
    if qualname.endswith("defaultdict") and args.positional:
        made = interp.call(args.positional[0], Arguments(), expr)
        interp.write(obj, "[]", made)
    return ref(obj)


@transfer("dict-of-attributes")
def _dict_of_attributes(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    made = _dict(interp, qualname, args, expr)
    for obj in refs(made, Dict):
        obj.by_attribute = True
    return made


def _take_entries(interp: Interpreter, obj: Dict, other: Dict) -> None:
    """Put what another dict holds into a dict."""
    rewritten = objects.is_rewritten(interp, other)
    for slot, stored in other.heap.items():
        interp.write(obj, slot, objects.entries(interp, other) if rewritten else stored)


def _take_pairs(interp: Interpreter, obj: Dict, pairs: Value) -> None:
    """Put what the pairs of an iterable give for their keys into a dict, as `dict(zip(names, layers))` does."""
    for pair in element_of(interp, pairs) if pairs else ():
        items = exact_items(frozenset({pair}))
        interp.write(obj, "[]", items[1] if items is not None and len(items) == 2 else UNKNOWN)


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
def _namespace(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    if qualname == "easydict.EasyDict" and interp.reachable(args.values()):
        return _dict_of_attributes(interp, qualname, args, expr)  # of settings alone it is an object with attributes
    obj = interp.create(Instance, expr.node, qualname=qualname)
    for name, value in args.keywords.items():
        interp.write(obj, name, value)
    return ref(obj)


def _perhaps_a_list(atom: Atom) -> Atom:
    """What a model that is not known gives back, where a list takes its items: as likely a list of words or numbers as a tensor."""
    if isinstance(atom, Tensor) and atom.graph == "yes" and not atom.made and all(o.cls is None and not o.qualname for o in atom.sources):
        return replace(atom, graph="maybe")
    return atom


@methods_of(List)
def _on_list(interp: Interpreter, obj: List, name: str, args: Arguments, expr: ir.Call) -> Value:
    match name:
        case "append" | "add" | "appendleft" | "insert" | "extend":
            value = args.positional[-1] if args.positional else NOTHING
            if name == "extend":
                value = element_of(interp, frozenset(map(_perhaps_a_list, value)))
            value = keeping.keep(interp, expr.node, ref(obj), value, None)
            if interp.guarded():
                value = frozenset(replace(a, exact=False) if isinstance(a, Params) else a for a in value)
            if interp.loops == keeping.born_in(obj) and not interp.guards and obj.items is not None and name == "append":
                # In straight-line code the list stays exactly known; the same call seen twice adds once.
                obj.appended = {**obj.appended, (id(expr), interp.frame.ctx): value}
                obj.display = obj.items if obj.display is None else obj.display
                obj.items = (*obj.display, *obj.appended.values())
            else:
                obj.items = None
                obj.changed = True
            note_last(interp, obj, value if name == "append" else None)
            interp.write(obj, "[]", value)
        case "pop" | "popleft":
            keeping.take_out(interp, expr.node, ref(obj))
            obj.items = obj.last = None
            return objects.entries(interp, obj)
        case "clear" | "remove":
            keeping.take_out(interp, expr.node, ref(obj))
        case "sort" | "reverse":
            _put_in_another_order(obj)
        case "copy":
            return ref(obj)
    return UNKNOWN


def _put_in_another_order(obj: List) -> None:
    """Which item stands where is not known any more, of more than one."""
    if obj.items is not None and len(set(obj.items)) > 1:
        obj.items = obj.last = None


@transfer("shuffle")
def _shuffle(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    for obj in refs(args.get(0, "x") or NOTHING, List):
        _put_in_another_order(obj)
    return NONE


@methods_of(Dict)
def _on_dict(interp: Interpreter, obj: Dict, name: str, args: Arguments, expr: ir.Call) -> Value:
    if name in ("pop", "popitem", "clear"):
        keeping.take_out(interp, expr.node, ref(obj))
    match name:
        case "items":
            return _pairs(interp, obj)
        case "values":
            items = objects.exact_entries(interp, obj)
            if items is not None:
                return frozenset({Tuple(tuple(v for _, v in items))})
            return frozenset({Iter(objects.entries(interp, obj))})
        case "get" | "pop" | "setdefault":
            key = constant_of(args.positional[0]) if args.positional else None
            default = args.positional[1] if len(args.positional) > 1 else NOTHING
            if name == "setdefault" and default:
                interp.write(obj, f"={str(key.value)}" if key else "[]", default)
                obj.changed = obj.changed or key is None
                for given in refs(default, Container):
                    given.loops = keeping.born_in(obj)  # the first one stays there
            if default and name != "setdefault" and obj.of_call and key is not None and _lacks(interp, obj, f"={key.value!s}"):
                return default
            found = objects.item(interp, obj, key)
            return join(found, default) if default and name != "setdefault" else found
        case "popitem":
            return frozenset({Tuple((UNKNOWN, objects.item(interp, obj, None)))})
        case "update":
            for value in args.values():
                for other in refs(value, Dict):
                    _take_entries(interp, obj, other)
            for slot, value in args.keywords.items():
                interp.write(obj, f"={slot}", value)
                interp.write(obj, "[]", value)
            if args.starred or not all(_is_exact(interp, value) for value in args.positional):
                obj.changed = True
                _forget_settings(interp, obj)
        case "copy":
            return ref(obj)
    return UNKNOWN


def _forget_settings(interp: Interpreter, obj: Dict) -> None:
    """What is not known has been put into a dict: the constants in it are defaults."""
    for slot, value in [*obj.heap.items()]:
        if slot.startswith("=") and all(isinstance(a, Const) for a in value):
            interp.write(obj, slot, UNKNOWN)


def _is_exact(interp: Interpreter, value: Value) -> bool:
    """Whether a value is a dict of which all entries are known."""
    return len(value) == 1 and any(objects.exact_entries(interp, other) is not None for other in refs(value, Dict))


def _lacks(interp: Interpreter, obj: Dict, slot: str) -> bool:
    """Whether a dict has no entry under a key, whatever is called: `kwargs.pop("closure", None)` where no caller gives one."""
    return objects.exact_entries(interp, obj) is not None and slot not in obj.heap


def _pairs(interp: Interpreter, obj: Dict) -> Value:
    items = objects.exact_entries(interp, obj)
    if items is not None:
        return frozenset({Tuple(tuple(frozenset({Tuple((const(key), value))}) for key, value in items))})
    return frozenset({Iter(frozenset({Tuple((UNKNOWN, objects.entries(interp, obj)))}))})
