"""Lowering of expressions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import libcst as cst

from looplint.regex import regex
from looplint.syntax import ir
from looplint.syntax.lowering_scopes import Scopes
from looplint.syntax.nodes import children

BINARY = {
    "Add": "+", "Subtract": "-", "Multiply": "*", "Divide": "/", "FloorDivide": "//", "Modulo": "%", "Power": "**", "MatrixMultiply": "@",
    "BitAnd": "&", "BitOr": "|", "BitXor": "^", "LeftShift": "<<", "RightShift": ">>",
}  # fmt: skip  # fmt: skip
_COMPARE = {
    "Equal": "==", "NotEqual": "!=", "LessThan": "<", "LessThanEqual": "<=", "GreaterThan": ">", "GreaterThanEqual": ">=", "Is": "is",
    "IsNot": "is not", "In": "in", "NotIn": "not in",
}  # fmt: skip  # fmt: skip
# What has a method `backward` that sends no loss backward: the kernels of an extension, and the tape of NVIDIA's warp.
_NO_LOSSES = regex(r"torch\.ops\.|tape$")
# A display of fewer elements is no table of data, nor one of fewer constants.
_FEW, _MANY = 16, 1_000
_UNARY = {"Not": "not", "Minus": "-", "Plus": "+", "BitInvert": "~"}


class ExpressionLowering(Scopes):
    """Every `visit_*` returns the IR of one type of expression node."""

    def __init__(self) -> None:
        super().__init__()
        # Functions, not bound methods: a visitor that holds itself keeps its tree until Python looks for circles.
        self._expr_visits: dict[type, Callable[[Any, Any], ir.Expr]] = {}

    def expr(self, node: cst.CSTNode) -> ir.Expr:
        kind = type(node)
        if kind not in self._expr_visits:
            self._expr_visits[kind] = getattr(type(self), f"visit_{kind.__name__}", type(self)._opaque)
        return self._expr_visits[kind](self, node)

    def _opaque(self, node: cst.CSTNode) -> ir.Expr:
        parts = [self.expr(child) for child in children(node) if isinstance(child, cst.BaseExpression)]
        return ir.Opaque(node, parts)

    def visit_Name(self, node: cst.Name) -> ir.Expr:
        match node.value:
            case "True":
                return ir.Const(node, True)
            case "False":
                return ir.Const(node, False)
            case "None":
                return ir.Const(node, None)
        return ir.Name(node, node.value)

    def visit_Attribute(self, node: cst.Attribute) -> ir.Expr:
        value = self.expr(node.value)
        usage = self._usage(value)
        if usage:
            usage.attrs |= {node.attr.value}
        return ir.Attr(node, value, node.attr.value)

    def visit_Call(self, node: cst.Call) -> ir.Expr:
        func = self.expr(node.func)
        if isinstance(func, ir.Attr):
            self._function_stack[-1].methods.add(func.attr)
            usage = self._usage(func.value)
            if usage:
                usage.methods |= {func.attr}
        usage = self._usage(func)
        if usage:
            usage.calls += 1
        args = [ir.Arg(self.expr(a.value), a.keyword.value if a.keyword else None, a.star) for a in node.args]
        self._note_passed(func, args)
        call = ir.Call(node, func, args)
        kind = ir.gradient_kind(call)
        if kind is not None and not (isinstance(func, ir.Attr) and _NO_LOSSES.match(ir.path_of(func.value) or "")):
            loop = self._loops[-1] if self._loops else None
            self.gradient_calls.append(ir.GradientCall(call, kind, self._function_stack[-1], self._class_of_method(), loop))
        return call

    def _note_passed(self, func: ir.Expr, args: list[ir.Arg]) -> None:
        match func:
            case ir.Attr(value=ir.Call(func=ir.Name(id="super")), attr=method):
                callee: str | None = f"{ir.SUPER}.{method}"
            case ir.Subscript(value=table):
                callee = f"{path}[]" if (path := ir.path_of(table)) is not None else None
            case ir.Call(func=ir.Name() | ir.Attr() as wrapper, args=[ir.Arg(value=wrapped, keyword=None, star="")]) if (
                ir.path_of(wrapper) != "type"
            ):
                callee = ir.path_of(wrapped)  # `retry(self.infer)(output)` calls `self.infer(output)`
            case _:
                callee = ir.path_of(func)
        if callee is None:
            return
        if args and args[0].keyword in (None, "params") and (source := self._method_of(args[0].value)) is not None:
            source.feeds |= {callee}
        for item in args[0].value.items if args and isinstance(args[0].value, ir.Display) else ():
            if isinstance(item, ir.Name | ir.Attr) and (usage := self._usage(item)) is not None:
                usage.listed |= {callee}
        for position, arg in enumerate(args):
            usage = self._usage(arg.value) if isinstance(arg.value, ir.Name | ir.Attr | ir.Subscript) else None
            if usage is None:
                continue
            if arg.star:
                usage.keyed = usage.keyed or arg.star == "**"
            elif arg.keyword is not None:
                usage.named |= {(callee, arg.keyword)}
            else:
                usage.passed |= {(callee, position)}

    def _method_of(self, value: ir.Expr) -> ir.Usage | None:
        """How that is used whose method gives a value: called in its place, or the last that gave what has its name."""
        match value:
            case ir.Call(func=ir.Attr(value=receiver)):
                return self._usage(receiver)
            case ir.Name(id=name):
                made = next(
                    (source for source, target in reversed(self._function_stack[-1].made) if target == name and "." in source), None
                )
                return self._usage_at(made.rpartition(".")[0]) if made is not None else None
        return None

    def _constant(self, node: cst.Integer | cst.Float | cst.Imaginary | cst.SimpleString) -> ir.Expr:
        try:
            return ir.Const(node, node.evaluated_value)
        except (SyntaxError, ValueError):  # an integer of thousands of digits, or an escape that names no character
            return ir.Opaque(node, [])

    visit_Integer = visit_Float = visit_Imaginary = visit_SimpleString = _constant

    def visit_ConcatenatedString(self, node: cst.ConcatenatedString) -> ir.Expr:
        left, right = self.expr(node.left), self.expr(node.right)
        if isinstance(left, ir.Const) and isinstance(right, ir.Const):
            match left.value, right.value:
                case (str(first), str(second)):
                    return ir.Const(node, first + second)
                case (bytes(first), bytes(second)):
                    return ir.Const(node, first + second)
        return ir.Format(node, [left, right])

    def visit_FormattedString(self, node: cst.FormattedString) -> ir.Expr:
        parts = [self.expr(p.expression) for p in node.parts if isinstance(p, cst.FormattedStringExpression)]
        return ir.Format(node, parts, _text(node.parts[:1]), _text(node.parts[-1:]))

    def visit_Tuple(self, node: cst.Tuple | cst.List | cst.Set) -> ir.Expr:
        if _is_table(node):
            return ir.Opaque(node, [])
        kind = type(node).__name__.lower()
        return ir.Display(node, kind, [self._element(e) for e in node.elements])

    visit_List = visit_Set = visit_Tuple

    def _element(self, node: cst.BaseElement) -> ir.Expr:
        value = self.expr(node.value)
        return ir.Star(node, value) if isinstance(node, cst.StarredElement) else value

    def visit_StarredElement(self, node: cst.StarredElement) -> ir.Expr:
        return ir.Star(node, self.expr(node.value))

    def visit_Dict(self, node: cst.Dict) -> ir.Expr:
        if _is_table(node):
            return ir.Opaque(node, [])
        items: list[tuple[ir.Expr | None, ir.Expr]] = []
        for element in node.elements:
            key = self.expr(element.key) if isinstance(element, cst.DictElement) else None
            items.append((key, self.expr(element.value)))
        return ir.DictDisplay(node, items)

    def visit_Subscript(self, node: cst.Subscript) -> ir.Expr:
        indices = [self._index(element.slice) for element in node.slice]
        index = indices[0] if len(indices) == 1 else ir.Display(node, "tuple", indices)
        value = self.expr(node.value)
        if isinstance(index, ir.Const) and isinstance(index.value, str) and (usage := self._usage(value)) is not None:
            usage.keyed = True
        elif isinstance(index, ir.Display) and any(isinstance(e.slice, cst.Slice) for e in node.slice) and (usage := self._usage(value)):
            usage.computed = True
        return ir.Subscript(node, value, index)

    def _index(self, node: cst.BaseSlice) -> ir.Expr:
        if isinstance(node, cst.Index):
            return self.expr(node.value)
        assert isinstance(node, cst.Slice)
        return ir.Opaque(node, [self.expr(p) for p in (node.lower, node.upper, node.step) if p is not None])

    def visit_BinaryOperation(self, node: cst.BinaryOperation) -> ir.Expr:
        op, left, right = BINARY.get(type(node.operator).__name__, "?"), self.expr(node.left), self.expr(node.right)
        if op in ("-", "*", "/", "@", "**"):
            for side in (left, right):
                if isinstance(side, ir.Name | ir.Attr) and (usage := self._usage(side)) is not None:
                    usage.computed = True
        return ir.Binary(node, op, left, right)

    def visit_UnaryOperation(self, node: cst.UnaryOperation) -> ir.Expr:
        return ir.Unary(node, _UNARY.get(type(node.operator).__name__, "?"), self.expr(node.expression))

    def visit_BooleanOperation(self, node: cst.BooleanOperation) -> ir.Expr:
        op = "and" if isinstance(node.operator, cst.And) else "or"
        return ir.BoolOp(node, op, self.expr(node.left), self.expr(node.right))

    def visit_Comparison(self, node: cst.Comparison) -> ir.Expr:
        ops = [_COMPARE.get(type(c.operator).__name__, "?") for c in node.comparisons]
        return ir.Compare(node, self.expr(node.left), ops, [self.expr(c.comparator) for c in node.comparisons])

    def visit_IfExp(self, node: cst.IfExp) -> ir.Expr:
        return ir.IfExp(node, self.expr(node.test), self.expr(node.body), self.expr(node.orelse))

    def visit_Lambda(self, node: cst.Lambda) -> ir.Expr:
        function = self._function(node, "<lambda>", node.params, [])
        function.is_lambda = True
        self.enter(function)
        function.body = [ir.Return(node, self.expr(node.body))]
        self.leave()
        return ir.Lambda(node, function)

    def _comprehension(self, node: cst.ListComp | cst.SetComp | cst.GeneratorExp | cst.DictComp) -> ir.Expr:
        clauses = []
        bound: list[tuple[str, str]] = []
        conditions = []
        clause: cst.CompFor | None = node.for_in
        while clause is not None:
            clauses.append(ir.Clause(self.expr(clause.target), self.expr(clause.iter), []))
            conditions.append(clause.ifs)
            bound += ir.bound_to_items(clauses[-1].target, clauses[-1].iter)
            clause = clause.inner_for_in
        aside = self._begin_items(bound)
        elements = [self.expr(node.key), self.expr(node.value)] if isinstance(node, cst.DictComp) else [self.expr(node.elt)]
        for each, tests in zip(clauses, conditions, strict=True):
            each.tests.extend(self.expr(t.test) for t in tests)
        self._end_items(bound, aside)
        return ir.Comprehension(node, type(node).__name__, elements, clauses)

    visit_ListComp = visit_SetComp = visit_GeneratorExp = visit_DictComp = _comprehension

    def visit_Yield(self, node: cst.Yield) -> ir.Expr:
        self._function_stack[-1].is_generator = True
        delegated = isinstance(node.value, cst.From)
        value = node.value.item if isinstance(node.value, cst.From) else node.value
        return ir.Yield(node, self.expr(value) if value is not None else None, delegated)

    def visit_Await(self, node: cst.Await) -> ir.Expr:
        return self.expr(node.expression)

    def visit_NamedExpr(self, node: cst.NamedExpr) -> ir.Expr:
        target = self.expr(node.target)
        self._assign_to(target)
        return ir.Walrus(node, target, self.expr(node.value))

    def _function(self, node: cst.CSTNode, name: str, params: cst.Parameters, decorators: list[ir.Expr]) -> ir.Function:
        lowered = [self._param(p, "plain") for p in (*params.posonly_params, *params.params)]
        if isinstance(params.star_arg, cst.Param):
            lowered.append(self._param(params.star_arg, "*"))
        lowered.extend(self._param(p, "keyword") for p in params.kwonly_params)
        if params.star_kwarg is not None:
            lowered.append(self._param(params.star_kwarg, "**"))
        function = ir.Function(name, ".".join([*self._qualname, name]), lowered, [], decorators, node)
        self.functions.append(function)
        return function

    def _param(self, param: cst.Param, kind: str) -> ir.Param:
        default = self.expr(param.default) if param.default else None
        annotation = self.expr(param.annotation.annotation) if param.annotation else None
        return ir.Param(param.name.value, kind, default, annotation)


def _text(parts: Sequence[cst.BaseFormattedStringContent]) -> str:
    """What the one part of an f-string says, if it is text as it stands there."""
    match list(parts):
        case [cst.FormattedStringText(value=text)] if not {"\\", "{", "}"} & set(text):
            return text
    return ""


def _is_table(display: cst.Tuple | cst.List | cst.Set | cst.Dict) -> bool:
    """Whether a display is a table of data: more constants than a program looks up one by one, and nothing else."""
    if len(display.elements) < _FEW:
        return False
    constants = 0
    work: list[cst.CSTNode] = [display]
    while work:
        node = work.pop()
        match node:
            case cst.Tuple() | cst.List() | cst.Set() | cst.Dict():
                work += node.elements
            case cst.DictElement():
                work += (node.key, node.value)
            case cst.Element():
                work.append(node.value)
            case cst.UnaryOperation(expression=cst.Integer() | cst.Float()) | cst.Integer() | cst.Float() | cst.SimpleString():
                constants += 1
            case cst.Name(value="True" | "False" | "None"):
                constants += 1
            case _:
                return False
    return constants > _MANY
