"""What Python's own functions do to the values of a loop: iteration, containers, attributes by name."""

from __future__ import annotations

from dataclasses import replace

from looplint.domain.membership import adopt, ready, register
from looplint.domain.values import (
    NONE,
    NOTHING,
    UNKNOWN,
    Arguments,
    Const,
    External,
    Iter,
    Number,
    Params,
    Partial,
    Ref,
    Super,
    Tensor,
    Tuple,
    Unknown,
    Value,
    const,
    constant_of,
    exact_items,
    join,
    ref,
)
from looplint.interpreter import calls, objects
from looplint.interpreter.elements import element_of
from looplint.interpreter.machine import Effect, Machine
from looplint.semantics import checkpoints, loaders
from looplint.syntax import ir


def _range(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    bound = args.positional[1 if len(args.positional) > 1 else 0] if args.positional else NOTHING
    if len(args.positional) > 1:
        checkpoints.note_continued(args.positional[0])
    return frozenset({Iter(frozenset({Number()}), bound=bound)})


def _enumerate(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    given = args.get(0, "iterable") or UNKNOWN
    items = exact_items(given)
    if items is not None and len(items) <= 6 and all(not isinstance(a, Const) for i in items for a in i):
        pairs = tuple(frozenset({Tuple((const(n), item))}) for n, item in enumerate(items))
        return frozenset({Tuple(pairs)})
    return frozenset({Iter(frozenset({Tuple((frozenset({Number()}), _iterated(m, given)))}), loaders.loaders_in(given))})


def _iterated(m: Machine, value: Value) -> Value:
    return element_of(m, value)


def _zip(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    columns = [exact_items(v) for v in args.positional]
    exact = [c for c in columns if c is not None]
    if exact and len(exact) == len(columns) and len({len(c) for c in exact}) == 1 and len(exact[0]) <= 6:
        rows = zip(*exact)
        return frozenset({Tuple(tuple(frozenset({Tuple(tuple(row))}) for row in rows))})
    over = frozenset().union(*(loaders.loaders_in(v) for v in args.positional))
    return frozenset({Iter(frozenset({Tuple(tuple(_iterated(m, v) for v in args.positional))}), over)})


def _progress(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """tqdm and its like: an iterable that yields what it wraps."""
    given = args.get(0, "iterable", "sequence")
    if given is None:
        return UNKNOWN
    if exact_items(given) is not None:
        return given
    bound = frozenset().union(*(a.bound for a in given if isinstance(a, Iter)))
    return frozenset({Iter(_iterated(m, given), loaders.loaders_in(given), bound)})


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
    return ref(objects.new_list(m, expr.node, [_iterated(m, given)], exact=False))


def _chain(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    params = [a for v in args.positional for a in v if isinstance(a, Params)]
    if params:
        return frozenset(params)
    result: Value = NOTHING
    for value in args.positional:
        result = join(result, _iterated(m, value))
    return frozenset({Iter(result or UNKNOWN)})


def _filter(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    given = args.positional[-1] if args.positional else UNKNOWN
    params = [replace(a, exact=False) for a in given if isinstance(a, Params)]
    return frozenset(params) if params else frozenset({Iter(_iterated(m, given), loaders.loaders_in(given))})


def _map(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    if len(args.positional) < 2:
        return UNKNOWN
    inner = Arguments([_iterated(m, v) for v in args.positional[1:]])
    return frozenset({Iter(calls.call(m, args.positional[0], inner, expr))})


def _next(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    return _iterated(m, args.positional[0]) if args.positional else UNKNOWN


def _length(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    given = args.positional[0] if args.positional else NOTHING
    items = exact_items(given)
    if items is not None:
        return const(len(items))
    return frozenset({Number(frozenset({"batches"}) if any(isinstance(a, Ref) and a.obj.kind == "loader" for a in given) else frozenset())})


def _super(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    frame = m.frame
    while frame.owner is None and frame.closure is not None:
        frame = frame.closure
    first = frame.function.params[0].name if frame.function.params else ""
    instance = frame.locals.get(first) or frame.instance
    if frame.owner is None:
        ready(instance)
        return UNKNOWN
    return frozenset({Super(frame.owner, instance)})


def _getattr(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    from looplint.interpreter.expressions import attribute

    name = constant_of(args.positional[1]) if len(args.positional) > 1 else None
    if name is not None and isinstance(name.value, str):
        return attribute(m, args.positional[0], name.value)
    if args.positional and any(not isinstance(a, Unknown | Const) for a in args.positional[0]) and m.reachable(args.positional[:1]):
        return calls.unknown_call(m, None, args, expr)
    if args.positional and all(isinstance(a, External) for a in args.positional[0]):
        return _dynamic_member(m, args.positional[0])
    return UNKNOWN


def _dynamic_member(m: Machine, value: Value) -> Value:
    """`getattr(torch.optim, name)`: any class of that module has the same effect."""
    return frozenset({External(f"{a.qualname}.Any") for a in value if isinstance(a, External)})


def _setattr(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    name = constant_of(args.positional[1]) if len(args.positional) > 2 else None
    for atom in args.positional[0] if args.positional else NOTHING:
        if isinstance(atom, Ref):
            if name is not None and isinstance(name.value, str) and len(args.positional) > 2:
                m.write(atom.obj, name.value, args.positional[2])
            elif len(args.positional) > 2:
                adopt(atom.obj, args.positional[2])
            if len(args.positional) > 2:
                register(args.positional[2])
    return NONE


def _hasattr(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    return UNKNOWN


def _partial(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    if not args.positional:
        return UNKNOWN
    return frozenset({Partial(args.positional[0], tuple(args.positional[1:]), tuple(args.keywords.items()))})


def _decorator(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    return args.positional[0] if args.positional else UNKNOWN


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
        made = calls.call(m, args.positional[0], Arguments(), expr)
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


def _list(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    return ref(objects.new_list(m, expr.node, [], exact=False))


def _namespace(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    obj = m.create("instance", expr.node, qualname=qualname)
    for name, value in args.keywords.items():
        m.write(obj, name, value)
    return ref(obj)


def _exit(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    m.die()
    return UNKNOWN


def _spawn(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """A launcher: the function it is given runs with its arguments, after the rank."""
    if not args.positional:
        return UNKNOWN
    given = args.get(1, "args")
    items = exact_items(given) if given else None
    rank = [frozenset({Number()})] if qualname.startswith("torch") else []
    calls.call(m, args.positional[0], Arguments([*rank, *(items or [])], {}, items is None), expr)
    return UNKNOWN


EFFECTS: dict[str, Effect] = {
    "range": _range, "enumerate": _enumerate, "zip": _zip, "progress": _progress, "sequence": _sequence, "chain": _chain,
    "filter": _filter, "map": _map, "next": _next, "length": _length, "super": _super, "getattr": _getattr, "setattr": _setattr,
    "hasattr": _hasattr, "partial": _partial, "decorator": _decorator, "dict": _dict, "list": _list, "namespace": _namespace,
    "exit": _exit, "spawn": _spawn,
}  # fmt: skip
