"""A drawing of the wings in their one direction: from the contract that proves it, and what each wing says of itself."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator

from website.runs import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

OPENING, CLOSING = "<!-- wings -->\n", "<!-- /wings -->"


def drawing() -> str:
    """The layers of the contract "wings", from the command line down to what everything rests on, each wing with the first line of its docstring."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    layers = [layer.split(" | ") for layer in next(c for c in contracts if c["id"] == "wings")["layers"]]
    width = max(len(wing) for layer in layers for wing in layer)
    return "```text\n" + "\n".join(_lines(layers, width)) + "\n```\n"


def _lines(layers: list[list[str]], width: int) -> Iterator[str]:
    for number, layer in enumerate(layers):
        if number:
            yield "   ↓"
        for wing in layer:
            yield f"{wing:{width}}  {_summary(wing)}"


def _summary(wing: str) -> str:
    path = ROOT / "looplint" / wing
    source = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return (ast.get_docstring(ast.parse(source.read_text(encoding="utf-8"))) or "").split("\n")[0].rstrip(".")


def rendered(page: str) -> str:
    """A page with the drawing where its marks are."""
    before, rest = page.split(OPENING)
    return before + OPENING + drawing() + CLOSING + rest.split(CLOSING)[1]
