"""Rows of data that a program makes up, as its text tells: how many, and whether their order means anything.

Rows that are drawn at random, each by itself, come in no order that means anything, and neither does what is computed of each row alone. Those of
`linspace` do, and so do those of draws that are put one after the other.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from looplint.domain.values import Const, constant_of
from looplint.interpreter.interpreter import Interpreter
from looplint.syntax import ir

_LIBRARY = re.compile(r"(?:torch|np|numpy)(?:\.random)?\.(\w+)")
# What is told the sizes of all dimensions first, what is told them last, and what counts.
_SIZES_FIRST = frozenset({"randn", "rand", "random", "random_sample", "standard_normal", "zeros", "ones", "full"})
_SIZES_LAST = frozenset({"randint", "normal", "uniform"})
_COUNTED = frozenset({"linspace", "arange"})
_LIKE = frozenset({"randn_like", "rand_like", "zeros_like", "ones_like"})
# What works on each element alone, or makes another type of the same elements; and what multiplies each row.
_OF_EACH = frozenset({
    "abs", "sin", "cos", "tan", "exp", "log", "log1p", "sqrt", "square", "pow", "sign", "tanh", "sigmoid", "relu", "clamp", "clip", "round", "floor",
    "from_numpy", "tensor", "as_tensor", "FloatTensor", "LongTensor", "Tensor", "array", "asarray", "float", "double", "half", "long", "int", "bool", "to",
    "type", "astype", "cuda", "cpu", "numpy", "clone", "detach", "contiguous", "requires_grad_", "matmul", "mm", "mv",
})  # fmt: skip
# What makes rows of a list of them, and what works on the rows of a table one by one, or on its columns, as those of `datasets`.
_LISTING = frozenset({"stack", "from_list"})
_OF_TABLES = frozenset({"map", "with_format", "remove_columns", "select_columns", "rename_column", "with_transform"})
# What takes a dimension, and works on each row alone where that is not the first.
_ALONG = frozenset({"unsqueeze", "squeeze", "sum", "mean", "argmax", "argmin", "norm", "prod", "softmax", "any", "all"})


class Rows(NamedTuple):
    """Rows that a program makes up."""

    # How many they are; None where the program does not say.
    length: int | None
    # Whether their order means nothing.
    alike: bool


class MadeUp:
    """What a function, and the module around it, says of the rows that it makes up."""

    def __init__(self, interp: Interpreter, function: ir.Function | None = None) -> None:
        self._interp = interp
        # Of another function than the one that runs, numbers are known where they stand in the text.
        self._function, self._runs = function or interp.frame.function, function is None
        # What is known of names and attributes, by their paths. A name that is computed of itself is what else it is given.
        self._known: dict[str, Rows | None] = {}

    def rows(self, expr: ir.Expr) -> Rows | None:
        """The rows that an expression gives; None where it is not seen to make them up."""
        match expr:
            case ir.Name() | ir.Attr():
                return self._named(ir.path_of(expr) or "")
            case ir.Unary(operand=operand):
                return self.rows(operand)
            case ir.Binary(op="@", left=left):
                return self.rows(left)
            case ir.Binary(left=left, right=right) | ir.Compare(left=left, rights=[right]):
                return self._together(left, right)
            case ir.Subscript(value=value, index=ir.Opaque()):  # a slice
                rows = self.rows(value)
                return Rows(None, rows.alike) if rows is not None else None
            case ir.Subscript(value=value, index=ir.Display(items=[ir.Opaque(parts=[]), *_])):  # columns of each row
                return self.rows(value)
            case ir.Subscript(value=value, index=ir.Const(value=str())):  # a column
                return self.rows(value)
            case ir.Comprehension(clauses=[ir.Clause(iter=ir.Call(func=ir.Name(id="range"), args=[counted])) as clause]) if _is_drawn(expr):
                return Rows(None if clause.tests else self._size(counted.value), alike=True)
            case ir.Call(func=ir.Attr(value=receiver, attr=name) as func, args=args):
                given = [arg.value for arg in args if arg.keyword is None and not arg.star]
                function = _LIBRARY.fullmatch(ir.path_of(func) or "")
                return self._made(expr, given, function[1]) if function is not None else self._computed(expr, [receiver, *given], name)
        return None

    def _made(self, call: ir.Call, given: list[ir.Expr], name: str) -> Rows | None:
        """The rows that a function of torch or numpy makes."""
        if name in _SIZES_FIRST:
            return Rows(self._size(_keyword(call, "size") or next(iter(given), None)), alike=True)
        if name in _SIZES_LAST:
            sizes = _keyword(call, "size") or (given.pop() if given else None)
            drawn_alike = all(self._constant(each) is not None for each in given)  # around a number, and not around what each row is
            return Rows(self._size(sizes), alike=True) if drawn_alike and (self._size(sizes) or isinstance(sizes, ir.Display)) else None
        if name in _COUNTED:
            counted = given[2:3] if name == "linspace" else given if len(given) == 1 else []
            return Rows(self._size(next(iter(counted), None)), alike=False)
        return self._computed(call, given, name)

    def _computed(self, call: ir.Call, given: list[ir.Expr], name: str) -> Rows | None:
        """The rows that a function makes of its first argument, or a method of what it belongs to."""
        if name in _LISTING:
            given = given[-1:]
        rows = self.rows(given[0]) if given else None
        if rows is None or name in _OF_EACH | _OF_TABLES | _LISTING:
            return rows
        if name in _LIKE:
            return Rows(rows.length, alike=True)
        if name in ("view", "reshape"):
            return Rows(None, rows.alike)
        along = _keyword(call, "dim") or _keyword(call, "axis") or next(iter(given[1:2]), None)
        return rows if name in _ALONG and self._size(along) else None

    def _together(self, left: ir.Expr, right: ir.Expr) -> Rows | None:
        """The rows of two operands, one of which may be a number."""
        first, second = self.rows(left), self.rows(right)
        if first is not None and second is not None:
            return Rows(first.length if first.length is not None else second.length, first.alike and second.alike)
        rows, other = (first, right) if second is None else (second, left)
        return rows if rows is not None and self._constant(other) is not None else None

    def _named(self, path: str) -> Rows | None:
        """The rows that go by a name, whichever statement gives it to them."""
        if path not in self._known:
            self._known[path] = Rows(None, alike=True)
            self._known[path] = self._given(path)
        return self._known[path]

    def _given(self, path: str) -> Rows | None:
        code = self._interp.frame.module.code
        values = _given(self._function).get(path) or (_given(code.top).get(path) if self._runs and code is not None else None) or []
        found = [self.rows(value) if value is not None else None for value in values]
        known = [rows for rows in found if rows is not None]
        if not known or len(known) < len(found):
            return None
        return Rows(known[0].length if len(known) == 1 else None, all(rows.alike for rows in known))

    def _size(self, expr: ir.Expr | None) -> int | None:
        """A whole number, or the first of several."""
        if isinstance(expr, ir.Display):
            return self._size(next(iter(expr.items), None))
        known = self._constant(expr) if expr is not None else None
        return known.value if known is not None and isinstance(known.value, int) else None

    def _constant(self, expr: ir.Expr) -> Const | None:
        """A number that is known."""
        with self._interp.looking():
            known = constant_of(self._interp.evaluate(expr)) if self._runs or isinstance(expr, ir.Const | ir.Unary) else None
        return known if known is not None and isinstance(known.value, int | float) else None


def gives_rows_alike(interp: Interpreter, built: ir.Function, getter: ir.Function) -> bool:
    """Whether an item of a dataset is, by its methods, one row of each of some attributes that its constructor makes up."""
    if len(getter.params) != 2:
        return False
    index, text = getter.params[1].name, MadeUp(interp, built)
    written = [expr for stmt in ir.statements(getter.body) for expr in ir.walk(*ir.expressions(stmt))]
    taken = [e.value for e in written if isinstance(e, ir.Subscript) and isinstance(e.index, ir.Name) and e.index.id == index]
    if not taken or len(taken) < sum(isinstance(e, ir.Name) and e.id == index for e in written):
        return False
    rows = [text.rows(value) for value in taken]
    return all(each is not None and each.alike for each in rows)


def _keyword(call: ir.Call, name: str) -> ir.Expr | None:
    return next((arg.value for arg in call.args if arg.keyword == name), None)


def _is_drawn(expr: ir.Comprehension) -> bool:
    """Whether each turn of a comprehension does the same, and nothing but to draw numbers."""
    turned = {name.id for clause in expr.clauses for name in ir.walk(clause.target) if isinstance(name, ir.Name)}
    for part in ir.walk(*expr.elements):
        match part:
            case ir.Name(id=name) if name in turned:
                return False
            case ir.Call(func=func):
                function = _LIBRARY.fullmatch(ir.path_of(func) or "")
                if not (function is not None and function[1] in _SIZES_FIRST | _SIZES_LAST | _OF_EACH) and not _is_conversion(func):
                    return False
    return True


def _is_conversion(func: ir.Expr) -> bool:
    return isinstance(func, ir.Attr) and func.attr in ("item", "tolist", *_OF_EACH)


@ir.kept_with_code
def _given(function: ir.Function) -> dict[str, list[ir.Expr | None]]:
    """What a function gives to names and attributes, by their paths; None for what is given or changed in another way."""
    found: dict[str, list[ir.Expr | None]] = {}
    for stmt in ir.statements(function.body):
        pairs: list[tuple[ir.Expr, ir.Expr | None]] = []
        match stmt:
            case ir.Assign(targets=[ir.Display(items=targets)], value=ir.Display(items=values)) if len(targets) == len(values):
                pairs += zip(targets, values)
            case ir.Assign(targets=targets, value=value):
                pairs += [(target, None if isinstance(target, ir.Display) else value) for target in targets]
            case ir.ExprStmt(value=ir.Call(func=ir.Attr(value=changed, attr=method))) if method.endswith("_") or method in ("sort", "fill"):
                pairs.append((changed, None))
            case _:
                pairs += [(target, None) for target in ir.targets(stmt)]
        for target, given in pairs:
            for single in ir.single_targets(target):
                if isinstance(single, ir.Name | ir.Attr) and given is not None:
                    found.setdefault(ir.path_of(single) or "", []).append(given)
                else:
                    found.setdefault(_owner(single), []).append(None)
    return found


def _owner(expr: ir.Expr) -> str:
    """The path of what an item, or the data of a tensor, belongs to."""
    while isinstance(expr, ir.Subscript | ir.Star) or (isinstance(expr, ir.Attr) and expr.attr == "data"):
        expr = expr.value
    return ir.path_of(expr) or ""
