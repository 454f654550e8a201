"""Reporters: each turns findings into text, and knows nothing of the analysis.

A reporter is a file of `formats/` with `render(result, *, colour) -> str`; that of `text`, which people read, is told how wide a line may be.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from looplint.errors import UserError
from looplint.settings.formats import FORMATS

if TYPE_CHECKING:
    from looplint.linting.files import LintResult


def reporter(name: str, *, statistics: bool = False) -> Callable[..., str]:
    """What turns a result into text.

    Args:
        name: one of FORMATS.
        statistics: count the findings of each rule instead of showing them.

    Raises:
        UserError: a format that has no place for counts.
    """
    if not statistics:
        return partial(render, name)
    if name not in ("text", "concise", "json"):
        raise UserError(f"--statistics is printed as text or json, not as {name}")
    from looplint.report.statistics import render as counted

    return partial(counted, name)


def render(name: str, result: LintResult, *, colour: bool = False, width: int | None = None) -> str:
    """What a format makes of a result; only that format's module is imported.

    Raises:
        ModuleNotFoundError: no such format; the command line offers those there are.
    """
    from importlib import import_module

    options = {"width": width} if name == "text" else {}
    text = import_module(f"looplint.report.formats.{name.replace('-', '_')}").render(result, colour=colour, **options)
    assert isinstance(text, str)
    return text


__all__ = ["FORMATS", "render", "reporter"]
