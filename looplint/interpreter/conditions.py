"""What a test comes down to: the condition behind a name, a property or a function of one line, and whether the mode of a module decides it."""

from __future__ import annotations

from collections.abc import Iterator

from looplint.dataclass import replace
from looplint.domain.values import Func, Mode, Ref, Value, constant_of
from looplint.interpreter import classes, handed_down, written_numbers
from looplint.interpreter.interpreter import Interpreter
from looplint.syntax import ir
from looplint.syntax.running_best import keeps_best
from looplint.syntax.substitution import substituted

_DEPTH = 3


def describe(interp: Interpreter, test: ir.Expr) -> None:
    """Complete the guard of a branch that was just entered by what its test stands for."""
    guard = interp.guards[-1]
    behind = spelled_out(interp, guard.test)
    if behind is not None:
        paths = frozenset(ir.paths_in(behind))
        behind, held = ir.affirmed(behind, guard.held)
        home, meaning = handed_down.at_home(interp.frame, behind, paths, interp.substitutions)
        guard = replace(guard, test=behind, held=held, names=guard.names | paths, home=home.ctx, meaning=meaning, owner=None)
    periods = [(ir.render(each), _value_of(interp, each), each) for each in _periods(guard.test)]
    ones = frozenset(name for name, value, _ in periods if (one := constant_of(value)) is not None and one.value == 1)
    several = frozenset(name for name, value, each in periods if any(number > 1 for number in written_numbers.told(interp, each, value)))
    interp.guards = (*interp.guards[:-1], replace(guard, of_mode=_asks_for_mode(interp, test), ones=ones, several=several))


def _periods(test: ir.Expr) -> list[ir.Expr]:
    """The names in a test that divide a number, or to which one is counted: `(i + 1) % k == 0`, `count == k`."""
    divisors = [e.right for e in ir.walk(test) if isinstance(e, ir.Binary) and e.op == "%"]
    limits = [e.rights[0] for e in ir.walk(test) if isinstance(e, ir.Compare) and len(e.rights) == 1]
    return [e for e in (*divisors, *limits) if ir.path_of(e)]


def spelled_out(interp: Interpreter, test: ir.Expr, depth: int = _DEPTH) -> ir.Expr | None:
    """The condition that a call of a function of one line, or a property, returns, in the words of the caller; None where it is none."""
    if not depth or not isinstance(test, ir.Call | ir.Attr):
        return None
    found = _called(interp, test) if isinstance(test, ir.Call) else _property(interp, test)
    if found is None:
        return None
    function, values = found
    key = (id(test), id(function))
    if key not in interp.evidence.conditions:
        returned = _returned(function)
        interp.evidence.conditions[key] = substituted(returned, values) if returned is not None else None
    inner = interp.evidence.conditions[key]
    return (spelled_out(interp, inner, depth - 1) or inner) if inner is not None else None


def _called(interp: Interpreter, call: ir.Call) -> tuple[ir.Function, dict[str, ir.Expr]] | None:
    """The function that a test calls, with the expressions that its parameters get."""
    callee = _value_of(interp, call.func) if ir.path_of(call.func) else frozenset()
    functions = [a for a in callee if isinstance(a, Func)]
    if len(callee) != 1 or not functions or any(a.star for a in call.args):
        return None
    func = functions[0]
    params = [p for p in func.function.params if p.kind in ("plain", "keyword")]
    values = {p.name: p.default for p in params if p.default is not None}
    if func.bound is not None and params and isinstance(call.func, ir.Attr):
        values[params.pop(0).name] = call.func.value
    for param, arg in zip([p for p in params if p.kind == "plain"], [a for a in call.args if a.keyword is None], strict=False):
        values[param.name] = arg.value
    values.update({a.keyword: a.value for a in call.args if a.keyword is not None})
    return func.function, values


def _property(interp: Interpreter, test: ir.Attr) -> tuple[ir.Function, dict[str, ir.Expr]] | None:
    owners = [a.obj.cls for a in _value_of(interp, test.value) if isinstance(a, Ref)] if ir.path_of(test.value) else []
    member = classes.find_member(interp, owners[0], test.attr) if len(owners) == 1 and owners[0] is not None else None
    if member is None or not isinstance(member[0], ir.Function) or len(member[0].params) != 1:
        return None
    if not ir.is_property(member[0]):
        return None
    return member[0], {member[0].params[0].name: test.value}


def _value_of(interp: Interpreter, expr: ir.Expr) -> Value:
    """What an expression is that was evaluated before: nothing happens again."""
    if isinstance(expr, ir.Name):
        return interp.evaluate(expr)  # to read a name does nothing
    return interp.seen(expr)


def _returned(function: ir.Function) -> ir.Expr | None:
    """What a function returns that does nothing else; its docstring is no statement of it."""
    body = [s for s in function.body if not (isinstance(s, ir.ExprStmt) and isinstance(s.value, ir.Const))]
    match body:
        case [ir.Return(value=value)] if value is not None and not function.is_generator:
            return value
    return None


def set_aside(test: ir.Expr, body: list[ir.Stmt]) -> set[int]:
    """The assignments of one name to another in a branch that keeps a running best: `if loss < best: best = loss; kept = model`."""
    if not keeps_best(test, body):
        return set()
    return {id(s) for s in body if isinstance(s, ir.Assign) and len(s.targets) == 1 and ir.path_of(s.targets[0]) and ir.path_of(s.value)}


def _asks_for_mode(interp: Interpreter, test: ir.Expr) -> bool:
    """Whether the mode of a module decides a test: `if was_training`, `if not model.training`."""
    match test:
        case ir.Unary(operand=inner) | ir.Compare(left=inner):
            return _asks_for_mode(interp, inner)
        case ir.BoolOp(left=left, right=right):
            return _asks_for_mode(interp, left) or _asks_for_mode(interp, right)
        case ir.Name() | ir.Attr() if not any(isinstance(e, ir.Call) for e in ir.walk(test)):
            return any(isinstance(a, Mode) for a in _value_of(interp, test))
    return False


def note_exit(interp: Interpreter, place: int, ended: list[ir.Stmt]) -> None:
    """Note of a guard whether the loop around it ends on the other side: by a `break`, an error, or a return from the loop's own function."""
    if place < len(interp.guards) and interp.loops and _ends_the_loop(interp, ended):
        guard = replace(interp.guards[place], stays=True)
        interp.guards = (*interp.guards[:place], guard, *interp.guards[place + 1 :])


def _ends_the_loop(interp: Interpreter, body: list[ir.Stmt]) -> bool:
    """Whether a block that is never left at its end leaves the innermost loop, and not this turn alone."""
    if interp.loops[-1].frame is not interp.frame.ctx:
        return isinstance(body[-1], ir.Jump) if body else False
    return not any(isinstance(s, ir.Jump) and s.kind == "continue" for s in _outside_of_loops(body))


def _outside_of_loops(body: list[ir.Stmt]) -> Iterator[ir.Stmt]:
    for stmt in body:
        yield stmt
        if not isinstance(stmt, ir.For | ir.While):
            for inner in ir.bodies(stmt):
                yield from _outside_of_loops(inner)
