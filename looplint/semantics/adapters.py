"""Adapters: parameters that are added to a frozen model and take gradients, as LoRA's in peft and diffusers."""

from __future__ import annotations

from looplint.domain.objects import Obj, TorchModule
from looplint.domain.values import NONE, UNKNOWN, Arguments, Value, const, refs
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.transfers import method_transfer, transfer
from looplint.semantics.parameters import want_gradients
from looplint.syntax import ir


@method_transfer("adapt")
def _add(interp: Interpreter, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    """`unet.add_adapter(config)`."""
    _adapt(interp, frozenset({obj}), expr)
    return NONE


@transfer("adapted")
def _added(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """`get_peft_model(model, config)`, `inject_adapter_in_model(config, model)`: the model, with what is added to it."""
    given = args.get(1 if qualname.endswith("inject_adapter_in_model") else 0, "model") or UNKNOWN
    _adapt(interp, frozenset(refs(given, TorchModule)), expr)
    return given


def _adapt(interp: Interpreter, modules: frozenset[Obj], expr: ir.Call) -> None:
    if modules:
        want_gradients(interp, modules, expr.node, const(True), all_of_each=False, some=True)
