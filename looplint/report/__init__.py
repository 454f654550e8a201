"""Reporters: each turns findings into text, and knows nothing of how they came about.

A reporter is a module with `render(result, *, colour) -> str`; the table `looplint.formats.FORMATS` is all that names them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from looplint.formats import FORMATS

if TYPE_CHECKING:
    from looplint.lint import LintResult


def render(name: str, result: LintResult, *, colour: bool = False) -> str:
    """What a format makes of a result; only that format's module is imported.

    Raises:
        KeyError: no such format; the command line offers those of the table.
    """
    from importlib import import_module

    text = import_module(f"looplint.report.{FORMATS[name]}").render(result, colour=colour)
    assert isinstance(text, str)
    return text


__all__ = ["FORMATS", "render"]
