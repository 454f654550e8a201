"""What lowering keeps of the scopes it is in: functions, classes and loops, and how their names are used."""

from __future__ import annotations

import libcst as cst

from looplint.syntax import ir


class Scopes:
    """The function, class and loops that are being lowered, and what has been lowered of their kind."""

    def __init__(self) -> None:
        self.functions: list[ir.Function] = []
        self.classes: list[ir.Class] = []
        self.gradient_calls: list[ir.GradientCall] = []
        self.entries: dict[tuple[str, str], ir.Usage] = {}
        self._function_stack: list[ir.Function] = []
        self._class_stack: list[ir.Class | None] = []
        self._qualname: list[str] = []
        self._assigned: list[set[str]] = []
        # Of the names that a loop's body sets, those that it sets to a number of the text: counters that start again.
        self._reset: list[set[str]] = []
        self._loops: list[cst.CSTNode] = []

    def enter(self, function: ir.Function, cls: ir.Class | None = None) -> None:
        self._function_stack.append(function)
        self._class_stack.append(cls)

    def leave(self) -> None:
        self._function_stack.pop()
        self._class_stack.pop()

    def _class_of_method(self) -> ir.Class | None:
        return next((c for c in reversed(self._class_stack) if c is not None), None)

    def _usage(self, expr: ir.Expr) -> ir.Usage | None:
        path = ir.path_of(expr)
        return self._usage_of_entry(expr) if path is None else self._usage_at(path)

    def _usage_at(self, path: str) -> ir.Usage:
        """How a dotted name is used in the current function; an attribute of `self`, in its class."""
        if path.startswith("self."):
            cls = self._class_of_method()
            if cls is not None:
                return cls.usage.setdefault(path[5:], ir.Usage())
        return self._function_stack[-1].usage.setdefault(path, ir.Usage())

    def _usage_of_entry(self, expr: ir.Expr) -> ir.Usage | None:
        match expr:
            case ir.Subscript(value=ir.Name(id=name) | ir.Attr(attr=name), index=ir.Const(value=str(key))):
                return self.entries.setdefault((name, key), ir.Usage())
        return None

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
