"""The semantics of all libraries together: importing a module of it registers its transfer functions and hooks."""

from __future__ import annotations

from looplint.interpreter import hooks
from looplint.semantics import (
    accelerators,
    arithmetic,
    attributes,
    autocast,
    base_classes,
    checkpoints,
    containers,
    contexts,
    decorators,
    device_copies,
    devices,
    distributions,
    formatting,
    functions,
    global_settings,
    gradients,
    iteration,
    keeping,
    lightning,
    loaders,
    loggers,
    losses,
    methods,
    modules,
    optimizers,
    outcomes,
    parameters,
    registration,
    scalers,
    schedulers,
    tensors,
)

MODULES = (
    accelerators,
    arithmetic,
    attributes,
    autocast,
    base_classes,
    checkpoints,
    containers,
    contexts,
    decorators,
    device_copies,
    devices,
    distributions,
    formatting,
    functions,
    global_settings,
    gradients,
    iteration,
    keeping,
    lightning,
    loaders,
    loggers,
    losses,
    methods,
    modules,
    optimizers,
    outcomes,
    parameters,
    registration,
    scalers,
    schedulers,
    tensors,
)


def install() -> None:
    """Make sure that the interpreter finds a function at each of its hooks."""
    assert not hooks.MISSING, f"nothing is registered for {hooks.MISSING}"
