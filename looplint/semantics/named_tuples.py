"""Named tuples: tuples whose items have names as well."""

from __future__ import annotations

from looplint.dataclass import replace
from looplint.domain.values import NOTHING, UNKNOWN, Arguments, External, Method, Partial, Tuple, Value, const, constant_of, exact_items
from looplint.interpreter import unfollowed
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.transfers import transfer
from looplint.syntax import ir

_BUILDER = frozenset({External("collections.namedtuple.__call__")})


@transfer("named-tuple")
def _named_tuple(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """`namedtuple("Output", "logits loss")`: what is called to make one knows the names."""
    names = _names_in(args.get(1, "field_names", "fields") or NOTHING)
    if not names or args.starred or "rename" in args.keywords:
        return unfollowed.unknown_call(interp, None, args, expr)
    return frozenset({Partial(_BUILDER, (frozenset({Tuple(tuple(map(const, names)))}),), ())})


@transfer("build-named-tuple")
def _build(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """`Output(logits, loss)`; what is not given has its default."""
    names = _names_in(args.get(0) or NOTHING)
    given = args.handed_on(args.positional[1:])
    if args.starred or len(given.positional) > len(names) or not args.keywords.keys() <= set(names):
        return unfollowed.unknown_call(interp, None, given, expr)
    return frozenset({Tuple(tuple(given.get(number, name) or UNKNOWN for number, name in enumerate(names)), names)})


def call_method(interp: Interpreter, method: Method, whole: Tuple, args: Arguments, expr: ir.Call) -> Value:
    """A method of a named tuple: `output._replace(loss=loss)` gives another one. The others may do anything with what is in it."""
    if method.name == "_replace" and not args.starred and not args.positional and args.keywords.keys() <= set(whole.names):
        return frozenset({replace(whole, items=tuple(args.keywords.get(name, item) for name, item in zip(whole.names, whole.items)))})
    return unfollowed.unknown_call(interp, method, args.handed_on([*whole.items, *args.positional]), expr)


def _names_in(value: Value) -> tuple[str, ...]:
    """The names of the items, from a text or a sequence of names, or of pairs of names and types; none where one is not known."""
    known = constant_of(value)
    if known is not None:
        return tuple(known.value.replace(",", " ").split()) if isinstance(known.value, str) else ()
    found = [
        constant_of(next(iter(exact_items(item) or ()), NOTHING) if constant_of(item) is None else item)
        for item in exact_items(value) or ()
    ]
    names = tuple(each.value for each in found if each is not None and isinstance(each.value, str))
    return names if len(names) == len(found) else ()
