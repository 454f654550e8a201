"""Which device a program works on, as far as its text tells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from looplint.domain.objects import File, Obj
from looplint.domain.values import COMPUTED, NONE, UNKNOWN, Arguments, Const, Ref, Tensor, Value, const, constant_of
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.transfers import transfer
from looplint.knowledge.lookup import call_effect
from looplint.regex import regex
from looplint.semantics import devices
from looplint.syntax import ir

# Whatever accelerator the machine has: a device, but not one that the text names beside the CPU (see is_choice).
CURRENT = "accelerator"
# The names of what says that there is no GPU, or that none is wanted.
_DENIED = regex(r"(?i)(^|[._])((no|not|without|disable)_?(cuda|gpu)s?|(use_|on_|force_|is_)?cpu(_only)?)$")
_ACCELERATORS = ("cuda", "mps", "xpu", "npu", "hpu")


def device(value: Value | None) -> Value:
    """What `torch.device(value)` is: the text it was given, or unknown."""
    return value if value and all(isinstance(a, Const) and isinstance(a.value, str) for a in value) else UNKNOWN


def kind(value: Value | None) -> str | None:
    """ "accelerator" where a device may be one of them, "cpu" or "xla" where it is that alone, None where it is not known."""
    names = {a.value.partition(":")[0] for a in value or () if isinstance(a, Const) and isinstance(a.value, str)}
    if any(name in (CURRENT, *_ACCELERATORS) for name in names) or any(isinstance(a, Const) and type(a.value) is int for a in value or ()):
        return "accelerator"
    only = next(iter(names)) if value and len(names) == 1 and all(isinstance(a, Const) for a in value) else None
    return only if only in ("cpu", "xla") else None


def is_accelerators(value: Value | None) -> bool:
    """Whether a default device ("cuda:0") or a default tensor type ("torch.cuda.FloatTensor") exists on an accelerator alone."""
    known = constant_of(value) if value else None
    text = known.value if known is not None and isinstance(known.value, str) else ""
    return text.removeprefix("torch.").replace(":", ".").partition(".")[0] in _ACCELERATORS


def is_choice(value: Value) -> bool:
    """Whether a device is the CPU on one path and an accelerator on another: the program runs on machines with one and without."""
    names = {a.value.partition(":")[0] for a in value if isinstance(a, Const) and isinstance(a.value, str)}
    return "cpu" in names and any(name in _ACCELERATORS for name in names)


def asks_for_gpu(test: ir.Expr) -> bool:
    """Whether a condition holds where there is a GPU, by its words: `torch.cuda.is_available()`, `args.cuda`, `use_gpu`."""
    return any(word in path.rpartition(".")[2].lower() for path in ir.paths_in(test) for word in ("is_available", "cuda", "gpu"))


def implies_gpu(test: ir.Expr, *, held: bool) -> bool:
    """Whether there is a GPU, or one is wanted, where a condition has an outcome, by its words: `cuda`, `device == torch.device("cuda")`, and not so `no_cuda`."""
    match test:
        case ir.Compare(ops=["==" | "is" | "!=" | "is not" as op], left=left, rights=[right]) if (
            named := _compared(left, right)
        ) is not None:
            equal = held is (op in ("==", "is"))
            return equal is named
        case ir.Unary(op="not", operand=operand):
            return implies_gpu(operand, held=not held)
        case ir.BoolOp(op=op, left=left, right=right):
            parts = (implies_gpu(part, held=held) for part in (left, right))
            return any(parts) if (op == "and") is held else all(parts)
    denied = any(_DENIED.search(path) for path in ir.paths_in(test))
    return not held if denied else held and asks_for_gpu(test)


def _compared(left: ir.Expr, right: ir.Expr) -> bool | None:
    """Whether what a device is compared with is an accelerator, or the CPU; None where it is neither.

    A device is equal to another one, and its type to a text. A bare name that is compared with "cpu" may be a device, which no text is equal to.
    """
    for one, other in ((left, right), (right, left)):
        match one:
            case ir.Const(value=str(name)):
                if name.partition(":")[0] in _ACCELERATORS:
                    return True
                if name == "cpu" and (isinstance(other, ir.Call) or (isinstance(other, ir.Attr) and other.attr == "type")):
                    return False
            case ir.Call(func=func, args=[ir.Arg(value=ir.Const(value=str(name))), *_]) if (ir.path_of(func) or "").endswith("device"):
                return name.partition(":")[0] in _ACCELERATORS if name.partition(":")[0] in ("cpu", *_ACCELERATORS) else None
    return None


def note_unconditional(interp: Interpreter, *running: Obj) -> None:
    """Note that something goes to a GPU under no condition that asks for one: without it, the program fails there at the latest.

    In a model that is one of several, that is so only if each of them does: on a machine without one, another is chosen.

    Args:
        interp: the interpreter.
        running: objects whose methods do it, besides those that are followed.
    """
    if any(asks_for_gpu(guard.test) for guard in interp.guards):
        return
    chosen = [*(o for o in running if o.joined_with()), *_chosen_models(interp)]
    interp.flags.on_gpu.update(chosen)
    interp.flags.goes_to_gpu |= all(interp.flags.on_gpu.issuperset(each.joined_with()[-1].one_of) for each in chosen)


def _chosen_models(interp: Interpreter) -> list[Obj]:
    """The objects that are one of several and whose methods run."""
    return [a.obj for frame in interp.frame.outward() for a in frame.instance if isinstance(a, Ref) and a.obj.joined_with()]


def note_placed(interp: Interpreter, device: Value | None) -> None:
    """Note that a tensor is made on a device, or goes there, where that is a GPU on every machine."""
    if is_accelerators(device):
        note_unconditional(interp)


def note_moved(interp: Interpreter, files: Iterable[File], device: str | None) -> None:
    """Note that what was read from files goes to a device, and that this is the CPU on every machine."""
    if device == "cpu" and not interp.guards:
        for file in files:
            file.goes_to_cpu = True


def note_forward(interp: Interpreter, model: Obj) -> None:
    """Note that a forward, or a method that it calls, puts new tensors on a GPU under no condition that asks for one."""
    for each in model.one_of or (model,):
        if each.cls is not None and not interp.flags.goes_to_gpu and _runs_on_gpu(each.cls.cls):
            note_unconditional(interp, each)


def _runs_on_gpu(cls: ir.Class) -> bool:
    forward = cls.methods.get("forward")
    called = {"forward", *forward.called()} if forward is not None else ()
    return any(_goes_to_gpu(method) for name, method in cls.methods.items() if name in called)


@ir.kept_with_code
def _goes_to_gpu(function: ir.Function) -> bool:
    calls = (e for stmt in _on_any_machine(function.body) for e in ir.walk(*ir.expressions(stmt)) if isinstance(e, ir.Call))
    return any(call_effect(ir.path_of(call.func) or "") == "made-on-gpu" for call in calls)


def _on_any_machine(body: Iterable[ir.Stmt]) -> Iterator[ir.Stmt]:
    """The statements of a block that stand under no condition on a GPU, and choose nothing by one."""
    for stmt in body:
        if isinstance(stmt, ir.If | ir.While) and asks_for_gpu(stmt.test):
            continue
        if not any(isinstance(e, ir.IfExp) and asks_for_gpu(e.test) for e in ir.walk(*ir.expressions(stmt))):
            yield stmt
        for inner in ir.bodies(stmt):
            yield from _on_any_machine(inner)


@transfer("device")
def _device(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    return devices.device(args.get(0, "device", "type"))  # whatever its index


@transfer("made-on-gpu")
def _made_on_gpu(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """`torch.cuda.FloatTensor(...)`; not where the name that is called may be that of the CPU's type as well."""
    if not interp.candidates:
        note_unconditional(interp)
    return frozenset({Tensor(made=COMPUTED)})


@transfer("asked-of-gpu")
def _asked_of_gpu(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """`torch.cuda.get_device_name()`, which raises where there is none."""
    note_unconditional(interp)
    return UNKNOWN


@transfer("current-accelerator")
def _current_accelerator(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    return const(devices.CURRENT)


@transfer("xla-device")
def _xla_device(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    return const("xla")


@transfer("default-device")
def _default_device(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    interp.flags.needs_accelerator |= not interp.guards and devices.is_accelerators(args.get(0, "device", "t"))
    return NONE
