"""The places of values, as text: what a name, an attribute or an entry of a container is called, and what a loop calls the items of one."""

from __future__ import annotations

from collections.abc import Iterator

from looplint.syntax.ir.expression_nodes import Arg, Attr, Call, Const, Display, Expr, Name, Opaque, Star, Subscript

# What iterating over a container gives; for a dict, its keys.
ITEM = "[*]"
# Whichever entry of a container.
ANY_ENTRY = "[]"
# What goes over the items of what it is given.
_PASSING_ON = frozenset({"reversed", "sorted", "list", "tuple", "tqdm", "iter", "trange"})


def place_of(expr: Expr) -> str | None:
    """The text of a name, an attribute or an entry, or None: `state[optimizer]` for `state["optimizer"]`, `agents[].optim` where the key varies."""
    match expr:
        case Name():
            return expr.id
        case Attr(value=owner, attr=attr):
            base = place_of(owner)
            return f"{base}.{attr}" if base else None
        case Subscript(value=owner, index=index):
            key = _key(index)
        case Call(func=Attr(value=owner, attr="get" | "pop"), args=[Arg(value=Const(value=str()) as index, keyword=None), *_]):
            key = _key(index)
        case _:
            return None
    base = place_of(owner) if key is not None else None
    return f"{base}[{key}]" if base else None


def _key(index: Expr) -> str | None:
    """The text of a key; "" where it varies, None where it takes several entries, or has letters that places are made of."""
    match index:
        case Const(value=str(key)):
            return key if key and not set(key) & set(".[]*") else None
        case Const(value=int(number)) if type(number) is int:
            return str(number)
        case Opaque() | Display() | Star() | Const():
            return None
    return ""


def head_of(place: str) -> str:
    """The name that a place begins with."""
    return place.partition("[")[0].partition(".")[0]


def bound_to_items(target: Expr, iterable: Expr) -> Iterator[tuple[str, str]]:
    """The names that a loop binds to the items or entries of a container each, with the place of these: ("opt", "optimizers[*]")."""
    match target, iterable:
        case Name(id=name), Name() | Attr() | Subscript():
            container = place_of(iterable)
            if container is not None:
                yield name, container + ITEM
        case Name(id=name), Call(func=Attr(value=mapping, attr="values"), args=[]):
            container = place_of(mapping)
            if container is not None:
                yield name, container + ANY_ENTRY
        case Display(items=[_, Name(id=name)]), Call(func=Attr(value=mapping, attr="items"), args=[]):
            container = place_of(mapping)
            if container is not None:
                yield name, container + ANY_ENTRY
        case Display(items=[_, element]), Call(func=Name(id="enumerate"), args=[Arg(value=inner), *_]):
            yield from bound_to_items(element, inner)
        case Display(items=elements), Call(func=Name(id="zip"), args=args):
            for element, arg in zip(elements, args, strict=False):
                yield from bound_to_items(element, arg.value)
        case _, Call(func=Name(id=name), args=[Arg(value=inner, star=""), *_]) if name in _PASSING_ON:
            yield from bound_to_items(target, inner)
