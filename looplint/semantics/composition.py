"""The semantics of all libraries together: importing a module of it registers its transfer functions and hooks."""

from __future__ import annotations

import os
from importlib import import_module

from looplint.interpreter import hooks

# Each file of this folder is found where it lies; a listing takes a fifth of a millisecond.
_FILES = (name.removesuffix(".py") for name in os.listdir(os.path.dirname(__file__)) if name.endswith(".py"))
MODULES = tuple(import_module(f"looplint.semantics.{name}") for name in sorted(_FILES) if name not in ("__init__", "composition"))


def install() -> None:
    """Make sure that the interpreter finds a function at each of its hooks."""
    assert not hooks.MISSING, f"nothing is registered for {hooks.MISSING}"
