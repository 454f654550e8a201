"""The loaders that Lightning goes over: those of its hooks, and those that its trainer is given.

Source: Lightning's documentation, "Trainer" (`fit`, `validate`, `test`, `predict`) and "LightningDataModule": the batches of `train_dataloader()` are
trained on in each epoch, those of the others are evaluated on, with each batch that the loader gives.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from looplint.domain.objects import FrameworkObject, Loader
from looplint.domain.values import Arguments, Func, Value, exact_items
from looplint.flow.remarks import Drive
from looplint.interpreter import classes, hooks, unfollowed
from looplint.interpreter.elements import loaders_in
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.transfers import methods_of
from looplint.knowledge.frameworks import LOADER_HOOKS
from looplint.syntax import ir

if TYPE_CHECKING:
    import libcst as cst

# Arguments of a trainer's methods that are loaders, with their positions: whether they are trained on.
_GIVEN: Mapping[str, Mapping[str, tuple[int, bool]]] = {
    "fit": {"train_dataloaders": (1, True), "train_dataloader": (1, True), "val_dataloaders": (2, False)},
    "validate": {"dataloaders": (1, False)},
    "test": {"dataloaders": (1, False)},
}
_TRAINERS = frozenset({"lightning.Trainer", "lightning.pytorch.Trainer", "pytorch_lightning.Trainer"})


@hooks.returned_outside
def note_loaders(interp: Interpreter, func: Func, result: Value) -> None:
    """What a hook of Lightning returns, by itself or in a list, is gone over by the framework."""
    trains = LOADER_HOOKS.get(func.function.name)
    if trains is None or func.owner is None:
        return
    if any(base.endswith(("LightningModule", "LightningDataModule")) for base in classes.external_bases(interp, func.owner)):
        _note(interp, result, func.function.node, trains=trains)


@methods_of(FrameworkObject)
def _method(interp: Interpreter, obj: FrameworkObject, name: str, args: Arguments, expr: ir.Call) -> Value:
    """A trainer's method: what it does to a model is not followed."""
    if obj.qualname in _TRAINERS and not args.starred:
        for keyword, (position, trains) in _GIVEN.get(name, {}).items():
            _note(interp, args.get(position, keyword) or frozenset(), expr.node, trains=trains)
    return unfollowed.quiet(interp, args)


def _note(interp: Interpreter, value: Value, node: cst.CSTNode, *, trains: bool) -> None:
    for each in (value, *(exact_items(value) or ())):
        loaders = loaders_in(each)
        if len(loaders) == len(each) == 1 and all(isinstance(o, Loader) for o in loaders):
            interp.remark(Drive(trains=trains), node, loaders)
