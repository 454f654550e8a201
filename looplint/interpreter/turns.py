"""What one turn of a loop deals with: what the loop binds, and the entries of containers that this tells."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from looplint.domain.objects import Dict, Instance, List, Module, Obj, Optimizer
from looplint.domain.values import Atom, Const, Ref, Tuple, Unknown
from looplint.interpreter import objects
from looplint.syntax import ir

if TYPE_CHECKING:
    from looplint.flow.graph import Loop
    from looplint.interpreter.frames import Frame
    from looplint.interpreter.interpreter import Interpreter

# What gives another name of a key, and no other key.
_CONVERSIONS = frozenset({"str", "int"})
# Whether an entry under a constant key is told apart from the other entries of its container.
Apart = Callable[[ir.Expr, ir.Const], bool]


def is_one(interp: Interpreter, obj: Obj, method: ir.Expr) -> bool:
    """Whether a method is called on one object alone: not on any of those that a container holds, or in each turn of a loop on that turn's."""
    if not obj.many:
        return True
    loop = interp.loops[-1] if interp.loops else None
    receiver = method.func.value if isinstance(method, ir.Call) and isinstance(method.func, ir.Attr) else None
    frame = interp.frame
    while loop is not None and loop.frame != frame.ctx and frame.caller is not None and isinstance(receiver, ir.Name):
        frame, receiver = frame.caller, frame.handed.get(receiver.id) or frame.entries.get(receiver.id)  # the loop hands it down
    if loop is None or loop.frame != frame.ctx or receiver is None or _is_bound_twice(receiver, loop.targets, frame):
        return False
    of_turn = _is_of_turn(receiver, loop.targets, frame.function, lambda held, key: _is_held_apart(interp, frame, held, key))
    return of_turn or (isinstance(obj, Optimizer) and not obj.symbolic and _is_alone_in(interp, obj, receiver, loop, frame))


def _is_alone_in(interp: Interpreter, obj: Obj, receiver: ir.Expr, loop: Loop, frame: Frame) -> bool:
    """Whether all turns of a loop are about one of the objects that a container holds: one was chosen before, with its model, and nothing in the loop may be another."""
    keys = [e.index for e in ir.walk(receiver) if isinstance(e, ir.Subscript)]
    if (
        not isinstance(receiver, ir.Name | ir.Subscript)
        or loop.stmt is None
        or not all(isinstance(key, ir.Name | ir.Const) for key in keys)
    ):
        return False
    if not ir.paths_in(receiver).isdisjoint(loop.assigned | loop.targets):
        return False
    used = _used_in_loops(frame.function).get(id(loop.stmt), {})
    text, chosen = ir.render(receiver), _chosen_by(interp, frame, receiver)
    for path, expr in used.items():
        several = {o for o in _held_by(interp, frame, expr) if o.many and isinstance(o, Module | Optimizer)}
        if several and (_chosen_by(interp, frame, expr) != chosen or (obj in several and path != text)):
            return False
    return text in used


def is_chosen_before(interp: Interpreter, method: ir.Expr, several: Collection[Obj]) -> bool:
    """Whether a method is called of one of several optimizers for which a name stands that the loop does not bind: all of its turns are about one of them.

    Nothing else in the loop may be one of these. So a loop over epochs that takes another optimizer for the last of them works with one in each epoch.
    """
    loop, frame = interp.loops[-1] if interp.loops else None, interp.frame
    if loop is None or loop.frame != frame.ctx or not all(isinstance(o, Optimizer) and not o.many for o in several):
        return False
    match method:
        case ir.Attr(value=ir.Name(id=name)) if name not in loop.assigned | loop.targets:
            used = _used_in_loops(frame.function).get(id(loop.stmt), {})
            return name in used and not any(path != name and not _held_by(interp, frame, used[path]).isdisjoint(several) for path in used)
    return False


def _chosen_by(interp: Interpreter, frame: Frame, expr: ir.Expr) -> object:
    """What tells which of several an expression is: the loop around that has a turn for each, or else the key or the name that the text has for it."""
    around = interp.loops[-1] if interp.loops else None
    while around is not None:
        if around.frame == frame.ctx and _is_of_turn(expr, around.targets, frame.function, lambda held, key: False):
            return around
        around = around.parent
    match expr:
        case ir.Name(id=name):
            if frame.caller is not None and (given := frame.handed.get(name) or frame.entries.get(name)) is not None:
                return _chosen_by(interp, frame.caller, given)
            bound = [_given(stmt, name) for stmt in ir.statements(frame.function.body) if name in ir.binds(stmt)]
            return _chosen_by(interp, frame, bound[0]) if len(bound) == 1 and isinstance(bound[0], ir.Subscript) else name
        case ir.Attr(value=owner):
            return _chosen_by(interp, frame, owner)
        case ir.Subscript(index=index):
            return ir.render(index)
    return expr


@ir.kept_with_code
def _used_in_loops(function: ir.Function) -> dict[int, dict[str, ir.Expr]]:
    """For the loops of a function, by the identity of their statements: the names, attributes and entries that are called in them, whose methods are, or that calls get."""
    found: dict[int, dict[str, ir.Expr]] = {}
    for loop in ir.statements(function.body):
        if isinstance(loop, ir.For | ir.While):
            used = [each for call in ir.calls_in(loop.body) for each in (call.func, *_owner(call), *(arg.value for arg in call.args))]
            found[id(loop)] = {ir.render(e): e for e in used if isinstance(e, ir.Name | ir.Attr | ir.Subscript) and not _calls(e)}
    return found


def _owner(call: ir.Call) -> list[ir.Expr]:
    return [call.func.value] if isinstance(call.func, ir.Attr) else []


def _calls(expr: ir.Expr) -> bool:
    return any(isinstance(e, ir.Call) for e in ir.walk(expr))


def _held_by(interp: Interpreter, frame: Frame, expr: ir.Expr) -> set[Obj]:
    """The objects that an expression of an activation can be, of which nothing happens."""
    return {atom.obj for atom in interp.seen_from(frame, expr) if isinstance(atom, Ref)}


def _is_bound_twice(receiver: ir.Expr, targets: frozenset[str], frame: Frame) -> bool:
    """Whether a turn binds what an expression begins with to another name as well, as far as is known: `for one, other in combinations(players, 2)`."""
    while isinstance(receiver, ir.Attr | ir.Subscript):
        receiver = receiver.value
    if not isinstance(receiver, ir.Name) or receiver.id not in targets:
        return False
    held = {atom for atom in frame.locals.get(receiver.id, ()) if isinstance(atom, Ref)}
    return any(not held.isdisjoint(frame.locals.get(name, ())) for name in targets - {receiver.id})


def _is_held_apart(interp: Interpreter, frame: Frame, container: ir.Expr, key: ir.Const) -> bool:
    """Whether all containers that an expression of an activation can be tell what they hold under a key from what they hold under others."""
    held = interp.seen_from(frame, container)
    known = [atom for atom in held if not isinstance(atom, Unknown | Const)]
    return bool(known) and all(_tells_apart(interp, atom, key.value) for atom in known)


def _tells_apart(interp: Interpreter, container: Atom, key: ir.Constant) -> bool:
    match container:
        case Ref(obj=Dict() | Instance() as entries):
            return isinstance(key, str) and f"={key}" in entries.heap and not objects.is_rewritten(interp, entries)
        case Ref(obj=List(items=items) as entries) if items is not None and not objects.is_rewritten(interp, entries):
            return isinstance(key, int) and -len(items) <= key < len(items)
        case Tuple(items=items):
            return isinstance(key, int) and -len(items) <= key < len(items)
    return False


def _is_of_turn(receiver: ir.Expr, targets: frozenset[str], function: ir.Function, apart: Apart) -> bool:
    """Whether an expression is what a loop binds in each turn, an attribute or a certain entry of that, or the entry under a key that the loop binds.

    Args:
        receiver: the expression.
        targets: the names that the loop binds.
        function: the function in which the loop stands: a name in it may be set to what is of the turn, and to nothing else.
        apart: tells of an expression and a constant key whether the entry is a certain one.
    """
    match receiver:
        case ir.Name(id=name):
            return name in targets or (bool(targets) and _is_set_in_each_turn(name, targets, function, apart))
        case ir.Attr(value=owner):
            return _is_of_turn(owner, targets, function, apart)
        case ir.Subscript(value=held, index=ir.Const() as key):
            return _is_of_turn(held, targets, function, apart) and apart(held, key)
        case ir.Subscript(value=held, index=index):
            return _tells_the_turn(index, targets) and _is_certain(held, apart) and not _has_others(held, index, targets, function)
    return False


def _has_others(held: ir.Expr, index: ir.Expr, targets: frozenset[str], function: ir.Function) -> bool:
    """Whether a function asks a container for entries under several keys that one turn tells: `optimizers[a]` and `optimizers[b]` for each pair."""
    return any(ir.render(key) != ir.render(index) for key in _keys(function).get(ir.render(held), ()) if _tells_the_turn(key, targets))


@ir.kept_with_code
def _keys(function: ir.Function) -> dict[str, list[ir.Expr]]:
    """The keys under which the text of a function asks each container for an entry."""
    found: dict[str, list[ir.Expr]] = {}
    for stmt in ir.statements(function.body):
        for each in ir.walk(*ir.expressions(stmt)):
            if isinstance(each, ir.Subscript):
                found.setdefault(ir.render(each.value), []).append(each.index)
    return found


def _is_certain(held: ir.Expr, apart: Apart) -> bool:
    """Whether a container goes by a name or an attribute, or is a certain entry of one: `optimizers["critic"]`."""
    match held:
        case ir.Name() | ir.Attr():
            return True
        case ir.Subscript(value=outer, index=ir.Const() as key):
            return _is_certain(outer, apart) and apart(outer, key)
    return False


def _tells_the_turn(key: ir.Expr, targets: frozenset[str]) -> bool:
    """Whether a key is what a loop binds: `k`, `str(k)`, `task.name`."""
    match key:
        case ir.Name(id=name):
            return name in targets
        case ir.Attr(value=owner):
            return _tells_the_turn(owner, targets)
        case ir.Call(func=ir.Name(id=name), args=[ir.Arg(value=given)]) if name in _CONVERSIONS:
            return _tells_the_turn(given, targets)
    return False


def _is_set_in_each_turn(name: str, targets: frozenset[str], function: ir.Function, apart: Apart) -> bool:
    """Whether a name gets nothing but the entry under a key that the loop binds: `optimizer = optimizers[k]`, `net, optimizer = nets[k], optimizers[k]`."""
    given = [_given(stmt, name) for stmt in ir.statements(function.body) if name in ir.binds(stmt)]
    return bool(given) and all(isinstance(value, ir.Subscript) and _is_of_turn(value, targets, function, apart) for value in given)


def _given(stmt: ir.Stmt, name: str) -> ir.Expr | None:
    """What a statement sets a name to; None where that is not one expression."""
    match stmt:
        case ir.Assign(targets=[ir.Name()], value=value):
            return value
        case ir.Assign(targets=[ir.Display(items=names)], value=ir.Display(items=values)) if len(names) == len(values):
            return next((value for target, value in zip(names, values) if isinstance(target, ir.Name) and target.id == name), None)
    return None
