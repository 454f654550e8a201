"""Methods that ask for the mode only to choose how they compute a quantity: by which function, or how exactly a solver does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from looplint.domain.objects import Module
from looplint.domain.values import Atom, ClassRef, External, Func, Value
from looplint.interpreter import classes
from looplint.interpreter.interpreter import Interpreter
from looplint.knowledge.lookup import call_effect
from looplint.regex import regex
from looplint.syntax import ir

# What draws by its name: such a function is none of two ways to one quantity.
_DRAWS = regex(r"rand|drop|noise|noisy|sampl|bernoulli|multinomial|normal_|^normal$|uniform|gumbel|perturb|augment|jitter|corrupt|mask")


def chooses_how(interp: Interpreter, function: ir.Function, owner: ClassRef, obj: Module) -> bool:
    """Whether a method reads `self.training` only to choose between two functions that get the same, or between two ways to call one solver.

    So a flow has an exact divergence where it is evaluated, and a solver other tolerances: `odeint(self.f, x, t, atol=self.test_atol)`. What draws is no such way.
    """
    own = function.params[0].name
    mode = f"{own}.training"
    asked = sum(ir.path_of(e) == mode for stmt in ir.statements(function.body) for whole in ir.expressions(stmt) for e in ir.walk(whole))
    chosen = 0
    for test, one, other in _choices(function.body):
        if count := sum(ir.path_of(e) == mode for e in ir.walk(test)):
            chosen += count if _are_alike(interp, one, other, owner, obj, own) else 0
    return 0 < asked == chosen


def _choices(body: Sequence[ir.Stmt]) -> Iterator[tuple[ir.Expr, ir.Expr, ir.Expr]]:
    """The tests of a function that choose between two values: of one name, or of what it returns."""
    stmts = list(ir.statements(body))
    for n, stmt in enumerate(stmts):
        match stmt:
            case ir.If(test=test, body=[ir.Assign() as one], orelse=[ir.Assign() as other]):
                if _targets(one) == _targets(other):
                    yield test, one.value, other.value
            case ir.If(test=test, body=[ir.Return() as first], orelse=[*rest]):
                match rest or stmts[n + 2 : n + 3]:
                    case [ir.Return() as second] if first.value is not None and second.value is not None:
                        yield test, first.value, second.value
            case (
                ir.Assign(value=ir.IfExp(test=test, body=given, orelse=another))
                | ir.Return(value=ir.IfExp(test=test, body=given, orelse=another))
            ):
                yield test, given, another


def _targets(stmt: ir.Assign) -> list[str]:
    return [ir.render(target) for target in stmt.targets]


def _are_alike(interp: Interpreter, one: ir.Expr, other: ir.Expr, owner: ClassRef, obj: Module, own: str) -> bool:
    """Whether two expressions are what functions give of the same, with the same done to that: `exact(y, x).view(n, 1)`, `self.estimate(y, x, e).view(n, 1)`."""
    match one, other:
        case ir.Subscript(value=first, index=i), ir.Subscript(value=second, index=j) if ir.render(i) == ir.render(j):
            return _are_alike(interp, first, second, owner, obj, own)
        case ir.Call(func=ir.Attr(value=ir.Call() as first)), ir.Call(func=ir.Attr(value=ir.Call() as second)):
            return ir.render(one).removeprefix(ir.render(first)) == ir.render(other).removeprefix(ir.render(second)) and _are_alike(
                interp, first, second, owner, obj, own
            )
        case ir.Call(), ir.Call():
            callees = [_callees(interp, call.func, owner, obj, own) for call in (one, other)]
            given = [[ir.render(arg.value) for arg in call.args if arg.keyword is None and not arg.star] for call in (one, other)]
            if all(callees) and all(map(_solves, callees[0] | callees[1])):
                return bool(given[0]) and given[0][:1] == given[1][:1]
            common = min(map(len, given))
            return common > 0 and given[0][:common] == given[1][:common] and all(callees) and all(map(_computes, callees[0] | callees[1]))
    return False


def _callees(interp: Interpreter, func: ir.Expr, owner: ClassRef, obj: Module, own: str) -> Value:
    """What a method calls by a name of its module, or by an attribute in which its object keeps a function."""
    match func:
        case ir.Attr(value=ir.Name(id=name), attr=attr) if name == own:
            member = obj.cls is not None and classes.find_member(interp, obj.cls, attr) is not None
            return frozenset() if member else obj.heap.get(attr, frozenset())
    if ir.path_of(func) is None:
        return frozenset()
    with interp.looking():
        return classes.static_value(interp, func, owner.module, owner.closure)


def _solves(atom: Atom) -> bool:
    return isinstance(atom, External) and call_effect(atom.qualname) == "integrate"


def _computes(atom: Atom) -> bool:
    """Whether something is a function of the program's own that draws nothing, by the names of all that it calls."""
    return isinstance(atom, Func) and not atom.function.decorators and not _draws(atom.function)


@ir.kept_with_code
def _draws(function: ir.Function) -> bool:
    return any(_DRAWS.search(name.lower()) for name in (function.name, *map(ir.called_name, ir.calls_in(function.body))))
