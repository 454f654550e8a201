"""Settings of the whole process: seeds and flags."""

from __future__ import annotations

from looplint.domain.values import NONE, UNKNOWN, Arguments, Value, constant_of
from looplint.flow.remarks import Seed
from looplint.interpreter.machine import Machine
from looplint.interpreter.transfers import transfer
from looplint.syntax import ir


@transfer("seed")
def _seed(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    m.remark(Seed(), expr.node, {m.setting_owner("torch.random")})
    return UNKNOWN


@transfer("overwrite-flag")
def _overwrite_flag(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    known = constant_of(args.positional[0]) if args.positional else None
    m.flags.overwrites_params = known is not None and bool(known.value)
    return NONE
