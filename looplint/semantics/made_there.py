"""Tensors that were made on the device that they are to be moved to: `torch.zeros(n, device=device)`, and what is computed from that."""

from __future__ import annotations

from looplint.knowledge.pytorch import FACTORIES
from looplint.syntax import ir

_DEPTH = 4


def is_made_there(function: ir.Function, call: ir.Call) -> bool:
    """Whether a name that a call moves got nothing in a function but what was made on that device, or taken there: the call copies nothing."""
    device = _device(call)
    if device is None or not isinstance(call.func, ir.Attr) or not isinstance(call.func.value, ir.Name):
        return False
    # A device that gets another value in between is another one.
    name = device.partition(".")[0]
    values = sum(name in ir.binds(stmt) for stmt in ir.statements(function.body)) + sum(p.name == name for p in function.params)
    return values <= 1 and _stands_there(function, call.func.value.id, device, _DEPTH)


def _device(call: ir.Call) -> str | None:
    """Where a call moves a tensor to, as it is written."""
    match call:
        case ir.Call(func=ir.Attr(attr="to"), args=[ir.Arg(value=value, keyword=None | "device", star=""), *how]) if _only_hurries(how):
            return ir.render(value)
        case ir.Call(func=ir.Attr(attr="cuda" | "cpu" as device), args=how) if _only_hurries(how):
            return f"'{device}'"
    return None


def _only_hurries(args: list[ir.Arg]) -> bool:
    return all(arg.keyword == "non_blocking" for arg in args)


def _stands_there(function: ir.Function, name: str, device: str, depth: int) -> bool:
    """Whether all that a function gives a name is on a device."""
    given = [stmt for stmt in ir.statements(function.body) if name in ir.binds(stmt)]
    values = [stmt.value for stmt in given if isinstance(stmt, ir.Assign) and [ir.path_of(t) for t in stmt.targets] == [name]]
    fresh = [value for value in values if not _is_of(value, name)]
    if len(values) != len(given) or not fresh or any(p.name == name for p in function.params):
        return False
    return all(_is_there(function, value, device, depth) for value in fresh)


def _is_of(value: ir.Expr, name: str) -> bool:
    """Whether an expression is a method of what a name holds already, which keeps its device: `x = x.repeat(n, 1)`."""
    match value:
        case ir.Call(func=ir.Attr(value=receiver, attr=attr)):
            return attr not in ("to", "cuda", "cpu", "numpy") and (ir.path_of(receiver) == name or _is_of(receiver, name))
    return False


def _is_there(function: ir.Function, value: ir.Expr, device: str, depth: int) -> bool:
    match value:
        case ir.Call() if _device(value) == device:
            return True
        case ir.Call(args=args) if any(arg.keyword == "device" for arg in args):
            return any(arg.keyword == "device" and ir.render(arg.value) == device for arg in args)
        case ir.Call(func=ir.Attr(value=ir.Name(id="torch"), attr=factory)) if factory in FACTORIES:
            return device == "'cpu'"
        case ir.Call(func=ir.Attr(value=ir.Name(id="torch")), args=[ir.Arg(value=first, keyword=None, star=""), *rest]):
            # A function of a tensor, and of numbers beside it: `torch.mean(x)`, `torch.sum(x, 1)`.
            return _is_there(function, first, device, depth) and all(isinstance(arg.value, ir.Const) for arg in rest)
        case ir.Binary(left=left, right=right) | ir.Compare(left=left, rights=[right]):
            # A tensor beside another one elsewhere is where the one with dimensions is.
            there = [_is_there(function, each, device, depth) for each in (left, right) if not isinstance(each, ir.Const)]
            return bool(there) and all(there)
        case ir.Unary(op="-" | "~", operand=inner):
            return _is_there(function, inner, device, depth)
        case ir.Call(func=ir.Attr(value=receiver, attr=attr)) if attr not in ("to", "cuda", "cpu", "numpy"):
            return _is_there(function, receiver, device, depth)
        case ir.Subscript(value=inner):
            return _is_there(function, inner, device, depth)
        case ir.Name(id=name):
            return depth > 0 and _stands_there(function, name, device, depth - 1)
    return False
