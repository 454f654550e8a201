"""Loads that raise, as they give a model the whole file in whose entries the program has just found more than parameters: its epoch, and a state."""

from __future__ import annotations

from collections.abc import Iterator

from looplint.domain.objects import Module, Obj
from looplint.interpreter import classes
from looplint.interpreter.interpreter import Interpreter
from looplint.syntax import ir

# What puts a model under the name `module`, with which each name in its state begins then.
_WRAPPERS = frozenset({"DataParallel", "DistributedDataParallel"})


def has_no_such_entry(interp: Interpreter, obj: Obj, expr: ir.Call) -> str:
    """The key of an entry that a dict has for certain, and the state of the model that is given the dict has not; empty where none is known.

    A load that is not told otherwise (`strict=False`) raises for such an entry. The dict is what a variable of this function holds since
    `torch.load`, of which nothing has been asked since then but entries.
    """
    given = [arg for arg in expr.args if not (arg.keyword == "strict" and isinstance(arg.value, ir.Const) and arg.value.value is True)]
    match expr.func, given:
        case ir.Attr(value=receiver), [ir.Arg(value=ir.Name(id=name), keyword=None | "state_dict", star="")]:
            keys = _entries_read(interp.frame.function, expr, name)
            return next((key for key in keys if key.isidentifier() and _lacks_entry(interp, obj, receiver, key)), "")
    return ""


def _entries_read(function: ir.Function, call: ir.Call, name: str) -> list[str]:
    """The entries of a file that the statements between `name = torch.load(...)` and a call in the same block have read, whatever else they did."""
    keys: list[str] = []
    for stmt in _before(function, call):
        match stmt:
            case ir.Assign(targets=[ir.Name(id=bound)], value=ir.Call(func=func)) if bound == name:
                return keys if ir.path_of(func) == "torch.load" else []
        if name in map(ir.path_of, ir.targets(stmt)) or not all(_reads_entries(each, name) for each in ir.statements([stmt])):
            return []
        if isinstance(stmt, ir.Assign | ir.ExprStmt):
            keys.extend(_surely_read(stmt.value, name))
    return []


def _before(function: ir.Function, call: ir.Call) -> list[ir.Stmt]:
    """The statements that stand before a call that is a statement, in its own block; the nearest one first."""
    work = [function.body]
    while work:
        block = work.pop()
        for number, stmt in enumerate(block):
            if isinstance(stmt, ir.Assign | ir.ExprStmt) and stmt.value is call:
                return block[:number][::-1]
            work.extend(ir.bodies(stmt))
    return []


def _reads_entries(stmt: ir.Stmt, name: str) -> bool:
    """Whether a statement does nothing with a dict but to read its entries, by keys that stand in the text."""
    if isinstance(stmt, ir.Delete | ir.FunctionDef | ir.ClassDef):
        return False
    work = [*ir.expressions(stmt), *ir.targets(stmt)]
    changed = {id(each) for target in ir.targets(stmt) for each in ir.walk(target)}
    while work:
        match work.pop():
            case ir.Name(id=found) if found == name:
                return False
            case ir.Subscript(value=ir.Name(id=found), index=ir.Const(value=str())) as entry if found == name and id(entry) not in changed:
                continue
            case ir.Lambda():
                return False
            case expr:
                work.extend(ir.children(expr))
    return True


def _surely_read(expr: ir.Expr, name: str) -> Iterator[str]:
    """The keys that an expression asks a dict for, whatever it finds."""
    match expr:
        case ir.Subscript(value=ir.Name(id=found), index=ir.Const(value=str(key))) if found == name:
            yield key
        case ir.Binary(left=left, right=right):
            yield from (*_surely_read(left, name), *_surely_read(right, name))
        case ir.Call(args=args):
            yield from (key for arg in args for key in _surely_read(arg.value, name))


def _lacks_entry(interp: Interpreter, obj: Obj, receiver: ir.Expr, key: str) -> bool:
    """Whether the state of a model has no entry of a name without dots: it is wrapped, or its class is in sight, and gives it no such attribute."""
    if not isinstance(obj, Module):
        return False
    if isinstance(receiver, ir.Name) and _is_wrapped(interp.frame.function, receiver.id):
        return True
    if obj.cls is None or obj.symbolic or obj.escaped or obj.one_of or not obj.in_sight or key in obj.heap:
        return False
    methods = [f for cls in classes.mro(interp, obj.cls) for f in cls.cls.methods.values()]
    changes_loads = any("state_dict" in name for f in methods for name in (f.name, *f.methods))
    return not changes_loads and classes.lacks(interp, obj.cls, key)


def _is_wrapped(function: ir.Function, name: str) -> bool:
    """Whether all that a function gives a variable is a wrapped model."""
    given = [stmt for stmt in ir.statements(function.body) if any(name in map(ir.path_of, ir.walk(t)) for t in ir.targets(stmt))]
    return bool(given) and all(
        isinstance(stmt, ir.Assign)
        and [ir.path_of(t) for t in stmt.targets] == [name]
        and isinstance(stmt.value, ir.Call)
        and ir.called_name(stmt.value) in _WRAPPERS
        for stmt in given
    )
