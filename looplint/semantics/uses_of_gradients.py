"""Optimizers of a program's own that use no gradients: a proximal operator, a projection, weights that are clipped to a range.

Such a step does the same after `zero_grad()`, and wants no backward before it. It is known by the text of the step and of the methods that it calls:
nothing there names a gradient, calls the step of a base, or hands a parameter to code that could read its gradient.
"""

from __future__ import annotations

from collections.abc import Iterator

from looplint.domain.objects import Container, Obj, Optimizer
from looplint.domain.values import NOTHING, Const, Func, Method, Number, Unknown, Value, refs
from looplint.interpreter import classes
from looplint.interpreter.interpreter import Interpreter
from looplint.syntax import ir

# What names no gradient though it contains the word.
_SWITCHES = frozenset({"no_grad", "enable_grad", "set_grad_enabled", "requires_grad", "requires_grad_"})
# What is read of a parameter that has no gradient of its own, and what is computed of it.
_OTHER_PARTS = frozenset({"data", "shape", "device", "dtype", "ndim", "requires_grad"})
_COMPUTED = frozenset(
    {"detach", "clone", "item", "size", "dim", "numel", "norm", "abs", "sign", "sum", "mean", "max", "min", "pow", "sqrt", "view"}
)
# What goes over things, counts or shows them.
_PLAIN = frozenset(
    {"zip", "enumerate", "reversed", "list", "tuple", "iter", "len", "range", "isinstance", "id", "print", "float", "int", "min", "max"}
)
# Where an optimizer keeps its parameters.
_OF_PARAMETERS = frozenset({"param_groups", "state", "params"})


def step_uses_gradients(interp: Interpreter, obj: Optimizer) -> bool:
    """Whether the step of an optimizer uses gradients, or may: one of torch's own, one out of sight, and one that changes nothing itself."""
    if obj.cls is None or obj.steps_by_inner:
        return True
    reading = _Reading(interp, obj)
    return not reading.is_free("step", frozenset()) or not reading.changes


class _Reading:
    """A reading of the methods that make the step of an optimizer."""

    def __init__(self, interp: Interpreter, obj: Optimizer) -> None:
        self._interp, self._obj = interp, obj
        self._read: set[tuple[str, frozenset[int]]] = set()
        # Whether something is changed in place, or gets other data.
        self.changes = False

    def is_free(self, name: str, given: frozenset[int]) -> bool:
        """Whether a method uses no gradients, where the arguments at these places may be parameters."""
        if (name, given) in self._read:
            return True
        self._read.add((name, given))
        assert self._obj.cls is not None
        member = classes.find_member(self._interp, self._obj.cls, name)
        function = member[0] if member is not None else None
        if not isinstance(function, ir.Function) or not function.params or function.is_generator or ir.is_static(function):
            return False
        written = [*ir.statements(function.body)]
        if any(isinstance(s, ir.FunctionDef | ir.ClassDef | ir.Import) for s in written):
            return False
        own = function.params[0].name
        held = self._held(written, own, {p.name for n, p in enumerate(function.params[1:]) if n in given})
        return all(self._leaves_gradients(expr, own, held) for stmt in written if not _is_text(stmt) for expr in _parts(stmt))

    def _held(self, written: list[ir.Stmt], own: str, held: set[str]) -> set[str]:
        """The names that may hold parameters, or what contains them."""
        pairs = [pair for stmt in written for pair in _bindings(stmt)]
        while True:
            found = {
                single.id
                for target, value in pairs
                if self._holds(value, own, held)
                for single in ir.single_targets(target)
                if isinstance(single, ir.Name)
            }
            if found <= held:
                return held
            held = held | found

    def _holds(self, expr: ir.Expr, own: str, held: set[str]) -> bool:
        """Whether an expression may be a parameter, or contain one."""
        match expr:
            case ir.Const() | ir.Compare() | ir.Unary() | ir.Format():
                return False
            case ir.Name(id=name):
                return name == own or name in held
            case ir.Attr(value=ir.Name(id=name), attr=attr) if name == own:
                return attr in _OF_PARAMETERS or not all(isinstance(a, Const | Number | Func | Method | Unknown) for a in self._kept(attr))
            case ir.Attr(attr=attr) if attr in _OTHER_PARTS:
                return False
            case ir.Subscript(value=value, index=ir.Const(value=str() as key)):
                return key in _OF_PARAMETERS and self._holds(value, own, held)
            case ir.Binary(op=op) if op != "+":
                return False
            case ir.Call(func=ir.Attr(attr=name)) if name in _COMPUTED:
                return False
            case ir.Call(func=func) if (ir.path_of(func) or "").startswith("torch."):
                return False
        return any(self._holds(child, own, held) for child in ir.children(expr))

    def _kept(self, attr: str) -> Value:
        """What an attribute of the optimizer holds that its class sets."""
        return self._obj.heap.get(attr, NOTHING)

    def _leaves_gradients(self, expr: ir.Expr, own: str, held: set[str]) -> bool:
        """Whether an expression, without its parts, reads no gradient and hands no parameter on."""
        match expr:
            case ir.Attr(value=ir.Name(id=name), attr=attr) if name == own and any(
                not isinstance(o, Container) for o in refs(self._kept(attr), Obj)
            ):
                return False  # another object, which may be an optimizer or hold the model
            case ir.Name(id=name) | ir.Attr(attr=name):
                self.changes = self.changes or (isinstance(expr, ir.Attr) and name == "data")
                return name in _SWITCHES or not ("grad" in name.lower() or name == "super" or name.startswith("__"))
            case ir.Const(value=str() as text):
                return "grad" not in text.lower()
            case ir.Lambda():
                return False
            case ir.Call(func=func, args=args):
                given = frozenset(n for n, arg in enumerate(args) if self._holds(arg.value, own, held))
                return self._is_free_call(func, args, given, own, held)
        return True

    def _is_free_call(self, func: ir.Expr, args: list[ir.Arg], given: frozenset[int], own: str, held: set[str]) -> bool:
        """Whether a call uses no gradients, where the arguments at these places may be parameters."""
        match func:
            case ir.Attr(attr=name) if name in ir.GRADIENT_METHODS:
                return False
            case ir.Attr(value=ir.Name(id=name), attr=method) if name == own:
                if method in self._obj.heap:
                    return bool(args) and not given  # an operator that it was given
                return not any(args[n].keyword or args[n].star for n in given) and self.is_free(method, given)
            case ir.Attr(attr=method) if method.endswith("_"):
                self.changes = True
                return True
            case ir.Attr(value=value) if self._holds(value, own, held):
                return True  # a method of the parameter itself, or of what contains it
        path = ir.path_of(func) or ""
        return not given or path in _PLAIN or path.startswith("torch.")


def _bindings(stmt: ir.Stmt) -> Iterator[tuple[ir.Expr, ir.Expr]]:
    """What a statement gives names to, with what that comes from."""
    match stmt:
        case ir.For(target=target, iter=iterated):
            yield target, iterated
        case ir.Assign(targets=targets, value=value):
            yield from ((target, value) for target in targets)
        case ir.AugAssign(target=target, value=value):
            yield target, value
    for expr in ir.walk(*ir.expressions(stmt)):
        match expr:
            case ir.Comprehension(clauses=clauses):
                yield from ((clause.target, clause.iter) for clause in clauses)
            case ir.Walrus(target=target, value=value):
                yield target, value


def _parts(stmt: ir.Stmt) -> Iterator[ir.Expr]:
    """All expressions of a statement and what it assigns to."""
    return ir.walk(*ir.expressions(stmt), *ir.targets(stmt))


def _is_text(stmt: ir.Stmt) -> bool:
    return isinstance(stmt, ir.ExprStmt) and isinstance(stmt.value, ir.Const)
