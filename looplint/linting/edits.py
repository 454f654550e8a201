"""What repairs do to the text of a file, and how a repaired file is shown and put in place of the old one."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path

from looplint.errors import UserError
from looplint.finding import Edit, Location, Problem
from looplint.regex import regex
from looplint.settings.trust import project_of
from looplint.sources.reading import Source

_NEWLINE = regex(r"\r\n|\r|\n")


@lru_cache(maxsize=16)
def lines_of(text: str) -> Sequence[str]:
    """The lines of a text, as rows of findings count them, without their ends."""
    return _NEWLINE.split(text)


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """The text with edits of one file made in it; one that several repairs ask for, as an import, is made once.

    Raises:
        ValueError: two edits overlap.
    """
    starts = [0, *(m.end() for m in _NEWLINE.finditer(text))]

    def offset(place: Location) -> int:
        return starts[place.row - 1] + place.column - 1

    parts, end = [], 0
    for edit in sorted(dict.fromkeys(edits), key=lambda e: (e.location, e.end_location)):
        begin = offset(edit.location)
        if begin < end:
            raise ValueError("edits overlap")
        parts += [text[end:begin], edit.content]
        end = offset(edit.end_location)
    return "".join([*parts, text[end:]])


def write(old: Source, new: Source) -> Problem | None:
    """Put a repaired file in place of what it was read from, unless that has changed since.

    Returns:
        None, or what kept the file from being written; it is then as it was.
    """
    from looplint.sources.writing import write_atomic

    assert old.path is not None
    try:
        if old.path.read_bytes() != old.raw:
            return Problem(old.display, "has changed since it was read; it was not repaired")
        status = os.stat(old.path)
        if not status.st_mode & 0o222:
            return Problem(old.display, "is read-only; it was not repaired")
        if status.st_nlink > 1:
            return Problem(old.display, "has other hard links, from which a repaired file would part; it was not repaired")
        if leads_out(Path(old.display)):
            return Problem(
                old.display, "is reached through a link out of the project; it was not repaired; name the file that the link leads to"
            )
        write_atomic(old.path, new.raw)
    except OSError as error:
        return Problem(old.display, f"cannot be written: {error.strerror or error}")
    except UserError as error:
        return Problem(old.display, str(error).removeprefix(f"{old.path}: "))
    return None


def leads_out(path: Path) -> bool:
    """Whether a file is reached through a link to a place outside of the project: of the current folder's where it lies there, or else of its own folder's."""
    lexical, here = Path(os.path.abspath(path)), Path.cwd()
    # The user may have come to a folder elsewhere through a link; to one below the current folder a tree has led.
    folder = here if here in lexical.parents else lexical.parent
    project, real = project_of(folder), lexical.resolve()
    return real != folder.resolve() / lexical.relative_to(folder) and project not in real.parents


def diff(old: Source, new: Source) -> str:
    """The unified diff of a repaired file, or those of the changed cells of a notebook."""
    name = Path(old.display).as_posix()
    if not old.is_notebook:
        return _diff(old.text, new.text, name)
    from looplint.sources.notebooks import cell_texts

    return "".join(
        _diff(a, b, f"{name}:cell {n}") for n, (a, b) in enumerate(zip(cell_texts(old.raw), cell_texts(new.raw), strict=True), 1) if a != b
    )


def _diff(old: str, new: str, name: str) -> str:
    from difflib import unified_diff

    lines = unified_diff(_lines(old), _lines(new), name, name)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _lines(text: str) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+", text)
