"""Copies between the processor and a device: batches on their way there, numbers on their way back."""

from __future__ import annotations

from looplint.domain.objects import Loader
from looplint.domain.tags import Mark, sources_of_batches
from looplint.domain.values import NONE, NOTHING, Arguments, Const, External, Tensor, Value
from looplint.flow.remarks import Fetch, Release, Transfer
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.transfers import transfer
from looplint.semantics import devices
from looplint.semantics.tensor_uses import has_own_fields
from looplint.syntax import ir


def note_transfer(interp: Interpreter, tensor: Tensor, name: str, args: Arguments, expr: ir.Call) -> None:
    """Remark a part of a loader's batch that goes to a device, and whether the program waits for that."""
    loaders = {source for source in sources_of_batches(tensor.tags) if isinstance(source, Loader)}
    receiver = expr.func.value if isinstance(expr.func, ir.Attr) else None
    if not loaders or tensor.origins or Mark.PLACED in tensor.tags or not isinstance(receiver, ir.Name | ir.Attr | ir.Subscript):
        return
    if has_own_fields(interp, receiver):
        return  # a batch that moves its tensors itself
    target = args.get(0, "device")
    if name == "to" and (target is None or any(isinstance(a, External) for a in target)):
        return  # to another type, and no device
    device = "accelerator" if name == "cuda" else devices.kind(target)
    flag = args.keywords.get("non_blocking")
    if flag is not None:
        waits: bool | None = not _true(flag) if all(isinstance(a, Const) for a in flag) else None
    else:
        waits = None if args.starred or len(args.positional) > 1 else True
    pinned = Mark.PINNED in tensor.tags
    chosen = name == "to" and devices.is_choice(target or NOTHING)
    interp.remark(Transfer(name=ir.render(receiver), device=device, chosen=chosen, waits=waits, pinned=pinned), expr.node, loaders)


def _true(value: Value) -> bool:
    return any(isinstance(a, Const) and bool(a.value) for a in value)


def placed(tensor: Tensor, name: str) -> Tensor:
    """A tensor after its move, or after its copy into pinned memory."""
    return tensor.tagged(Mark.PINNED if name == "pin_memory" else Mark.PLACED)


def note_fetched(interp: Interpreter, tensor: Tensor, what: str, expr: ir.Expr) -> None:
    """Remark that the value of a forward's result is read here: the program waits until the device has it."""
    if tensor.origins and Mark.HOST not in tensor.tags:
        interp.remark(Fetch(what=what), expr.node, (), certain=not interp.handling)


def note_waited(interp: Interpreter, expr: ir.Call) -> None:
    """Remark a call that does nothing but wait for the device: a number that is read after it costs nothing more."""
    interp.remark(Fetch(what=f"{ir.render(expr.func)}()"), expr.node, (), certain=not interp.handling)


def note_released(interp: Interpreter, expr: ir.Call) -> None:
    """Remark a call that gives the device's cached memory back."""
    interp.remark(Release(what=ir.render(expr.func)), expr.node, (), certain=not interp.handling)


@transfer("waited")
def _waited(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    note_waited(interp, expr)
    return NONE


@transfer("released")
def _released(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    note_released(interp, expr)
    return NONE
