"""Whether a file goes on working where what is kept under a name become numbers in place of tensors."""

from __future__ import annotations

from collections.abc import Iterable

from looplint.syntax import ir

# Calls that give back what they are given, or its elements.
_PASSING = frozenset(
    {"list", "tuple", "sorted", "reversed", "enumerate", "zip", "iter", "next", "set", "dict", "sum", "min", "max", "abs", "round"}
)
_CONTENTS = frozenset({"copy", "get", "items", "pop", "popleft", "setdefault", "values"})
# Calls that take numbers and keep nothing of them.
_TAKING = frozenset(
    {"all", "any", "bool", "float", "format", "int", "isinstance", "len", "print", "range", "repr", "str", "torch.FloatTensor", "torch.as_tensor", "torch.save", "torch.tensor"}
)  # fmt: skip
_NUMERIC = frozenset({"np", "numpy", "math", "statistics", "plt", "pyplot", "sns", "json", "pd", "pandas", "wandb", "mlflow", "logging"})
_TAKING_METHODS = frozenset(
    {
        "add_scalar", "add_scalars", "append", "appendleft", "clear", "count", "debug", "error", "extend", "format", "index", "info", "insert",
        "keys", "log", "log_metric", "log_metrics", "plot", "remove", "set_description", "set_postfix", "set_postfix_str", "sort", "step",
        "warning", "write", "writerow",
    }
)  # fmt: skip


class _Consumed(Exception):
    """Something that only a tensor can be used for is done with a kept value."""


def takes_numbers(code: ir.ModuleCode, name: str) -> bool:
    """Whether all that a file does with a name, its elements and what is computed from them can be done with numbers.

    The values are followed through assignments, loops, calls of the file's own functions and what these return;
    a use that is not known to take numbers counts as one that does not.

    Args:
        code: the file.
        name: a dotted name, in whichever of its functions it stands.
    """
    return _Flow(code, name).holds()


class _Flow:
    """The names that hold kept values, function by function."""

    def __init__(self, code: ir.ModuleCode, name: str) -> None:
        self.functions = [code.top, *code.functions]
        self.by_name: dict[str, list[ir.Function]] = {}
        for function in code.functions:
            self.by_name.setdefault(function.name, []).append(function)
        self.methods = {f for cls in code.classes for f in cls.methods.values()}
        self.kept = {function: {name} for function in self.functions}
        self.returning: set[ir.Function] = set()

    def holds(self) -> bool:
        before = -1
        while before != (before := self._size()):
            try:
                for function in self.functions:
                    self._statements(function, function.body)
            except _Consumed:
                return False
        return True

    def _size(self) -> int:
        return sum(map(len, self.kept.values())) + len(self.returning)

    def _statements(self, function: ir.Function, body: Iterable[ir.Stmt]) -> None:
        for stmt in body:
            match stmt:
                case ir.Assign():
                    self._bind(function, stmt.targets, self._carries(function, stmt.value))
                case ir.AugAssign():
                    self._bind(function, [stmt.target], self._carries(function, stmt.value))
                case ir.For():
                    self._bind(function, [stmt.target], self._carries(function, stmt.iter))
                case ir.Return() if stmt.value is not None and self._carries(function, stmt.value):
                    if not self._called(function):
                        raise _Consumed
                    self.returning.add(function)
                case ir.With():
                    for context, _ in stmt.items:
                        self._carries(function, context)
                case ir.ExprStmt() | ir.Jump() if stmt.value is not None:
                    self._carries(function, stmt.value)
                case ir.If() | ir.While() | ir.Assert():
                    self._carries(function, stmt.test)
            for inner in ir.bodies(stmt):
                self._statements(function, inner)

    def _called(self, function: ir.Function) -> bool:
        """Whether the file shows a call of a function: what others do with its result is not seen."""
        return any(function.name in f.methods or function.name in f.usage for f in self.functions)

    def _bind(self, function: ir.Function, targets: Iterable[ir.Expr], carried: bool) -> None:
        for target in targets:
            match target:
                case ir.Display():
                    self._bind(function, target.items, carried)
                case ir.Subscript() | ir.Star():
                    self._bind(function, [target.value], carried)
                case ir.Name() | ir.Attr() if carried:
                    path = ir.path_of(target)
                    if path is None:
                        raise _Consumed
                    for each in self.functions if "." in path else [function]:
                        self.kept[each].add(path)

    def _carries(self, function: ir.Function, expr: ir.Expr) -> bool:
        """Whether an expression's value is, holds or is computed from kept values."""
        match expr:
            case ir.Name() | ir.Attr() if ir.path_of(expr) in self.kept[function]:
                return True
            case ir.Attr(attr="__getitem__"):
                return self._carries(function, expr.value)
            case ir.Attr():
                self._refuse(function, [expr.value])
                return False
            case ir.Call():
                return self._of_call(function, expr)
            case ir.Subscript():
                self._carries(function, expr.index)
                return self._carries(function, expr.value)
            case ir.Binary(op="%", left=ir.Const(value=str())) | ir.Compare() | ir.Format():
                for part in ir.children(expr):
                    self._carries(function, part)
                return False
            case ir.Comprehension():
                outside = set(self.kept[function])
                for clause in expr.clauses:
                    self._bind(function, [clause.target], self._carries(function, clause.iter))
                carried = self._any(function, [*expr.elements, *(test for clause in expr.clauses for test in clause.tests)])
                self.kept[function] = outside
                return carried
            case ir.Walrus():
                carried = self._carries(function, expr.value)
                self._bind(function, [expr.target], carried)
                return carried
            case ir.Binary() | ir.Unary() | ir.BoolOp() | ir.IfExp() | ir.Display() | ir.DictDisplay() | ir.Star():
                return self._any(function, ir.children(expr))
        self._refuse(function, ir.children(expr))
        return False

    def _of_call(self, function: ir.Function, call: ir.Call) -> bool:
        path, values = ir.path_of(call.func), [arg.value for arg in call.args]
        name = call.func.attr if isinstance(call.func, ir.Attr) else path
        receiver = self._carries(function, call.func.value if isinstance(call.func, ir.Attr) else call.func)
        if receiver and name not in _CONTENTS | _TAKING_METHODS:
            raise _Consumed
        given = [arg for arg in call.args if self._carries(function, arg.value)]
        own = self.by_name.get(name or "", [])
        if path in _PASSING:
            return bool(given)
        if given and not (path in _TAKING or name in _TAKING_METHODS or (path or "").partition(".")[0] in _NUMERIC):
            self._hand(call, [values.index(arg.value) for arg in given], own)
        if name in ("append", "appendleft", "extend", "insert", "setdefault") and given and isinstance(call.func, ir.Attr):
            self._bind(function, [call.func.value], True)
        return (receiver and name in _CONTENTS) or any(f in self.returning for f in own)

    def _hand(self, call: ir.Call, places: list[int], own: list[ir.Function]) -> None:
        """Follows arguments into the file's own functions."""
        if not own:
            raise _Consumed
        for callee in own:
            params = [p for p in callee.params if p.kind == "plain"]
            params = params[1:] if callee in self.methods else params
            for place in places:
                keyword = call.args[place].keyword
                param = (
                    next((p for p in callee.params if p.name == keyword), None)
                    if keyword
                    else params[place]
                    if place < len(params)
                    else None
                )
                if param is None or call.args[place].star or param.kind.startswith("*"):
                    raise _Consumed
                self.kept[callee].add(param.name)

    def _any(self, function: ir.Function, parts: Iterable[ir.Expr]) -> bool:
        carried = [self._carries(function, part) for part in parts]
        return any(carried)

    def _refuse(self, function: ir.Function, parts: Iterable[ir.Expr]) -> None:
        if self._any(function, parts):
            raise _Consumed
