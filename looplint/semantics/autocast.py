"""Regions of automatic mixed precision: which of them compute in float16, and what switches them on and off."""

from __future__ import annotations

from looplint.domain.autocast import Autocast
from looplint.domain.values import NONE, Arguments, Const, Context, External, Value, constant_of
from looplint.flow.remarks import Outdated
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.transfers import transfer
from looplint.syntax import ir

_HALF = frozenset({"torch.float16", "torch.half"})


@transfer("autocast")
def _context(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """The context manager of an autocast. The namespaces `torch.cuda.amp` and `torch.cpu.amp` take no device."""
    note_outdated(interp, qualname, expr)
    device = qualname.split(".")[1] if qualname.startswith(("torch.cuda.", "torch.cpu.")) else ""
    place = 0 if device else 2
    enabled = args.get(place, "enabled")
    known = constant_of(enabled) if enabled is not None else None
    off = known is not None and not known.value
    written = ir.argument(expr, place, "enabled")
    switch = written if known is None else None
    half = not off and _is_half(args.get(1, "dtype"), {device} if device else _devices(args.get(0, "device_type")))
    names, text = (frozenset(ir.paths_in(switch)), ir.render(switch)) if switch is not None else (frozenset(), "")
    return frozenset({Context("autocast", region=Autocast(half, interp.site(expr.node), names, text))})


def note_outdated(interp: Interpreter, qualname: str, expr: ir.Call) -> None:
    """Remark the names of mixed precision that are bound to a device by their namespace."""
    first, device, *_, name = qualname.split(".") if qualname.count(".") > 2 else ("", "", "")
    if first == "torch" and device in ("cuda", "cpu") and name in ("autocast", "GradScaler"):
        interp.remark(Outdated(device=device, name=name), expr.node, ())


def _devices(value: Value | None) -> set[str]:
    """The devices that a name may be of, as far as the text says."""
    return {str(a.value) for a in value or () if isinstance(a, Const)}


def _is_half(dtype: Value | None, devices: set[str]) -> bool:
    """Whether an autocast computes in float16: because it says so, or because that is the default on CUDA (and bfloat16 on the CPU)."""
    if dtype is None or (known := constant_of(dtype)) is not None and known.value is None:
        return "cuda" in devices
    return bool(dtype) and all(isinstance(a, External) and a.qualname in _HALF for a in dtype)


@transfer("autocast-dtype")
def _autocast_dtype(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    interp.flags.sets_autocast_dtype = True
    return NONE
