"""Files that hold nothing of a training loop themselves, and call what does: what they hand it is what it runs on.

Only words are compared, so that no file is parsed for it: what may import a module has its name in an import, and what may call a function its name before
a parenthesis. That is more than what does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from looplint.regex import regex
from looplint.sources.frameworks import of_another_framework
from looplint.sources.reading import Source

# What a function does that trains or evaluates something.
_RUNS = regex(rb"\.\s*(?:backward|step|zero_grad|eval|train)\s*\(|no_grad|inference_mode")
_DEFINITION = regex(rb"^(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)", re.MULTILINE)
_IMPORT = regex(rb"^[ \t]*(?:from|import)[ \t][^\n#]*", re.MULTILINE)
_CALLED = regex(rb"\b(\w+)[ \t]*\(")
_WORD = regex(rb"\w+")


def launchers(of: Iterable[Source], among: Sequence[Source]) -> Iterator[Source]:
    """Those of some sources that may call a function or a class of others which trains or evaluates.

    Args:
        of: the sources that hold something of a loop.
        among: the sources that do not.
    """
    running: dict[bytes, set[bytes]] = {}
    for source in of if among else ():
        if source.path is not None and (names := set(_running(source.code))):
            running.setdefault(imported_as(source.path), set()).update(names)
    for source in among:
        imported = {word for line in _IMPORT.findall(source.code) for word in _WORD.findall(line)} & running.keys()
        names = set().union(*(running[module] for module in imported))
        if not names.isdisjoint(_CALLED.findall(source.code)) and not of_another_framework(source.code):
            yield source


def _running(code: bytes) -> Iterator[bytes]:
    """The functions and classes of a file that train or evaluate something."""
    found = list(_DEFINITION.finditer(code))
    ends = [each.start() for each in found[1:]] + [len(code)]
    for definition, end in zip(found, ends):
        if _RUNS.search(code, definition.start(), end):
            yield definition[1]


def imported_as(path: Path) -> bytes:
    """The word by which a file is imported."""
    name = path.stem if path.stem != "__init__" else path.resolve().parent.name
    return name.encode("utf-8", "surrogateescape")
