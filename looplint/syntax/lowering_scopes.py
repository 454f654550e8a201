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
        place = ir.place_of(expr)
        return self._usage_at(place) if place is not None else None

    def _usage_at(self, path: str) -> ir.Usage:
        """How a dotted name is used in the current function; an attribute of `self`, in its class."""
        if path.startswith("self."):
            cls = self._class_of_method()
            if cls is not None:
                return cls.usage.setdefault(path[5:], ir.Usage())
        return self._function_stack[-1].usage.setdefault(path, ir.Usage())

    def _begin_items(self, bound: list[tuple[str, str]]) -> dict[str, ir.Usage]:
        """A loop binds names to the items of containers: how these names were used so far is put aside, until the loop's end."""
        usage = self._function_stack[-1].usage
        names = {name for name, _ in bound}
        return {path: usage.pop(path) for path in list(usage) if ir.head_of(path) in names} if names else {}

    def _end_items(self, bound: list[tuple[str, str]], aside: dict[str, ir.Usage]) -> None:
        """What the loop's body has done with these names, it has done with the items."""
        usage = self._function_stack[-1].usage
        for name, place in bound:
            for path in [each for each in usage if ir.head_of(each) == name]:
                self._usage_at(place + path[len(name) :]).add(usage[path])
        for path, before in aside.items():
            usage.setdefault(path, ir.Usage()).add(before)

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
