"""Parameters that are moved or converted where they are built: what a module gets is computed from the parameter, and is none itself."""

from __future__ import annotations

from typing import Literal

from looplint.domain.objects import Module, Obj, TorchModule
from looplint.domain.values import UNKNOWN, Ref, Value, refs
from looplint.flow.remarks import Unregistered
from looplint.interpreter import hooks
from looplint.interpreter.expressions import evaluate
from looplint.interpreter.interpreter import Interpreter
from looplint.semantics import devices, dtypes
from looplint.syntax import ir

_MOVING = frozenset({"to", "cuda"})


@hooks.result_kept
def note_unregistered(interp: Interpreter, target: ir.Attr, call: ir.Call, value: Value) -> None:
    """`self.weight = nn.Parameter(torch.zeros(3)).to(device)`: on another device that is a tensor, which the module does not register."""
    owners = _modules_called_by(interp, target.value)
    for part in refs(value, Module) if owners else ():
        if not part.parameter or part.frozen:
            continue
        built, copies = _built_and_copied(part, call)
        if built is None:
            continue
        copy = next((c for c in copies if _leaves(interp, c, built)), None)
        if copy is not None and isinstance(copy.func, ir.Attr):
            what: Literal["device", "type"] = "type" if copy.func.attr not in _MOVING or _new_type(copy) else "device"
            remark = Unregistered(name=ir.render(target), built=built.node, copy=copy, changes=what, device=_device(interp, copy))
            interp.remark(remark, call.node, owners)


def _modules_called_by(interp: Interpreter, name: ir.Expr) -> set[Obj]:
    """The modules whose running method calls itself by a name, which is its `self`."""
    params = interp.frame.function.params
    own = isinstance(name, ir.Name) and bool(params) and params[0].name == name.id
    return {a.obj for a in interp.frame.instance if isinstance(a, Ref) and isinstance(a.obj, TorchModule)} if own else set()


def _built_and_copied(part: Module, call: ir.Call) -> tuple[ir.Call | None, list[ir.Call]]:
    """The call that builds a parameter, and the methods of it that are called on the result at once; None where there is more between them."""
    copies: list[ir.Call] = []
    here: ir.Expr = call
    while isinstance(here, ir.Call):
        if here.node is part.node:
            return here, copies
        copies.append(here)
        if not isinstance(here.func, ir.Attr):
            break
        here = here.func.value
    return None, []


def _leaves(interp: Interpreter, copy: ir.Call, built: ir.Call) -> bool:
    """Whether a method gives a tensor of its own, on some machine: one that lies elsewhere, or is of another type than torch's usual one."""
    assert isinstance(copy.func, ir.Attr)
    name = copy.func.attr
    if name not in _MOVING:
        return dtypes.BY_METHOD.get(name, "float32") != "float32"
    if _device(interp, copy) == "cpu":
        return bool(_new_type(copy))
    return not _lies_there(copy, built)


def _new_type(copy: ir.Call) -> str:
    """The type that the text of a call of `to` asks for, if that is not torch's usual one."""
    named = [ir.path_of(arg.value) or "" for arg in copy.args if arg.keyword in (None, "dtype")]
    return next((n.rpartition(".")[2] for n in named if n.startswith("torch.") and n not in ("torch.float32", "torch.float")), "")


def _device(interp: Interpreter, copy: ir.Call) -> str | None:
    """The kind of device that a call moves to, where that is known."""
    assert isinstance(copy.func, ir.Attr)
    if copy.func.attr == "cuda":
        return "accelerator"
    given = [arg.value for arg in copy.args if arg.keyword in (None, "device") and isinstance(arg.value, ir.Name | ir.Attr | ir.Const)]
    return devices.kind(evaluate(interp, given[0]) if given else UNKNOWN)


def _lies_there(copy: ir.Call, built: ir.Call) -> bool:
    """Whether what a parameter is made of is moved, or made, on a device before: then it stays where it is."""
    for node in ir.walk(built):
        if isinstance(node, ir.Call) and node is not built:
            moved = isinstance(node.func, ir.Attr) and node.func.attr in (*_MOVING, "type_as", "new_zeros", "new_ones", "new_tensor")
            if moved or any(arg.keyword == "device" for arg in node.args):
                return True
    return not _names_a_tensor_made_here(built)


def _names_a_tensor_made_here(built: ir.Call) -> bool:
    """Whether the tensor that a parameter is made of is made in the same expression, and so on the default device."""
    return bool(built.args) and isinstance(built.args[0].value, ir.Call | ir.Binary)
