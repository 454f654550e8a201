"""Conditions on parameters, in the words of the caller that has handed their arguments down: `if rank == 0` in two functions is one condition."""

from __future__ import annotations

from collections import Counter

from looplint.interpreter.frames import Frame
from looplint.syntax import ir
from looplint.syntax.substitution import Substitutions


def handed(function: ir.Function, arguments: dict[str, ir.Expr]) -> dict[str, ir.Expr]:
    """The names that stand for a name, an attribute or a condition of the caller as long as the function runs, with what they stand for.

    They are parameters, and what the function takes by a key of its `**kwargs`.
    """
    changed = changed_in(function)
    named = {name: value for name, value in arguments.items() if ir.path_of(value) or _is_condition(value)}
    found = {name: value for name, value in named.items() if name not in changed}
    return found | {name: named[key] for name, key in _taken_by_key(function).items() if key in named}


def entries(function: ir.Function, arguments: dict[str, ir.Expr]) -> dict[str, ir.Expr]:
    """The parameters that stand for an entry of a container of the caller as long as the function runs, with what they stand for: `optimizers[k]`."""
    parts = {name for name, value in arguments.items() if isinstance(value, ir.Subscript)}
    return {name: arguments[name] for name in parts - changed_in(function)} if parts else {}


def _is_condition(expr: ir.Expr) -> bool:
    """Whether an argument is a condition on names and attributes alone: `track(x, grad=not self.frozen)`."""
    match expr:
        case ir.Unary(op="not", operand=operand):
            return bool(ir.path_of(operand)) or _is_condition(operand)
        case ir.BoolOp(left=left, right=right):
            return all(ir.path_of(side) or _is_condition(side) for side in (left, right))
        case ir.Compare(left=left, rights=[right]):
            return bool(ir.path_of(left)) and (isinstance(right, ir.Const) or bool(ir.path_of(right)))
    return False


@ir.kept_with_code
def _taken_by_key(function: ir.Function) -> dict[str, str]:
    """The names that a function binds once, to an entry of its `**kwargs`, with the key: `scaler = kwargs.get("scaler")`."""
    rest = next((p.name for p in function.params if p.kind == "**"), None)
    if rest is None:
        return {}
    written = list(ir.statements(function.body))
    bound = Counter(name for stmt in written for name in ir.binds(stmt))
    found = {}
    for stmt in written:
        match stmt:
            case ir.Assign(
                targets=[ir.Name(id=name)],
                value=ir.Subscript(value=ir.Name(id=source), index=ir.Const(value=str(key)))
                | ir.Call(func=ir.Attr(value=ir.Name(id=source), attr="get" | "pop"), args=[ir.Arg(value=ir.Const(value=str(key))), *_]),
            ) if source == rest and bound[name] == 1:
                found[name] = key
    return found


def at_home(frame: Frame, test: ir.Expr, names: frozenset[str], substitutions: Substitutions) -> tuple[Frame, ir.Expr]:
    """The outermost activation in whose words a condition can be said, and the condition in these words."""
    while names:
        around = _around(frame, names)
        if around is not None:
            frame = around
            continue
        if frame.caller is None or not all(name.partition(".")[0] in frame.handed for name in names):
            break
        said = substitutions.of(test, names, frame.handed)
        if said is None:
            break
        paths = ir.paths_in(said)
        if not all(_is_told(frame.caller, path) for path in paths) and _around(frame.caller, frozenset(paths)) is None:
            break
        frame, test, names = frame.caller, said, frozenset(paths)
    return frame, test


def is_told_once(frame: Frame, test: ir.Expr) -> bool:
    """Whether a test asks of an activation's parameters what is the same for as long as it runs: whether a flag is set, or which constant one is."""
    lasting = {p.name: p for p in frame.function.params if p.name not in changed_in(frame.function)}
    match test:
        case ir.BoolOp():
            return is_told_once(frame, test.left) and is_told_once(frame, test.right)
        case ir.Unary(op="not"):
            return is_told_once(frame, test.operand)
        case ir.Compare(left=ir.Name(id=name), rights=[ir.Const() | ir.Display() as right]):
            return name in lasting and all(isinstance(e, ir.Const | ir.Display) for e in ir.walk(right))
        case ir.Name(id=name):
            # What is no flag may be a container, and be filled in between.
            default = lasting[name].default if name in lasting else None
            return isinstance(default, ir.Const) and isinstance(default.value, bool)
    return False


def _around(frame: Frame, names: frozenset[str]) -> Frame | None:
    """The activation around a function, or its module's, that has all names of a condition, where each of them has one value throughout."""
    roots = {name.partition(".")[0] for name in names}
    around = _outside(frame)
    if around is None or not roots.isdisjoint(frame.locals) or not roots.isdisjoint(frame.function.declared):
        return None
    while around is not None and roots.isdisjoint(around.locals):
        around = _outside(around)
    lasting = around is not None and roots <= around.locals.keys() and roots <= _bound_once(around.function)
    return around if lasting else None


def _outside(frame: Frame) -> Frame | None:
    """The activation whose names a function reads besides its own: that of the function around it, or of its module."""
    top = frame.module.frame
    return frame.closure or (top if top is not frame else None)


@ir.kept_with_code
def _bound_once(function: ir.Function) -> frozenset[str]:
    """The names that a function's body binds once and in no loop, of which nothing in it sets an attribute or an item, and no function in it any name."""
    written = list(ir.statements(function.body))
    times = Counter(name for stmt in written for name in ir.binds(stmt))
    again = {
        name
        for loop in written
        if isinstance(loop, ir.For | ir.While)
        for stmt in (loop, *ir.statements(loop.body))
        for name in ir.binds(stmt)
    }
    parts = {
        path.partition(".")[0]
        for stmt in written
        for target in ir.targets(stmt)
        for path in ir.paths_in(target)
        if not isinstance(target, ir.Name)
    }
    return frozenset(name for name, count in times.items() if count == 1) - again - parts


def _is_told(frame: Frame, path: str) -> bool:
    """Whether it is known on each path when a name of an activation, or an attribute of one, gets another value."""
    name = path.partition(".")[0]
    settled = name not in changed_in(frame.function) or name in _bound_once(frame.function)
    return name in frame.locals and (settled or path in frame.function.tested)


@ir.kept_with_code
def changed_in(function: ir.Function) -> frozenset[str]:
    """The names that a function's body binds, or of which it sets an attribute or an item."""
    found: set[str] = set(function.declared)
    for stmt in ir.statements(function.body):
        found |= ir.binds(stmt)
        found.update(e.id for target in ir.targets(stmt) for e in ir.walk(target) if isinstance(e, ir.Name))
    return frozenset(found)
