"""Lowering: one visitor over the CST turns a module into `looplint.syntax.ir`.

It visits by node type instead of through `CSTVisitor`, which would also walk (and rebuild) every piece of whitespace.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import libcst as cst

from looplint.sources.interactive import displayed
from looplint.syntax import ir, patterns
from looplint.syntax.lowering_expressions import BINARY, ExpressionLowering


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


_OF_ITEMS = frozenset({"IndexError", "KeyError", "LookupError"})


def _is_of_items(caught: cst.BaseExpression | None) -> bool:
    """Whether what a handler catches is that an item is missing."""
    if isinstance(caught, cst.Tuple):
        return bool(caught.elements) and all(_is_of_items(element.value) for element in caught.elements)
    return isinstance(caught, cst.Name) and caught.value in _OF_ITEMS


class LoweringVisitor(ExpressionLowering):
    """Every `visit_*` for a statement node returns the IR of that statement."""

    def __init__(self, displayed: frozenset[cst.Expr] = frozenset()) -> None:
        super().__init__()
        self._displayed = displayed
        self._stmt_visits: dict[type, Callable[[Any, Any], Sequence[ir.Stmt]]] = {}

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
            self._stmt_visits[kind] = getattr(type(self), f"visit_{kind.__name__}", type(self)._no_statement)
        return self._stmt_visits[kind](self, node)

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
            self._note_alias(target, value)
            if self._reset:
                self._reset[-1] |= _reset_by(target, value)
        return (ir.Assign(node, targets, value),)

    def visit_AnnAssign(self, node: cst.AnnAssign) -> Sequence[ir.Stmt]:
        value = self.expr(node.value) if node.value is not None else None
        if (cls := self._class_stack[-1]) is not None and isinstance(node.target, cst.Name):
            cls.fields[node.target.value] = ir.Field(self.expr(node.annotation.annotation), value)
        if value is None:
            return ()
        target = self.expr(node.target)
        self._assign_to(target)
        self._note_alias(target, value)
        return (ir.Assign(node, [target], value),)

    def _note_alias(self, target: ir.Expr, value: ir.Expr) -> None:
        """What has one dotted name gets another one: what is done with it there is done with it here. A switch may be tested by what it is handed to."""
        if isinstance(target, ir.Name) and isinstance(value, ir.Const) and (value.value is None or isinstance(value.value, bool)):
            self._function_stack[-1].tested.add(target.id)
        match target, value:
            case ir.Display(items=targets), ir.Display(items=values) if len(targets) == len(values):
                for one, other in zip(targets, values):
                    self._note_alias(one, other)
            case ir.Name() | ir.Attr(), ir.IfExp():
                self._note_alias(target, value.body)
                self._note_alias(target, value.orelse)
            case ir.Name() | ir.Attr(), ir.Call(func=ir.Attr(value=moved, attr="to" | "cuda" | "train" | "eval")):
                self._note_alias(target, moved)
            case ir.Name() | ir.Attr(), ir.Name() | ir.Attr() | ir.Subscript():
                name, source = ir.path_of(target), ir.place_of(value)
                if name is not None and source is not None and name != source:
                    self._function_stack[-1].aliases.append((source, name))
            case ir.Name() | ir.Attr(), ir.Call(func=ir.Name() | ir.Attr() as callee):
                name, source = ir.path_of(target), ir.path_of(callee)
                if name is not None and source is not None:
                    self._function_stack[-1].made.append((source, name))
                entry = ir.place_of(value)
                if name is not None and entry is not None:
                    self._function_stack[-1].aliases.append((entry, name))
                if name == source and (usage := self._usage(callee)) is not None:
                    usage.rebound += 1

    def visit_AugAssign(self, node: cst.AugAssign) -> Sequence[ir.Stmt]:
        target = self.expr(node.target)
        self._assign_to(target)
        op = BINARY.get(type(node.operator).__name__.removesuffix("Assign"), "?")
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
        bound = list(ir.bound_to_items(target, iterated))
        aside = self._begin_items(bound)
        body = self.suite(node.body)
        self._end_items(bound, aside)
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
        of_items = bool(handlers) and all(_is_of_items(handler.type) for handler in node.handlers)
        return (ir.Try(node, body, handlers, orelse, final, of_items),)

    visit_TryStar = visit_Try

    def visit_Match(self, node: cst.Match) -> Sequence[ir.Stmt]:
        """A `match` is a chain of `if`, each of which compares the subject, which is evaluated once."""
        subject = self.expr(node.subject)
        chain: list[ir.Stmt] = []
        if ir.path_of(subject) is None:
            kept = ir.Name(node.subject, "<subject>")
            self._assign_to(kept)
            chain.append(ir.Assign(node, [kept], subject))
            subject = kept
        body = chain
        for case in node.cases:
            test = patterns.condition(case.pattern, node.subject, subject, self.expr)
            bindings = patterns.bound(case.pattern, subject)
            for binding in bindings:
                self._assign_to(binding.targets[0])
            if case.guard is not None:
                # It reads what the pattern binds, which stays bound where it fails.
                body.extend(bindings)
                bindings = []
                guard = self.expr(case.guard)
                test = guard if test is None else patterns.joined("and", test, guard)
            if test is None:
                body.extend([*bindings, *self.suite(case.body)])
                break
            self._function_stack[-1].tested |= ir.paths_in(test)
            branch = ir.If(case, test, [*bindings, *self.suite(case.body)], [])
            body.append(branch)
            body = branch.orelse
        return chain

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

    def visit_ClassDef(self, node: cst.ClassDef) -> Sequence[ir.Stmt]:
        bases = [_unparametrized(self.expr(base.value)) for base in node.bases]
        name = node.name.value
        cls = ir.Class(name, ".".join([*self._qualname, name]), bases, [], node)
        self.classes.append(cls)
        self._qualname.append(name)
        before = len(self.gradient_calls)
        self.enter(self._function_stack[-1], cls)
        cls.body = self.suite(node.body)
        self.leave()
        self._qualname.pop()
        _note_members(cls)
        usages = [cls.usage, *(f.usage for method in cls.methods.values() for f in _with_nested(method))]
        # What goes backward need have no name: `(loss + penalty).backward()`.
        cls.trains_itself = any(call.kind == "backward" and call.cls is cls for call in self.gradient_calls[before:]) or any(
            {"backward", "zero_grad"} & u.methods for usage in usages for u in usage.values()
        )
        return (ir.ClassDef(node, cls),)


def _unparametrized(base: ir.Expr) -> ir.Expr:
    """A base class without the types that it is given: `Dataset[Sample]` has the members of `Dataset`. What is looked up by a text is a table of classes."""
    match base:
        case ir.Subscript(index=ir.Const(value=str())):
            return base
        case ir.Subscript(value=generic):
            return generic
    return base


def _with_nested(function: ir.Function) -> Iterator[ir.Function]:
    """A function and those that are written in it, as the closure that `LBFGS.step` takes."""
    yield function
    for stmt in ir.statements(function.body):
        if isinstance(stmt, ir.FunctionDef):
            yield from _with_nested(stmt.function)


def _dotted(node: cst.BaseExpression) -> str:
    if isinstance(node, cst.Attribute):
        return f"{_dotted(node.value)}.{node.attr.value}"
    return node.value if isinstance(node, cst.Name) else ""


def _note_members(cls: ir.Class) -> None:
    """Note what the body of a class defines, by its names."""
    for stmt in cls.body:
        match stmt:
            case ir.FunctionDef(function=function):
                cls.methods[_name_in_class(function)] = function
            case ir.ClassDef(cls=inner):
                cls.inner.setdefault(inner.name, inner)
            case ir.Assign(targets=targets):
                for target in targets:
                    if isinstance(target, ir.Name):
                        cls.assigned.setdefault(target.id, stmt)


def _name_in_class(function: ir.Function) -> str:
    """What a method is found by: what sets or deletes a property stands beside the function that gets it, as "rate.setter"."""
    for decorator in function.decorators:
        if isinstance(decorator, ir.Attr) and decorator.attr in ("setter", "deleter"):
            return f"{function.name}.{decorator.attr}"
    return function.name


def _alias(alias: cst.ImportAlias) -> str | None:
    return alias.asname.name.value if alias.asname and isinstance(alias.asname.name, cst.Name) else None


def _reset_by(target: ir.Expr, value: ir.Expr) -> set[str]:
    """The paths that an assignment sets to a constant: `seen = 0`, `seen, total = 0, 0.0`."""
    if isinstance(target, ir.Display) and isinstance(value, ir.Display) and len(target.items) == len(value.items):
        return set().union(*map(_reset_by, target.items, value.items))
    path = ir.path_of(target) if isinstance(value, ir.Const) else None
    return {path} if path else set()
