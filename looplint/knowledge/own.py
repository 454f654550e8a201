"""The tables in which a project names its own optimizers, wrappers and loggers: what it says is believed, not followed."""

from __future__ import annotations

from pathlib import Path

# What a project may name -> (the effect of calling it, in words).
KINDS: dict[str, tuple[str, str]] = {
    "optimizers": (
        "optimizer",
        "classes, or functions that build one: `zero_grad()` clears and `step()` applies the gradients of its first argument",
    ),
    "schedulers": ("scheduler", "learning-rate schedulers, whose unit is read from their arguments"),
    "step-schedulers": ("step-scheduler", "learning-rate schedulers that count optimizer steps"),
    "scalers": ("scaler", "gradient scalers"),
    "modules": ("module", "models, or functions that build one"),
    "losses": ("loss", "loss functions that are objects"),
    "loaders": ("loader", "what yields batches"),
    "datasets": ("dataset", "what loaders read from"),
    "metrics": ("metric", "objects that keep what `update()` is given"),
    "loggers": ("writer", "objects whose methods keep the values they are given"),
    "accelerators": ("accelerator", "objects with the methods of accelerate's `Accelerator` or of Fabric"),
    "wrappers": ("same", "functions and classes that stand for their first argument"),
    "preparers": ("pass-through", "functions that return their arguments, in order, ready for use"),
    "copies": ("copy-module", "what makes a separate copy of a model, such as a moving average"),
    "progress-bars": ("progress", "what yields the items of its first argument"),
    "clips": ("clip", "functions that clip the gradients of their first argument"),
    "no-grad": ("no-grad", "context managers under which no graph is built"),
    "frameworks": ("framework", "objects that run the loop themselves"),
    "harmless": ("pure", "functions that do nothing to the objects of a loop"),
}

# (kind, qualified names), as the configuration states them; hashable, and small enough to cross processes.
Tables = tuple[tuple[str, tuple[str, ...]], ...]

_effects: dict[str, str] = {}
_leaves: dict[str, list[tuple[str, ...]]] = {}


def use(tables: Tables) -> bool:
    """Let the tables of one configuration hold from now on, in this process.

    Returns:
        Whether they differ from those that held until now.
    """
    effects = {name: KINDS[kind][0] for kind, names in tables for name in names}
    if effects == _effects:
        return False
    _effects.clear()
    _effects.update(effects)
    _leaves.clear()
    for name in effects:
        parts = tuple(name.split("."))
        _leaves.setdefault(parts[-1], []).append(parts)
    return True


def effect_of(qualname: str) -> str | None:
    """The effect of a name that is imported under exactly this path."""
    return _effects.get(qualname)


def effect_of_definition(path: Path | None, name: str) -> tuple[str, str] | None:
    """The effect and the qualified name of a class or function that a file of the project defines, where a table names it.

    `acme.optim.Lion` names the class `Lion` of any file whose path ends in `acme/optim.py` or `acme/optim/__init__.py`, and `Lion` alone that of any file.
    """
    for parts in _leaves.get(name, ()):
        if _ends_with(path, parts[:-1]):
            qualname = ".".join(parts)
            return _effects[qualname], qualname
    return None


def _ends_with(path: Path | None, module: tuple[str, ...]) -> bool:
    if not module:
        return True
    if path is None:
        return False
    whole = path.with_suffix("").parts
    whole = whole[:-1] if whole[-1] == "__init__" else whole
    return whole[-len(module) :] == module
