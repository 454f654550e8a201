"""What a `for` goes over behind a bar of progress, and behind a name that the function gives it once."""

from __future__ import annotations

from typing import TypeGuard

from looplint.syntax import ir

# What gives the items of its first argument, one by one.
_PASSING_ON = frozenset({"tqdm", "track", "progress_bar", "progressbar", "alive_it"})
_RANGES = frozenset({"range", "trange", "arange"})


def given_to_name(expr: ir.Expr, function: ir.Function) -> ir.Expr:
    """What a function gives a name, where it does so once; any other expression as it is."""
    return given_once(function).get(expr.id, expr) if isinstance(expr, ir.Name) else expr


def passed_on(expr: ir.Expr) -> ir.Expr:
    """What a bar of progress shows the items of: `loader` of `tqdm(loader)`."""
    while _is_bar(expr) and expr.args:
        if expr.args[0].keyword is not None:
            break
        expr = expr.args[0].value
    return expr


def _is_bar(expr: ir.Expr) -> TypeGuard[ir.Call]:
    """Whether a call makes a bar of progress, which is what `with` gives of it too."""
    return isinstance(expr, ir.Call) and ir.called_name(expr) in _PASSING_ON


def counted_range(iterable: ir.Expr, function: ir.Function) -> str:
    """The `range(...)` whose numbers an iterable gives, as text; "" where it gives no such numbers.

    Args:
        iterable: what a loop goes over, `tqdm(range(epochs))`, `trange(epochs)`, or a name for one: `bar = tqdm(range(epochs))`.
        function: the one in whose text the loop stands.
    """
    counted = _range_of(iterable, function)
    return f"range({', '.join(ir.render(value) for value in _bounds(counted))})" if counted is not None else ""


def goes_on_from(iterable: ir.Expr, function: ir.Function) -> bool:
    """Whether the numbers of an iterable begin at one that the text does not tell, as where training is resumed: `range(start_epoch, epochs)`."""
    counted = _range_of(iterable, function)
    start, *end = _bounds(counted) if counted is not None else [None]
    return bool(start is not None and end and ir.paths_in(start))


def _bounds(counted: ir.Call) -> list[ir.Expr]:
    return [arg.value for arg in counted.args if arg.keyword is None and not arg.star]


def _range_of(iterable: ir.Expr, function: ir.Function) -> ir.Call | None:
    """The `range(...)` whose numbers an iterable gives."""
    expr = passed_on(given_to_name(passed_on(iterable), function))
    return expr if isinstance(expr, ir.Call) and ir.called_name(expr) in _RANGES else None


@ir.kept_with_code
def given_once(function: ir.Function) -> dict[str, ir.Expr]:
    """The values of the names that one statement of a function binds, and that are no parameters of it."""
    bound: dict[str, list[ir.Expr | None]] = {param.name: [None] for param in function.params}
    for stmt in ir.statements(function.body):
        match stmt:
            case ir.Assign(targets=[ir.Name(id=name)], value=value):
                bound.setdefault(name, []).append(value)
            case ir.With(items=[(context, ir.Name(id=name))]):
                bound.setdefault(name, []).append(context if _is_bar(context) else None)
            case _:
                for name in ir.binds(stmt):
                    bound.setdefault(name, []).append(None)
    return {name: values[0] for name, values in bound.items() if len(values) == 1 and values[0] is not None}
