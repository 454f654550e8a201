"""Iterables: ranges, enumerations, progress bars, and what else goes over the items of something."""

from __future__ import annotations

from looplint.dataclass import replace
from looplint.domain.objects import Generator, Instance, List, TorchModule
from looplint.domain.values import (
    NONE,
    NOTHING,
    UNKNOWN,
    Arguments,
    Const,
    Iter,
    Number,
    Params,
    Ref,
    Tuple,
    Value,
    const,
    exact_items,
    join,
    ref,
)
from looplint.interpreter import calls, iterators, loops, objects, unfollowed
from looplint.interpreter.elements import element_of, loaders_in
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.transfers import methods_of, transfer
from looplint.knowledge.lookup import call_effect
from looplint.semantics import averages, checkpoints
from looplint.syntax import ir


@transfer("range")
def _range(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    bound = args.positional[1 if len(args.positional) > 1 else 0] if args.positional else NOTHING
    if len(args.positional) > 1:
        checkpoints.note_continued(args.positional[0])
    step = expr.args[2].value if len(expr.args) > 2 else None
    of_chunks = step is not None and ir.path_of(step) is not None
    return frozenset({Iter(frozenset({Number(frozenset({"chunks"}) if of_chunks else frozenset())}), bound=bound)})


@transfer("enumerate")
def _enumerate(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    given = args.get(0, "iterable") or UNKNOWN
    items = exact_items(given)
    if items is not None and len(items) <= 6 and not any(isinstance(a, Const) and not isinstance(a.value, str) for i in items for a in i):
        pairs = tuple(frozenset({Tuple((const(n), item))}) for n, item in enumerate(items))
        return frozenset({Tuple(pairs)})
    return frozenset({Iter(frozenset({Tuple((frozenset({Number()}), element_of(interp, given)))}), loaders_in(given))})


@transfer("zip")
def _zip(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    columns = [exact_items(v) for v in args.positional]
    exact = [c for c in columns if c is not None]
    if exact and len(exact) == len(columns) and len({len(c) for c in exact}) == 1 and len(exact[0]) <= 6:
        rows = zip(*exact)
        return frozenset({Tuple(tuple(frozenset({Tuple(tuple(row))}) for row in rows))})
    over = frozenset().union(*(loaders_in(v) for v in args.positional))
    return frozenset({Iter(frozenset({Tuple(tuple(element_of(interp, v) for v in args.positional))}), over)})


@transfer("progress")
def _progress(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """tqdm and its like: an iterable that yields what it wraps."""
    given = args.get(0, "iterable", "sequence")
    if given is None:
        return UNKNOWN
    if exact_items(given) is not None:
        return given
    bound = frozenset().union(*(a.bound for a in given if isinstance(a, Iter)))
    return frozenset({Iter(element_of(interp, given), loaders_in(given), bound)})


@transfer("chain")
def _chain(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    params = [a for v in args.positional for a in v if isinstance(a, Params)]
    if params:
        return iterators.lazily(frozenset(params))
    result: Value = NOTHING
    for value in args.positional:
        result = join(result, element_of(interp, value))
    return iterators.lazily(frozenset({Iter(result or UNKNOWN)}))


@transfer("sum")
def _sum(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """`sum(lists, [])` puts lists together; other sums are computed."""
    start = args.get(1, "start") or NOTHING
    iterators.exhaust_argument(interp, args, expr)
    if not any(isinstance(a, Tuple) or (isinstance(a, Ref) and isinstance(a.obj, List)) for a in start):
        return calls.apply(interp, "tensor", qualname, args, expr)
    given = element_of(interp, args.get(0, "iterable") or UNKNOWN)
    items = [element_of(interp, each) for each in (given, *([start] if exact_items(start) else []))]
    return ref(objects.new_list(interp, expr.node, items, exact=False))


@transfer("filter")
def _filter(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    given = args.positional[-1] if args.positional else UNKNOWN
    params = [replace(a, exact=False) for a in given if isinstance(a, Params)]
    return iterators.lazily(frozenset(params) or frozenset({Iter(element_of(interp, given), loaders_in(given))}), choosing=True)


@transfer("drawn")
@transfer("drawn-items")
def _drawn(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """What is drawn by chance from several objects: any of them, or several. What is drawn from numbers or arrays tells nothing."""
    given = args.get(0, "seq", "population", "a", "x") or UNKNOWN
    items = element_of(interp, given)
    if not any(isinstance(a, Ref) and isinstance(a.obj, Instance | TorchModule) for a in items):
        return UNKNOWN
    several = call_effect(qualname) == "drawn-items" or args.get(1, "size") not in (None, NONE)
    return frozenset({Iter(items)}) if several else items


@transfer("map")
def _map(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    if len(args.positional) < 2:
        return UNKNOWN
    inner = Arguments([element_of(interp, v) for v in args.positional[1:]])
    results: list[Value] = []
    stmt = ir.For(expr.node, ir.Name(expr.node, "_"), expr.args[1].value if len(expr.args) > 1 else expr, [], [])
    loops.for_each(interp, stmt, args.positional[1], lambda: results.append(interp.call(args.positional[0], inner, expr)))
    return iterators.lazily(frozenset({Iter(results[-1])}), choosing=True)


@transfer("fold")
def _fold(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """`reduce(torch.add, losses)`: a function of two, which is given what it gave last and the next item."""
    if len(args.positional) < 2 or args.starred:
        return unfollowed.put_off(interp, args)
    function, given, *start = args.positional
    items = exact_items(given)
    if items and len(items) <= 6:
        result, *rest = [*start, *items]
        for item in rest:
            result = interp.call(function, Arguments([result, item]), expr)
        return result
    item = element_of(interp, given)
    results = start or [item]
    stmt = ir.For(expr.node, ir.Name(expr.node, "_"), expr.args[1].value if len(expr.args) > 1 else expr, [], [])
    loops.for_each(interp, stmt, given, lambda: results.append(interp.call(function, Arguments([results[-1], item]), expr)))
    return results[-1]


@transfer("next")
def _next(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    iterated = expr.args[0].value if expr.args else None
    if interp.loops and not interp.guarded() and isinstance(iterated, ir.Name | ir.Attr) and loaders_in(args.positional[0]):
        interp.loops[-1].draws = True
    if interp.loops and isinstance(iterated, ir.Name | ir.Attr) and len(interp.born(iterated)) == len(interp.loops) - 1:
        interp.loops[-1].taken |= loaders_in(args.positional[0]) if args.positional else frozenset()
    return element_of(interp, args.positional[0]) if args.positional else UNKNOWN


@methods_of(Generator)
def _of_generator(interp: Interpreter, obj: Generator, name: str, args: Arguments, expr: ir.Call) -> Value:
    return objects.element(interp, obj) if name in ("__next__", "send") else unfollowed.quiet(interp, args)


@transfer("length")
def _length(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    given = args.positional[0] if args.positional else NOTHING
    items = exact_items(given)
    if items is not None:
        return const(len(items))
    return frozenset({Number(averages.units_of_length(given, expr.args[0].value if expr.args else None))})
