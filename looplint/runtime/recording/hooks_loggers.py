"""Hooks on loggers and progress bars, which may not be installed: they are wrapped when the script imports them."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Callable, Sequence
from functools import partial
from types import ModuleType
from typing import Any

from looplint.runtime.recording import measure
from looplint.runtime.recording.tape import Tape
from looplint.runtime.recording.watching import Watching, hook, shielded

# Module -> what in it keeps or writes the values it is given.
LOGGERS: dict[str, tuple[str, ...]] = {
    "torch.utils.tensorboard.writer": ("SummaryWriter.add_scalar", "SummaryWriter.add_scalars"),
    "tensorboardX.writer": ("SummaryWriter.add_scalar", "SummaryWriter.add_scalars"),
    "tqdm.std": ("tqdm.set_postfix",),
    "wandb.sdk.wandb_run": ("Run.log",),
    "mlflow.tracking.fluent": ("log_metric", "log_metrics"),
}


def install(tape: Tape) -> None:
    for name in LOGGERS:
        if (module := sys.modules.get(name)) is not None:
            _wrap(tape, name, module)
    sys.meta_path.insert(0, _Finder(tape))


class _Finder(importlib.abc.MetaPathFinder):
    """Leaves the search for a logger's module to the other finders, and wraps its functions once it is loaded."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self.searching = False

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> importlib.machinery.ModuleSpec | None:
        if name not in LOGGERS or self.searching:
            return None
        self.searching = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self.searching = False
        if spec is None or spec.loader is None:
            return None
        run, wrap = spec.loader.exec_module, shielded(self.tape, "loggers", partial(_wrap, self.tape, name))

        def load(module: ModuleType) -> None:
            run(module)
            wrap(module)

        loader: Any = spec.loader
        loader.exec_module = load
        return spec


def _wrap(tape: Tape, name: str, module: ModuleType) -> None:
    """Wraps the functions of a logger; its module may have another name than the one under which it is imported."""
    for dotted in LOGGERS[name]:
        owner: Any = module
        *parents, function = dotted.split(".")
        for parent in parents:
            owner = getattr(owner, parent, None)
        if getattr(owner, function, None) is not None:
            hook(tape, "loggers", owner, function, _keep(tape, dotted))


def _keep(tape: Tape, dotted: str) -> Callable[..., Watching]:
    def watch(*args: Any, **kwargs: Any) -> Watching:
        values = list(measure.tensors_in([*args[1:], *kwargs.values()]))
        tape.emit("keep", 0, {"function": dotted, "tensors": len(values), "graph": sum(v.grad_fn is not None for v in values)})
        del values, args, kwargs
        yield None

    return watch
