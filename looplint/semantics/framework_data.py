"""The loaders that a framework goes over: those of Lightning's hooks, and those that its trainer, an engine of ignite or a runner of Catalyst is given.

Sources: Lightning's documentation, "Trainer" (`fit`, `validate`, `test`, `predict`) and "LightningDataModule": the batches of `train_dataloader()` are
trained on in each epoch, those of the others are evaluated on, with each batch that the loader gives. ignite's, "create_supervised_trainer" and
"create_supervised_evaluator": `run(data)`. Catalyst's, "Runner": what is called "train" among its loaders is trained on, the others are evaluated on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from looplint.domain.objects import Dict, FrameworkObject, Loader
from looplint.domain.values import NOTHING, Arguments, Func, Value, constant_of, exact_items, refs
from looplint.flow.remarks import Drive
from looplint.interpreter import classes, hooks, unfollowed
from looplint.interpreter.elements import loaders_in
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.transfers import construction, methods_of
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
_LIGHTNING = ("lightning.Trainer", "lightning.pytorch.Trainer", "pytorch_lightning.Trainer")
_DISTRIBUTED = ("ddp", "fsdp", "deepspeed", "horovod", "bagua")
# What a number of devices or nodes is written as where it is one, none, or left to Lightning.
_ONE_DEVICE = frozenset({"0", "1", "auto", "None", "True", "False"})
_TRAINERS: Mapping[str, Mapping[str, Mapping[str, tuple[int, bool]]]] = {
    **dict.fromkeys(_LIGHTNING, _GIVEN),
    "ignite.engine.create_supervised_trainer": {"run": {"data": (0, True)}},
    "ignite.engine.create_supervised_evaluator": {"run": {"data": (0, False)}},
}


@hooks.returned_outside
def note_loaders(interp: Interpreter, func: Func, result: Value) -> None:
    """What a hook of Lightning returns, by itself or in a list, is gone over by the framework."""
    trains = LOADER_HOOKS.get(func.function.name)
    if trains is None or func.owner is None:
        return
    if any(base.endswith(("LightningModule", "LightningDataModule")) for base in classes.external_bases(interp, func.owner)):
        _note(interp, result, func.function.node, trains=trains)


@construction(FrameworkObject)
def _note_epochs(interp: Interpreter, obj: FrameworkObject, args: Arguments, expr: ir.Call) -> None:
    """`Trainer(max_epochs=1)` takes no batch twice, nor does one that only tries a few."""
    epochs, tried = (constant_of(args.keywords[name]) if name in args.keywords else None for name in ("max_epochs", "fast_dev_run"))
    obj.one_epoch = (epochs is not None and epochs.value in (0, 1)) or (tried is not None and bool(tried.value))
    replaces = [constant_of(args.keywords[name]) for name in ("use_distributed_sampler", "replace_sampler_ddp") if name in args.keywords]
    obj.gives_samplers = (
        obj.qualname in _LIGHTNING and _is_distributed(args) and all(told is not None and told.value is True for told in replaces)
    )


def _is_distributed(args: Arguments) -> bool:
    """Whether a trainer of Lightning is told to train in several processes: by the strategy, or by more devices or nodes than one.

    Source: Lightning's documentation, "Trainer" (`use_distributed_sampler`): what trains gets a `DistributedSampler` with shuffle=True then.
    """
    strategy = constant_of(args.keywords.get("strategy", NOTHING))
    if strategy is not None and isinstance(strategy.value, str) and strategy.value.startswith(_DISTRIBUTED):
        return True
    for name in ("devices", "gpus", "num_nodes"):
        value = args.keywords.get(name, NOTHING)
        told = constant_of(value)
        if str(told.value) not in _ONE_DEVICE if told is not None else len(exact_items(value) or ()) > 1:
            return True
    return False


@methods_of(FrameworkObject)
def _method(interp: Interpreter, obj: FrameworkObject, name: str, args: Arguments, expr: ir.Call) -> Value:
    """A trainer's method: what it does to a model is not followed."""
    if not args.starred:
        for keyword, (position, trains) in _TRAINERS.get(obj.qualname, {}).get(name, {}).items():
            node = expr.node if trains else _given_at(expr, position, keyword)
            _note(interp, args.get(position, keyword) or frozenset(), node, trains=trains)
    if obj.qualname.startswith("catalyst.") and name == "train":
        for loaders in refs(args.keywords.get("loaders", frozenset()), Dict):
            for slot, value in loaders.heap.items():
                if slot.startswith("="):
                    trains = slot.startswith("=train")
                    _note(interp, value, expr.node if trains else _given_at(expr, None, "loaders"), trains=trains)
    return unfollowed.quiet(interp, args)


def _given_at(expr: ir.Call, position: int | None, keyword: str) -> cst.CSTNode:
    """Where a call gets an argument: what is evaluated on is noted there, beside what is trained on, which is noted at the call."""
    given = (a for number, a in enumerate(expr.args) if a.keyword == keyword or (not a.keyword and number == position))
    return next((a.value.node for a in given), expr.node)


def _note(interp: Interpreter, value: Value, node: cst.CSTNode, *, trains: bool) -> None:
    for each in (value, *(exact_items(value) or ())):
        loaders = loaders_in(each)
        if len(loaders) == len(each) == 1 and all(isinstance(o, Loader) for o in loaders):
            interp.remark(Drive(trains=trains), node, loaders)
