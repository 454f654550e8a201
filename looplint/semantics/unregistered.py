"""Parameters that are moved or converted where they are built: what a module gets is computed from the parameter, and is none itself."""

from __future__ import annotations

from typing import Literal

from looplint.domain.objects import Module, Obj, TorchModule
from looplint.domain.values import UNKNOWN, Ref, Value, refs
from looplint.flow.remarks import Unregistered
from looplint.interpreter import classes, hooks
from looplint.interpreter.expressions import evaluate
from looplint.interpreter.interpreter import Interpreter
from looplint.semantics import devices, dtypes
from looplint.syntax import ir

_MOVING = frozenset({"to", "cuda"})
# Methods that give a tensor which lies where another one lies, or is moved to.
_PLACING = _MOVING | {"type_as", "new_zeros", "new_ones", "new_tensor"}


@hooks.result_kept
def note_unregistered(interp: Interpreter, target: ir.Attr, call: ir.Call, value: Value) -> None:
    """`self.weight = nn.Parameter(torch.zeros(3)).to(device)`: on another device that is a tensor, which the module does not register."""
    parameters = [part for part in refs(value, Module) if part.parameter and not part.frozen]
    callers = _modules_called_by(interp, target.value) if parameters else ()
    owners = {owner for owner in callers if not _is_set_again(interp, owner, target.attr)}
    for part in parameters if owners else ():
        built, copies = _built_and_copied(part, call)
        if built is None:
            continue
        for copy in copies:
            device = _device(interp, copy)
            changes = _change(copy, built, device)
            if changes is not None:
                remark = Unregistered(name=ir.render(target), built=built.node, copy=copy, changes=changes, device=device)
                interp.remark(remark, call.node, owners)
                break


def _modules_called_by(interp: Interpreter, name: ir.Expr) -> set[Obj]:
    """The modules whose running method calls itself by a name, which is its `self`."""
    params = interp.frame.function.params
    own = isinstance(name, ir.Name) and bool(params) and params[0].name == name.id
    return {a.obj for a in interp.frame.instance if isinstance(a, Ref) and isinstance(a.obj, TorchModule)} if own else set()


def _is_set_again(interp: Interpreter, owner: Obj, name: str) -> bool:
    """Whether the attribute gets another tensor after the constructor: what stands there is no parameter, in whose place torch takes none."""
    again = classes.set_again(interp, owner.cls, name) if owner.cls is not None else ()
    return any(isinstance(stmt, ir.Assign) and not _makes_a_parameter(stmt.value) for stmt in again)


def _makes_a_parameter(value: ir.Expr) -> bool:
    return isinstance(value, ir.Call) and ir.called_name(value) == "Parameter"


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


def _change(copy: ir.Call, built: ir.Call, device: str | None) -> Literal["device", "type"] | None:
    """In what a method's result differs from the parameter, on some machine: it lies elsewhere, or is of another type than torch's usual one."""
    assert isinstance(copy.func, ir.Attr)
    name = copy.func.attr
    if name not in _MOVING:
        return "type" if dtypes.BY_METHOD.get(name, "float32") != "float32" else None
    if device != "cpu" and _lies_there(built):
        return None
    return "type" if _new_type(copy) else "device" if device != "cpu" else None


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


def _lies_there(built: ir.Call) -> bool:
    """Whether what a parameter is made of may be on a device already: it is moved, or made, there, or it is made elsewhere."""
    if not built.args or not isinstance(built.args[0].value, ir.Call | ir.Binary):
        return True
    inner = [node for node in ir.walk(built) if isinstance(node, ir.Call) and node is not built]
    moved = any(isinstance(node.func, ir.Attr) and node.func.attr in _PLACING for node in inner)
    return moved or any(arg.keyword == "device" for node in inner for arg in node.args)
