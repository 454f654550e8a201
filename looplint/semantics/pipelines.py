"""Pipelines of diffusers: what a class of the program inherits from theirs holds models and runs them, and trains none."""

from __future__ import annotations

from looplint.domain.objects import Instance
from looplint.domain.values import NONE, Arguments, ClassRef, External, Value
from looplint.interpreter import classes, unfollowed
from looplint.interpreter.interpreter import Interpreter

# Which of their classes are the pipelines, and which add methods to one: `DiffusionPipeline`, `FluxLoraLoaderMixin`.
_PARTS = ("Pipeline", "Mixin")


def is_pipeline(interp: Interpreter, cls: ClassRef) -> bool:
    """Whether a class of the program derives from a pipeline of diffusers, and from nothing else outside the program."""
    bases = [base for each in classes.mro(interp, cls) for base in classes.base_values(interp, each) if not isinstance(base, ClassRef)]
    return any(_is_part(base, ("Pipeline",)) for base in bases) and all(_is_part(base, _PARTS) for base in bases)


def _is_part(base: object, ends: tuple[str, ...]) -> bool:
    return isinstance(base, External) and base.qualname.startswith("diffusers.") and base.qualname.endswith(ends)


def inherited(interp: Interpreter, obj: Instance, name: str, args: Arguments) -> Value:
    """A method that a pipeline inherits: `register_modules(unet=unet)` keeps what it is given, the others move, load and show.

    Source: `DiffusionPipeline.register_modules` in diffusers' pipeline_utils.py, which sets an attribute for each of its keywords.
    """
    if name != "register_modules":
        return unfollowed.quiet(interp, args)
    for part, value in args.keywords.items():
        interp.write(obj, part, value)
    return NONE
