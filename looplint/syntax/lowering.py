"""Lowering: one visitor over the CST turns a module into `looplint.syntax.ir`.

It visits by node type instead of through `CSTVisitor`, which would also walk (and rebuild) every piece of whitespace.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import libcst as cst

from looplint.sources.interactive import displayed
from looplint.syntax import ir


def lower(tree: cst.Module) -> ir.ModuleCode:
    """Lower a parsed module.

    Args:
        tree: the module as LibCST parsed it; its nodes are referenced, never changed.

    Raises:
        RecursionError: the module is nested too deeply.
    """
    visitor = LoweringVisitor(displayed(tree))
    top = ir.Function("<module>", "<module>", [], [], [], tree)
    visitor.functions.append(top)
    visitor.enter(top)
    top.body = visitor.block(tree.body)
    visitor.leave()
    return ir.ModuleCode(tree, top, visitor.functions, visitor.classes, visitor.gradient_calls)


_BINARY = {
    "Add": "+", "Subtract": "-", "Multiply": "*", "Divide": "/", "FloorDivide": "//", "Modulo": "%", "Power": "**", "MatrixMultiply": "@",
    "BitAnd": "&", "BitOr": "|", "BitXor": "^", "LeftShift": "<<", "RightShift": ">>",
}  # fmt: skip
_COMPARE = {
    "Equal": "==", "NotEqual": "!=", "LessThan": "<", "LessThanEqual": "<=", "GreaterThan": ">", "GreaterThanEqual": ">=", "Is": "is",
    "IsNot": "is not", "In": "in", "NotIn": "not in",
}  # fmt: skip
_UNARY = {"Not": "not", "Minus": "-", "Plus": "+", "BitInvert": "~"}


class LoweringVisitor:
    """Keeps the function and class being lowered; every `visit_*` returns IR for one node type."""

    def __init__(self, displayed: frozenset[cst.Expr] = frozenset()) -> None:
        self._displayed = displayed
        self.functions: list[ir.Function] = []
        self.classes: list[ir.Class] = []
        self.gradient_calls: list[ir.GradientCall] = []
        self._function_stack: list[ir.Function] = []
        self._class_stack: list[ir.Class | None] = []
        self._qualname: list[str] = []
        self._assigned: list[set[str]] = []
        # Of the names that a loop's body sets, those that it sets to a number of the text: counters that start again.
        self._reset: list[set[str]] = []
        self._loops: list[cst.CSTNode] = []
        self._expr_visits: dict[type, Callable[[Any], ir.Expr]] = {}
        self._stmt_visits: dict[type, Callable[[Any], Sequence[ir.Stmt]]] = {}

    # -- scopes

    def enter(self, function: ir.Function, cls: ir.Class | None = None) -> None:
        self._function_stack.append(function)
        self._class_stack.append(cls)

    def leave(self) -> None:
        self._function_stack.pop()
        self._class_stack.pop()

    def _usage(self, expr: ir.Expr) -> ir.Usage | None:
        path = ir.path_of(expr)
        if path is None:
            return None
        if path.startswith("self."):
            cls = self._class_of_method()
            if cls is not None:
                return cls.usage.setdefault(path[5:], ir.Usage())
        return self._function_stack[-1].usage.setdefault(path, ir.Usage())

    def _assign_to(self, target: ir.Expr) -> None:
        if not self._assigned:
            return
        match target:
            case ir.Name() | ir.Attr():
                path = ir.path_of(target)
                if path:
                    self._assigned[-1].add(path)
            case ir.Display():
                for item in target.items:
                    self._assign_to(item)
            case ir.Star():
                self._assign_to(target.value)

    def _class_of_method(self) -> ir.Class | None:
        return next((c for c in reversed(self._class_stack) if c is not None), None)

    # -- statements

    def block(self, nodes: Sequence[cst.CSTNode]) -> list[ir.Stmt]:
        body: list[ir.Stmt] = []
        for node in nodes:
            if isinstance(node, cst.SimpleStatementLine):
                for small in node.body:
                    body.extend(self.statement(small))
            else:
                body.extend(self.statement(node))
        return body

    def suite(self, node: cst.BaseSuite) -> list[ir.Stmt]:
        if isinstance(node, cst.SimpleStatementSuite):
            body: list[ir.Stmt] = []
            for small in node.body:
                body.extend(self.statement(small))
            return body
        return self.block(node.body)

    def statement(self, node: cst.CSTNode) -> Sequence[ir.Stmt]:
        kind = type(node)
        if kind not in self._stmt_visits:
            self._stmt_visits[kind] = getattr(self, f"visit_{kind.__name__}", self._no_statement)
        return self._stmt_visits[kind](node)

    def _no_statement(self, node: cst.CSTNode) -> Sequence[ir.Stmt]:
        return ()

    def visit_Expr(self, node: cst.Expr) -> Sequence[ir.Stmt]:
        value = self.expr(node.value)
        if node not in self._displayed:
            self._drop(value)
        return (ir.ExprStmt(node, value),)

    def _drop(self, value: ir.Expr) -> None:
        """Mark the calls whose results a statement throws away."""
        match value:
            case ir.Call():
                value.dropped = True
                if isinstance(value.func, ir.Attr):
                    self._function_stack[-1].dropped.add(value.func.attr)
            case ir.Display():
                for item in value.items:
                    self._drop(item)
            case ir.IfExp():
                self._drop(value.body)
                self._drop(value.orelse)
            case ir.Comprehension():
                self._drop(value.elements[-1])

    def visit_Assign(self, node: cst.Assign) -> Sequence[ir.Stmt]:
        value = self.expr(node.value)
        targets = [self.expr(t.target) for t in node.targets]
        for target in targets:
            self._assign_to(target)
            path = ir.path_of(target) if self._reset and isinstance(value, ir.Const) else None
            if path:
                self._reset[-1].add(path)
        return (ir.Assign(node, targets, value),)

    def visit_AnnAssign(self, node: cst.AnnAssign) -> Sequence[ir.Stmt]:
        if node.value is None:
            return ()
        target = self.expr(node.target)
        self._assign_to(target)
        return (ir.Assign(node, [target], self.expr(node.value)),)

    def visit_AugAssign(self, node: cst.AugAssign) -> Sequence[ir.Stmt]:
        target = self.expr(node.target)
        self._assign_to(target)
        op = _BINARY.get(type(node.operator).__name__.removesuffix("Assign"), "?")
        return (ir.AugAssign(node, target, op, self.expr(node.value)),)

    def visit_If(self, node: cst.If) -> Sequence[ir.Stmt]:
        test = self._test(node.test)
        body = self.suite(node.body)
        match node.orelse:
            case None:
                orelse: list[ir.Stmt] = []
            case cst.If():
                orelse = list(self.visit_If(node.orelse))
            case _:
                orelse = self.suite(node.orelse.body)
        return (ir.If(node, test, body, orelse),)

    def _test(self, node: cst.BaseExpression) -> ir.Expr:
        test = self.expr(node)
        self._function_stack[-1].tested |= ir.paths_in(test)
        return test

    def visit_For(self, node: cst.For) -> Sequence[ir.Stmt]:
        iterated = self.expr(node.iter)
        usage = self._usage(iterated)
        if usage:
            usage.iterated = True
        self._open_loop(node)
        target = self.expr(node.target)
        self._assign_to(target)
        body = self.suite(node.body)
        assigned, reset = self._close_loop()
        orelse = self.suite(node.orelse.body) if node.orelse else []
        return (ir.For(node, target, iterated, body, orelse, assigned, reset),)

    def visit_While(self, node: cst.While) -> Sequence[ir.Stmt]:
        self._open_loop(node)
        test = self._test(node.test)
        body = self.suite(node.body)
        assigned, reset = self._close_loop()
        orelse = self.suite(node.orelse.body) if node.orelse else []
        return (ir.While(node, test, body, orelse, assigned, reset),)

    def _open_loop(self, node: cst.CSTNode) -> None:
        self._loops.append(node)
        self._assigned.append(set())
        self._reset.append(set())

    def _close_loop(self) -> tuple[frozenset[str], frozenset[str]]:
        self._loops.pop()
        assigned, reset = self._assigned.pop(), self._reset.pop()
        if self._assigned:
            self._assigned[-1] |= assigned
        return frozenset(assigned), frozenset(reset)

    def visit_With(self, node: cst.With) -> Sequence[ir.Stmt]:
        items: list[tuple[ir.Expr, ir.Expr | None]] = []
        for item in node.items:
            target = self.expr(item.asname.name) if item.asname else None
            if target is not None:
                self._assign_to(target)
            items.append((self.expr(item.item), target))
        return (ir.With(node, items, self.suite(node.body)),)

    def visit_Try(self, node: cst.Try | cst.TryStar) -> Sequence[ir.Stmt]:
        body = self.suite(node.body)
        handlers: list[tuple[str | None, list[ir.Stmt]]] = []
        for handler in node.handlers:
            name = handler.name.name.value if handler.name and isinstance(handler.name.name, cst.Name) else None
            handlers.append((name, self.suite(handler.body)))
        orelse = self.suite(node.orelse.body) if node.orelse else []
        final = self.suite(node.finalbody.body) if node.finalbody else []
        return (ir.Try(node, body, handlers, orelse, final),)

    visit_TryStar = visit_Try

    def visit_Match(self, node: cst.Match) -> Sequence[ir.Stmt]:
        cases = []
        for case in node.cases:
            pattern = self.expr(case.pattern.value) if isinstance(case.pattern, cst.MatchValue | cst.MatchSingleton) else None
            binds = _pattern_names(case.pattern)
            cases.append(ir.Case(pattern, binds, self.expr(case.guard) if case.guard else None, self.suite(case.body)))
        return (ir.Match(node, self.expr(node.subject), cases),)

    def visit_Return(self, node: cst.Return) -> Sequence[ir.Stmt]:
        return (ir.Return(node, self.expr(node.value) if node.value else None),)

    def visit_Break(self, node: cst.Break) -> Sequence[ir.Stmt]:
        return (ir.Jump(node, "break"),)

    def visit_Continue(self, node: cst.Continue) -> Sequence[ir.Stmt]:
        return (ir.Jump(node, "continue"),)

    def visit_Raise(self, node: cst.Raise) -> Sequence[ir.Stmt]:
        return (ir.Jump(node, "raise", self.expr(node.exc) if node.exc else None),)

    def visit_Del(self, node: cst.Del) -> Sequence[ir.Stmt]:
        target = self.expr(node.target)
        return (ir.Delete(node, target.items if isinstance(target, ir.Display) else [target]),)

    def visit_Assert(self, node: cst.Assert) -> Sequence[ir.Stmt]:
        return (ir.Assert(node, self.expr(node.test)),)

    def visit_Global(self, node: cst.Global | cst.Nonlocal) -> Sequence[ir.Stmt]:
        kind = "global" if isinstance(node, cst.Global) else "nonlocal"
        names = [item.name.value for item in node.names]
        for name in names:
            self._function_stack[-1].declared[name] = kind
        return (ir.Scope(node, kind, names),)

    visit_Nonlocal = visit_Global

    def visit_Import(self, node: cst.Import) -> Sequence[ir.Stmt]:
        names = []
        for alias in node.names:
            module = _dotted(alias.name)
            bound = _alias(alias)
            names.append(ir.ImportName(module if bound else module.split(".")[0], None, bound or module.split(".")[0], 0))
        return (ir.Import(node, names),)

    def visit_ImportFrom(self, node: cst.ImportFrom) -> Sequence[ir.Stmt]:
        module = _dotted(node.module) if node.module else ""
        level = len(node.relative)
        if isinstance(node.names, cst.ImportStar):
            return (ir.Import(node, [ir.ImportName(module, "*", "*", level)]),)
        names = []
        for alias in node.names:
            name = _dotted(alias.name)
            names.append(ir.ImportName(module, name, _alias(alias) or name, level))
        return (ir.Import(node, names),)

    def visit_FunctionDef(self, node: cst.FunctionDef) -> Sequence[ir.Stmt]:
        decorators = [self.expr(d.decorator) for d in node.decorators]
        function = self._function(node, node.name.value, node.params, decorators)
        if self._assigned:
            self._assigned[-1].add(function.name)
        saved = self._assigned, self._reset, self._loops
        self._assigned, self._reset, self._loops = [], [], []
        self._qualname.append(node.name.value)
        self.enter(function)
        function.body = self.suite(node.body)
        self.leave()
        self._qualname.pop()
        self._assigned, self._reset, self._loops = saved
        return (ir.FunctionDef(node, function),)

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

    def visit_ClassDef(self, node: cst.ClassDef) -> Sequence[ir.Stmt]:
        bases = [self.expr(base.value) for base in node.bases]
        name = node.name.value
        cls = ir.Class(name, ".".join([*self._qualname, name]), bases, [], node)
        self.classes.append(cls)
        self._qualname.append(name)
        self.enter(self._function_stack[-1], cls)
        cls.body = self.suite(node.body)
        self.leave()
        self._qualname.pop()
        cls.methods = {s.function.name: s.function for s in cls.body if isinstance(s, ir.FunctionDef)}
        usages = [cls.usage, *(f.usage for f in cls.methods.values())]
        cls.trains_itself = any({"backward", "zero_grad"} & u.methods for usage in usages for u in usage.values())
        return (ir.ClassDef(node, cls),)

    # -- expressions

    def expr(self, node: cst.CSTNode) -> ir.Expr:
        kind = type(node)
        if kind not in self._expr_visits:
            self._expr_visits[kind] = getattr(self, f"visit_{kind.__name__}", self._opaque)
        return self._expr_visits[kind](node)

    def _opaque(self, node: cst.CSTNode) -> ir.Expr:
        parts = [self.expr(child) for child in node.children if isinstance(child, cst.BaseExpression)]
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
            usage.attrs.add(node.attr.value)
        return ir.Attr(node, value, node.attr.value)

    def visit_Call(self, node: cst.Call) -> ir.Expr:
        func = self.expr(node.func)
        if isinstance(func, ir.Attr):
            self._function_stack[-1].methods.add(func.attr)
            usage = self._usage(func.value)
            if usage:
                usage.methods.add(func.attr)
        usage = self._usage(func)
        if usage:
            usage.called = True
        args = [ir.Arg(self.expr(a.value), a.keyword.value if a.keyword else None, a.star) for a in node.args]
        self._note_passed(func, args)
        call = ir.Call(node, func, args)
        if isinstance(func, ir.Attr) and func.attr in ir.GRADIENT_METHODS:
            loop = self._loops[-1] if self._loops else None
            self.gradient_calls.append(
                ir.GradientCall(call, ir.GRADIENT_METHODS[func.attr], self._function_stack[-1], self._class_of_method(), loop)
            )
        return call

    def _note_passed(self, func: ir.Expr, args: list[ir.Arg]) -> None:
        callee = ir.path_of(func)
        if callee is None:
            return
        for position, arg in enumerate(args):
            if isinstance(arg.value, ir.Name | ir.Attr) and not arg.star and arg.keyword is None:
                usage = self._usage(arg.value)
                if usage is not None:
                    usage.passed.add((callee, position))

    def _constant(self, node: cst.Integer | cst.Float | cst.Imaginary | cst.SimpleString) -> ir.Expr:
        return ir.Const(node, node.evaluated_value)

    visit_Integer = visit_Float = visit_Imaginary = visit_SimpleString = _constant

    def visit_ConcatenatedString(self, node: cst.ConcatenatedString) -> ir.Expr:
        left, right = self.expr(node.left), self.expr(node.right)
        if isinstance(left, ir.Const) and isinstance(right, ir.Const) and type(left.value) is type(right.value):
            return ir.Const(node, left.value + right.value)
        return ir.Format(node, [left, right])

    def visit_FormattedString(self, node: cst.FormattedString) -> ir.Expr:
        return ir.Format(node, [self.expr(p.expression) for p in node.parts if isinstance(p, cst.FormattedStringExpression)])

    def visit_Tuple(self, node: cst.Tuple | cst.List | cst.Set) -> ir.Expr:
        kind = type(node).__name__.lower()
        return ir.Display(node, kind, [self._element(e) for e in node.elements])

    visit_List = visit_Set = visit_Tuple

    def _element(self, node: cst.BaseElement) -> ir.Expr:
        value = self.expr(node.value)
        return ir.Star(node, value) if isinstance(node, cst.StarredElement) else value

    def visit_StarredElement(self, node: cst.StarredElement) -> ir.Expr:
        return ir.Star(node, self.expr(node.value))

    def visit_Dict(self, node: cst.Dict) -> ir.Expr:
        items: list[tuple[ir.Expr | None, ir.Expr]] = []
        for element in node.elements:
            key = self.expr(element.key) if isinstance(element, cst.DictElement) else None
            items.append((key, self.expr(element.value)))
        return ir.DictDisplay(node, items)

    def visit_Subscript(self, node: cst.Subscript) -> ir.Expr:
        indices = [self._index(element.slice) for element in node.slice]
        index = indices[0] if len(indices) == 1 else ir.Display(node, "tuple", indices)
        return ir.Subscript(node, self.expr(node.value), index)

    def _index(self, node: cst.BaseSlice) -> ir.Expr:
        if isinstance(node, cst.Index):
            return self.expr(node.value)
        assert isinstance(node, cst.Slice)
        return ir.Opaque(node, [self.expr(p) for p in (node.lower, node.upper, node.step) if p is not None])

    def visit_BinaryOperation(self, node: cst.BinaryOperation) -> ir.Expr:
        op, left, right = _BINARY.get(type(node.operator).__name__, "?"), self.expr(node.left), self.expr(node.right)
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
        elements = [self.expr(node.key), self.expr(node.value)] if isinstance(node, cst.DictComp) else [self.expr(node.elt)]
        clauses = []
        clause: cst.CompFor | None = node.for_in
        while clause is not None:
            tests = [self.expr(t.test) for t in clause.ifs]
            clauses.append(ir.Clause(self.expr(clause.target), self.expr(clause.iter), tests))
            clause = clause.inner_for_in
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


def _dotted(node: cst.BaseExpression) -> str:
    if isinstance(node, cst.Attribute):
        return f"{_dotted(node.value)}.{node.attr.value}"
    return node.value if isinstance(node, cst.Name) else ""


def _alias(alias: cst.ImportAlias) -> str | None:
    return alias.asname.name.value if alias.asname and isinstance(alias.asname.name, cst.Name) else None


def _pattern_names(pattern: cst.CSTNode) -> list[str]:
    names = []
    work: list[cst.CSTNode] = [pattern]
    while work:
        node = work.pop()
        if isinstance(node, cst.MatchAs | cst.MatchStar) and node.name is not None:
            names.append(node.name.value)
        work.extend(node.children)
    return names
