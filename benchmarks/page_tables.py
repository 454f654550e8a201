"""Tables in pages that are written from what is stored: each stands between two comments with its name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from looplint.linting.catalogue import load


def filled(page: str, tables: Mapping[str, Callable[[], str]]) -> str:
    """The page, with its tables written anew.

    Args:
        page: its text.
        tables: what writes the table between `<!-- name -->` and `<!-- /name -->`, by the name.
    """
    block = re.compile(rf"<!-- ({'|'.join(tables)}) -->\n.*?<!-- /\1 -->", re.DOTALL)
    return block.sub(lambda found: f"<!-- {found[1]} -->\n{tables[found[1]]()}\n<!-- /{found[1]} -->", page)


def row(cells: Iterable[str]) -> str:
    """The row of a Markdown table."""
    return "| " + " | ".join(cells) + " |"


def rules(codes: Iterable[str]) -> str:
    """Rules as links to their pages, those that are off by default marked."""
    known = {rule.code: rule for rule in load()}
    return ", ".join(f"[{code}](rules/{known[code].name}.md){'' if known[code].default else ' (opt-in)'}" for code in codes)
