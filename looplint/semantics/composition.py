"""The semantics of all libraries together: importing a module of it registers its transfer functions and hooks."""

from __future__ import annotations

from looplint.interpreter import hooks
from looplint.semantics import (
    checkpoints,
    construction,
    contexts,
    effects,
    formatting,
    lightning,
    methods,
    object_effects,
    outcomes,
    registration,
)

MODULES = (checkpoints, construction, contexts, effects, formatting, lightning, methods, object_effects, outcomes, registration)


def install() -> None:
    """Make sure that the interpreter finds a function at each of its hooks."""
    assert not hooks.MISSING, f"nothing is registered for {hooks.MISSING}"
