"""What a file holds, by the ending of its name."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath
from typing import Literal, cast

Language = Literal["python", "ipynb", "markdown"]

LANGUAGES: dict[Language, str] = {
    "python": "Python",
    "ipynb": "notebooks",
    "markdown": "documents whose Python blocks are linted, each as a program of its own",
}
# Endings that are known anyway; documents are linted where they are named, and not looked for in folders.
_KNOWN: dict[str, Language] = {"ipynb": "ipynb", "md": "markdown", "markdown": "markdown"}
_IN_FOLDERS = frozenset({"py", "ipynb"})
Extensions = Iterable[tuple[str, str]]


def language_of(path: PurePath, extensions: Extensions = ()) -> Language:
    """The language of a file; `extensions` are the endings (without the dot) that a project names, and their languages."""
    ending = path.suffix.removeprefix(".").lower()
    return cast(Language, dict(extensions).get(ending)) or _KNOWN.get(ending, "python")


def is_looked_for(name: str, extensions: Extensions = ()) -> bool:
    """Whether a file of this name is linted where its folder is."""
    ending = PurePath(name).suffix.removeprefix(".").lower()
    return ending in _IN_FOLDERS or ending in dict(extensions)
