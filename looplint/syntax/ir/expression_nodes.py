"""Expressions of the structured code, their parts, and their texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import libcst as cst

from looplint.dataclass import dataclass

if TYPE_CHECKING:
    from looplint.syntax.ir.definitions import Function

_EMPTY = cst.Module([])
# What a literal can be.
Constant = bool | int | float | complex | str | bytes | None


@dataclass(slots=True, eq=False)
class Const:
    """A number, text, bytes, True, False or None."""

    node: cst.CSTNode
    value: Constant


@dataclass(slots=True, eq=False)
class Name:
    """A name that is read or set."""

    node: cst.CSTNode
    id: str


@dataclass(slots=True, eq=False)
class Attr:
    """`value.attr`."""

    node: cst.CSTNode
    value: Expr
    attr: str


@dataclass(slots=True, eq=False)
class Arg:
    """An argument of a call: by position, by `keyword`, or unpacked (`star` is "*" or "**")."""

    value: Expr
    keyword: str | None = None
    star: str = ""


@dataclass(slots=True, eq=False)
class Call:
    """A call. It is `dropped` where it is a statement, or an item of one: its result is not used."""

    node: cst.CSTNode
    func: Expr
    args: list[Arg]
    dropped: bool = False


@dataclass(slots=True, eq=False)
class Display:
    """A tuple, list or set display."""

    node: cst.CSTNode
    kind: str
    items: list[Expr]


@dataclass(slots=True, eq=False)
class DictDisplay:
    """`{key: value}`; a key of None unpacks another dictionary."""

    node: cst.CSTNode
    items: list[tuple[Expr | None, Expr]]


@dataclass(slots=True, eq=False)
class Subscript:
    """`value[index]`."""

    node: cst.CSTNode
    value: Expr
    index: Expr


@dataclass(slots=True, eq=False)
class Binary:
    """An operator with two operands, `op` as it is written."""

    node: cst.CSTNode
    op: str
    left: Expr
    right: Expr


@dataclass(slots=True, eq=False)
class Unary:
    """An operator with one operand; `op` may be "not"."""

    node: cst.CSTNode
    op: str
    operand: Expr


@dataclass(slots=True, eq=False)
class Compare:
    """A comparison, chained where there are several `rights`."""

    node: cst.CSTNode
    left: Expr
    ops: list[str]
    rights: list[Expr]


@dataclass(slots=True, eq=False)
class BoolOp:
    """`left and right`, `left or right`."""

    node: cst.CSTNode
    op: str
    left: Expr
    right: Expr


@dataclass(slots=True, eq=False)
class IfExp:
    """`body if test else orelse`."""

    node: cst.CSTNode
    test: Expr
    body: Expr
    orelse: Expr


@dataclass(slots=True, eq=False)
class Lambda:
    """A lambda, as the function that it is."""

    node: cst.CSTNode
    function: Function


@dataclass(slots=True, eq=False)
class Clause:
    """A `for ... in ...` of a comprehension, with its conditions."""

    target: Expr
    iter: Expr
    tests: list[Expr]


@dataclass(slots=True, eq=False)
class Comprehension:
    """A comprehension or generator expression; `kind` is the name of its CST node, `elements` are the element, or key and value."""

    node: cst.CSTNode
    kind: str
    elements: list[Expr]
    clauses: list[Clause]


@dataclass(slots=True, eq=False)
class Star:
    """`*value` in a display or a target."""

    node: cst.CSTNode
    value: Expr


@dataclass(slots=True, eq=False)
class Yield:
    """`yield value`; where it is `delegated`, `yield from value`."""

    node: cst.CSTNode
    value: Expr | None
    delegated: bool = False


@dataclass(slots=True, eq=False)
class Walrus:
    """`(target := value)`."""

    node: cst.CSTNode
    target: Expr
    value: Expr


@dataclass(slots=True, eq=False)
class Format:
    """An f-string: its interpolated expressions, and the text before the first and after the last of them."""

    node: cst.CSTNode
    parts: list[Expr]
    begins: str = ""
    ends: str = ""


@dataclass(slots=True, eq=False)
class Opaque:
    """Anything else: only its parts matter."""

    node: cst.CSTNode
    parts: list[Expr]


Expr = (
    Const | Name | Attr | Call | Display | DictDisplay | Subscript | Binary | Unary | Compare | BoolOp | IfExp | Lambda |
    Comprehension | Star | Yield | Walrus | Format | Opaque
)  # fmt: skip


# What a comparison of two sides is for those sides in the other order.
MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
# What it is where it does not hold.
NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
# What a comparison that denies another one denies.
DENIED = {"is not": "is", "!=": "==", "not in": "in"}


def path_of(expr: Expr) -> str | None:
    """The dotted text of a name or an attribute chain (`self.opt`), or None."""
    match expr:
        case Name():
            return expr.id
        case Attr():
            base = path_of(expr.value)
            return f"{base}.{expr.attr}" if base else None
    return None


def argument(call: Call, position: int, keyword: str) -> Expr | None:
    """What a call gives for a parameter, by its name or at its place; what is unpacked there stands as it is."""
    return next((a.value for n, a in enumerate(call.args) if a.keyword == keyword or (a.keyword is None and n == position)), None)


def called_name(call: Call) -> str:
    """The last part of the name that is called: `step` of `self.optimizer.step()` and `optimizers[i].step()`; empty where it has none."""
    match call.func:
        case Name(id=name) | Attr(attr=name):
            return name
    return ""


def affirmed(test: Expr, held: bool) -> tuple[Expr, bool]:
    """A test without the `not` before it, and its outcome."""
    while isinstance(test, Unary) and test.op == "not":
        test, held = test.operand, not held
    return test, held


def settled(test: Expr, held: bool) -> Iterator[tuple[Expr, bool]]:
    """The tests that a test is made of, with their outcomes, where they follow from its own: `a and b` holds where both do."""
    test, held = affirmed(test, held)
    if isinstance(test, BoolOp) and held == (test.op == "and"):
        yield from settled(test.left, held)
        yield from settled(test.right, held)
    else:
        yield test, held


def named(path: str, node: cst.CSTNode) -> Expr:
    """The expression that a dotted name is the text of."""
    first, *rest = path.split(".")
    expr: Expr = Name(node, first)
    for part in rest:
        expr = Attr(node, expr, part)
    return expr


def children(expr: Expr) -> Sequence[Expr]:
    """The direct sub-expressions of an expression."""
    find = _CHILDREN.get(type(expr))
    return find(expr) if find is not None else ()


def _parts_of_call(expr: Call) -> Sequence[Expr]:
    return [expr.func, *(arg.value for arg in expr.args)]


def _parts_of_dict(expr: DictDisplay) -> Sequence[Expr]:
    return [part for pair in expr.items for part in pair if part is not None]


def _parts_of_comprehension(expr: Comprehension) -> Sequence[Expr]:
    return [*expr.elements, *(part for clause in expr.clauses for part in (clause.iter, *clause.tests))]


_CHILDREN: dict[type, Callable[[Any], Sequence[Expr]]] = {
    Attr: lambda expr: (expr.value,),
    Star: lambda expr: (expr.value,),
    Walrus: lambda expr: (expr.value,),
    Call: _parts_of_call,
    Display: lambda expr: expr.items,
    DictDisplay: _parts_of_dict,
    Subscript: lambda expr: (expr.value, expr.index),
    Binary: lambda expr: (expr.left, expr.right),
    BoolOp: lambda expr: (expr.left, expr.right),
    Unary: lambda expr: (expr.operand,),
    Compare: lambda expr: (expr.left, *expr.rights),
    IfExp: lambda expr: (expr.test, expr.body, expr.orelse),
    Comprehension: _parts_of_comprehension,
    Yield: lambda expr: (expr.value,) if expr.value is not None else (),
    Format: lambda expr: expr.parts,
    Opaque: lambda expr: expr.parts,
}


def walk(*roots: Expr) -> Iterator[Expr]:
    """Some expressions, and all that they are made of, in no particular order."""
    work = list(roots)
    while work:
        item = work.pop()
        yield item
        work.extend(children(item))


def paths_in(expr: Expr) -> set[str]:
    """The names and attribute chains an expression reads, with every prefix of each chain."""
    return {path for path in map(path_of, walk(expr)) if path}


def render(expr: Expr | None) -> str:
    """A short canonical text of an expression, for condition keys and messages."""
    match expr:
        case None:
            return ""
        case Const():
            return repr(expr.value)
        case Name():
            return expr.id
        case Attr(value=Compare()):
            return f"({render(expr.value)}).{expr.attr}"
        case Attr():
            return f"{render(expr.value)}.{expr.attr}"
        case Call():
            args = ", ".join((f"{a.keyword}=" if a.keyword else a.star) + render(a.value) for a in expr.args)
            return f"{render(expr.func)}({args})"
        case Display():
            inner = ", ".join(render(i) for i in expr.items)
            return f"[{inner}]" if expr.kind == "list" else f"({inner})"
        case Subscript():
            return f"{render(expr.value)}[{render(expr.index)}]"
        case Binary():
            return f"({render(expr.left)} {expr.op} {render(expr.right)})"
        case Unary():
            return f"{expr.op}({render(expr.operand)})"
        case Compare():
            return render(expr.left) + "".join(f" {op} {render(r)}" for op, r in zip(expr.ops, expr.rights))
        case BoolOp():
            return f"({render(expr.left)} {expr.op} {render(expr.right)})"
        case _:
            return " ".join(_EMPTY.code_for_node(expr.node).split())
