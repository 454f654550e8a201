"""Whether a module differs between train and eval mode: by the arguments of its constructor, and by what its forward reads."""

from __future__ import annotations

from typing import Literal

from looplint.domain.objects import Module
from looplint.domain.values import Arguments, ClassRef, Const, Value, constant_of
from looplint.interpreter import classes
from looplint.interpreter.interpreter import Interpreter
from looplint.knowledge.layers import DROPOUT_ARGUMENTS, MODE_SENSITIVE, RECURRENT, TRACKING
from looplint.syntax import ir


def note_modes(interp: Interpreter, obj: Module, args: Arguments) -> None:
    """Note of a module that is built whether its own computation differs between the modes."""
    differs = _forward_asks(interp, obj.cls) if obj.cls is not None else _layer_differs(obj, args)
    modal: Literal["yes", "no", "maybe"] = "maybe" if differs is None else "yes" if differs else "no"
    obj.modal = modal if obj.modal in ("", modal) else "maybe"


def _layer_differs(obj: Module, args: Arguments) -> bool | None:
    leaf = obj.qualname.rpartition(".")[2]
    if not obj.qualname.startswith("torch.nn."):
        return leaf in MODE_SENSITIVE
    if leaf in RECURRENT:
        # Dropout stands between the layers: one layer has none.
        return _both(_is_more(args.get(2, "num_layers"), 1, args), _is_more(args.get(5, "dropout"), 0, args))
    if leaf in DROPOUT_ARGUMENTS:
        position, name, default = DROPOUT_ARGUMENTS[leaf]
        given = args.get(position, name)
        if given is not None and len(given) > 1 and any(isinstance(a, Const) and not a.value for a in given):
            return None  # off by default, or on one of several ways
        return default if given is None else _is_more(given, 0, args) is not False
    if leaf in TRACKING:
        position, default = TRACKING[leaf]
        given = args.get(position, "track_running_stats")
        known = constant_of(given) if given is not None else None
        return default if given is None else known is None or bool(known.value)
    return leaf in MODE_SENSITIVE


def _is_more(value: Value | None, than: float, args: Arguments) -> bool | None:
    """Whether an argument is a number above another one; it is not where it is left out."""
    if value is None:
        return None if args.starred else False
    known = constant_of(value)
    return known.value > than if known is not None and isinstance(known.value, int | float) else None


def _both(left: bool | None, right: bool | None) -> bool | None:
    return False if left is False or right is False else None if left is None or right is None else True


def _forward_asks(interp: Interpreter, cls: ClassRef) -> bool:
    """Whether a forward, or a method that it calls, reads `self.training`."""
    seen: set[str] = set()
    work = ["forward"]
    while work:
        name = work.pop()
        found = classes.find_member(interp, cls, name) if name not in seen else None
        seen.add(name)
        if found is None or not isinstance(found[0], ir.Function) or not found[0].params:
            continue
        usage = found[0].usage.get(found[0].params[0].name)
        if usage is not None:
            if "training" in usage.attrs and not _returns_more(found[0]) and not _saves_memory(found[0]):
                return True
            work.extend(sorted(usage.methods | usage.attrs))
    return False


def _saves_memory(function: ir.Function) -> bool:
    """Whether a method reads `self.training` only to compute checkpointed parts again in the backward: what it gives is the same."""
    mode = f"{function.params[0].name}.training"
    wholes = [whole for stmt in ir.statements(function.body) for whole in ir.expressions(stmt)]
    asking = [whole for whole in wholes if any(ir.path_of(e) == mode for e in ir.walk(whole))]
    return bool(asking) and all(any("checkpoint" in path for path in ir.paths_in(whole)) for whole in asking)


def _returns_more(function: ir.Function) -> bool:
    """Whether a method reads `self.training` only to return more than in eval mode: a caller who has the other mode than it expects fails at once."""
    mode = f"{function.params[0].name}.training"
    asked, returning = 0, 0
    for stmt in ir.statements(function.body):
        asked += sum(ir.path_of(e) == mode for whole in ir.expressions(stmt) for e in ir.walk(whole))
        match stmt:
            case ir.If(test=test, body=[ir.Return(value=ir.Display() as value)]) if ir.path_of(test) == mode:
                returning += not any(isinstance(e, ir.Call) for e in ir.walk(value))
    return asked == returning
