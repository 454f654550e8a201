"""What operators make of values that are known: arithmetic, comparison, and whether a value counts as true."""

from __future__ import annotations

from typing import Any

from looplint.dataclass import replace
from looplint.domain.objects import Dict, List, Module
from looplint.domain.tensors import combine, computed
from looplint.domain.texts import joined_text
from looplint.domain.values import (
    NOTHING,
    UNKNOWN,
    Atom,
    ClassRef,
    Const,
    External,
    Func,
    Method,
    Number,
    Params,
    Partial,
    Ref,
    Tensor,
    Tuple,
    Unknown,
    Value,
    const,
    constant_of,
    exact_items,
    is_text,
    join,
    may_be_unknown,
    ref,
    refs,
)  # fmt: skip
from looplint.interpreter import classes, hooks, objects
from looplint.interpreter.elements import element_of
from looplint.interpreter.interpreter import Interpreter
from looplint.knowledge import lookup
from looplint.syntax import ir

# The methods by which a class says what an operator makes of its objects (https://docs.python.org/3/reference/datamodel.html#emulating-numeric-types).
_METHODS = {
    "+": "__add__",
    "-": "__sub__",
    "*": "__mul__",
    "/": "__truediv__",
    "//": "__floordiv__",
    "%": "__mod__",
    "@": "__matmul__",
    "**": "__pow__",
}


def binary(interp: Interpreter, op: str, left: Value, right: Value, expr: ir.Binary | ir.AugAssign) -> Value:
    one, two = constant_of(left), constant_of(right)
    if one is not None and two is not None:
        return _fold(op, one.value, two.value)
    own = _own(interp, _METHODS.get(op, ""), left, right)
    if own is not None:
        return own
    if op == "%" and is_text(left):
        hooks.formatted.run(interp, expr.right if isinstance(expr, ir.Binary) else expr.value, right)
        return UNKNOWN
    lists = refs(left | right, List)
    tensor = combine(interp.grad, [left, right])
    if tensor is not None and not (op == "+" and lists and not any(isinstance(a, Tensor) for a in left | right)):
        return frozenset({hooks.operated.run(interp, op, left, right, tensor, expr)})
    modules = refs(left, Module)
    if op == "+" and modules:
        hooks.extended.run(interp, modules, right)
        return left
    if op == "+" and lists:
        items_left, items_right = exact_items(left), exact_items(right)
        exact = items_left is not None and items_right is not None
        items = [*(items_left or [element_of(interp, left)]), *(items_right or [element_of(interp, right)])]
        return ref(objects.new_list(interp, expr.node, items, exact=exact))
    if op == "*" and lists:
        return ref(objects.new_list(interp, expr.node, [element_of(interp, left if refs(left, List) else right)], exact=False))
    if any(isinstance(a, Params) for a in left | right):
        return join(*(frozenset(a.result() for a in side if isinstance(a, Params)) for side in (left, right)))
    units = frozenset().union(*(a.units for a in left | right if isinstance(a, Number)))
    plain = _are_numbers(left) and _are_numbers(right)
    number = hooks.reckoned.run(interp, op, left, right, units, expr) if units or plain else None
    if number is not None and (plain or number.units):
        return frozenset({number})
    unknown = [a for a in left | right if isinstance(a, Unknown)]
    made_of = Unknown(frozenset().union(*(a.deps for a in unknown)), frozenset().union(*(a.files for a in unknown)))
    return frozenset({replace(made_of, text=joined_text(left, right)) if op == "+" and unknown else made_of})


def _own(interp: Interpreter, method: str, left: Value, right: Value) -> Value | None:
    """What the classes of the program make of an operator on their objects; None where one of what the left side can be has none of its own."""
    found: Value = NOTHING
    for atom in left if method else ():
        member = (
            classes.find_member(interp, atom.obj.cls, method)
            if isinstance(atom, Ref) and atom.obj.kind == "instance" and atom.obj.cls
            else None
        )
        if not isinstance(atom, Ref) or member is None:
            return None
        found = join(found, objects.call_values(interp, classes.bind(interp, member, atom.obj), [right]))
    return found or None


def _are_numbers(value: Value) -> bool:
    return bool(value) and all(isinstance(a, Number) or (isinstance(a, Const) and isinstance(a.value, int | float)) for a in value)


def _fold(op: str, left: Any, right: Any) -> Value:
    """Arithmetic on small constants; anything else is just not known."""
    numbers = isinstance(left, int | float) and isinstance(right, int | float)
    try:
        if op == "+" and (numbers or (isinstance(left, str) and isinstance(right, str) and len(left) + len(right) < 1000)):
            return const(left + right)
        if numbers and op == "-":
            return const(left - right)
        if numbers and op == "*":
            return const(left * right)
        if numbers and op == "/":
            return const(left / right)
        if numbers and op == "//":
            return const(left // right)
        if numbers and op == "%":
            return const(left % right)
    except (ZeroDivisionError, OverflowError):
        return UNKNOWN
    return UNKNOWN


def negated(tensor: Tensor) -> Tensor:
    return computed(tensor) if tensor.made else replace(tensor, outcomes=frozenset())


def compare(op: str, left: Value, right: Value) -> bool | None:
    one, two = constant_of(left), constant_of(right)
    if one is not None and two is not None:
        return _compare_constants(op, one.value, two.value)
    if op in ("is", "is not", "==", "!=") and two is not None and two.value is None:
        positive = op in ("is", "==")
        if left and not may_be_unknown(left) and not any(map(_may_be_none, left)):
            return not positive
    if op in ("in", "not in") and one is not None:
        items = exact_items(right)
        if items is not None:
            constants = [constant_of(i) for i in items]
            if all(c is not None for c in constants):
                return (one.value in [c.value for c in constants if c]) == (op == "in")
    return None


def _may_be_none(atom: Atom) -> bool:
    """Whether what is compared with None may be it: what a caller out of sight hands in may be missing, whatever else it is used as."""
    match atom:
        case Const(value=value):
            return value is None
        case Ref(obj):
            return obj.symbolic
    return isinstance(atom, Number | Method)


def _compare_constants(op: str, left: Any, right: Any) -> bool | None:
    match op:
        case "==" | "is":
            return bool(left == right)
        case "!=" | "is not":
            return bool(left != right)
    if isinstance(left, int | float) and isinstance(right, int | float):
        match op:
            case "<":
                return left < right
            case "<=":
                return left <= right
            case ">":
                return left > right
            case ">=":
                return left >= right
    if isinstance(left, str) and isinstance(right, str) and op in ("in", "not in"):
        return (left in right) == (op == "in")
    return None


def truth_of(value: Value) -> bool | None:
    outcomes: set[bool | None] = set()
    for atom in value:
        match atom:
            case Const():
                outcomes.add(bool(atom.value))
            case Ref(obj=List(items=items)):
                outcomes.add(bool(items) if items is not None else None)
            case Ref(obj=Dict()):
                outcomes.add(None)
            case Ref():
                outcomes.add(None if atom.obj.symbolic else True)
            case Func(function=function):
                # A decorator may put anything in its place.
                outcomes.add(None if function.decorators else True)
            case Method(obj=Ref(obj=Module()), name="train" | "eval"):
                outcomes.add(True)  # `if model.train:` asks nothing: the mode is `training`
            case External(qualname=qualname):
                outcomes.add(True if lookup.counts_as_true(qualname) else None)
            case Tuple() | Partial() | ClassRef():
                outcomes.add(True)
            case _:
                outcomes.add(None)
    return outcomes.pop() if len(outcomes) == 1 else None
