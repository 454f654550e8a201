"""Settings of the whole process: seeds and flags."""

from __future__ import annotations

from looplint.domain.values import NONE, NOTHING, UNKNOWN, Arguments, Value, constant_of
from looplint.flow.events import Switch
from looplint.flow.graph import Guard
from looplint.flow.remarks import Seed
from looplint.interpreter import hooks
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.transfers import transfer
from looplint.syntax import ir


@transfer("seed")
def _seed(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    interp.remark(Seed(told=told(interp, args, expr)), expr.node, {interp.setting_owner("torch.random")})
    return UNKNOWN


def told(interp: Interpreter, args: Arguments, expr: ir.Call) -> tuple[Guard, ...] | None:
    """What a seed is told that the text does not say; None where that is nothing, or comes through `*args`."""
    known = dict(zip((id(each) for each in expr.args), args.values(), strict=False))
    if not expr.args or args.starred:
        return None
    return tuple(interp.reading(each.value) for each in expr.args if constant_of(known.get(id(each), NOTHING)) is None)


@transfer("overwrite-flag")
def _overwrite_flag(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    known = constant_of(args.positional[0]) if args.positional else None
    interp.flags.overwrites_params = known is not None and bool(known.value)
    return NONE


@transfer("state-options")
def _state_options(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    offload = args.keywords.get("offload_to_cpu") or args.keywords.get("cpu_offload")
    known = constant_of(offload) if offload is not None else None
    interp.flags.states_on_cpu |= offload is not None and (known is None or bool(known.value))
    return UNKNOWN


@hooks.setting_assigned
def _switch(interp: Interpreter, target: ir.Attr, switch: tuple[str, str], value: Value) -> None:
    """A setting of the whole process gets a value; one that is not known may be an option and counts as off."""
    owner, name = switch
    known = constant_of(value)
    interp.emit(Switch(setting=name, on=known is not None and known.value is True), target.node, {interp.setting_owner(owner)})
