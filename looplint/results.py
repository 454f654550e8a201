"""What linting one file gave, and what it rests on: plain values that cross processes and outlive them."""

from __future__ import annotations

from dataclasses import dataclass

from looplint.finding import Finding, Problem


@dataclass(frozen=True, slots=True)
class Reads:
    """What of the file system a result rests on, besides the file itself.

    `files` are the modules read, with the digest of what was in them; `absent` are those looked for and not found; `roots` are the folders
    in which the imports of a folder's files were looked for.
    """

    files: tuple[tuple[str, str], ...] = ()
    absent: tuple[str, ...] = ()
    roots: tuple[tuple[str, tuple[str, ...]], ...] = ()


@dataclass(frozen=True)
class FileResult:
    """What linting one file gave.

    `followed` names the functions of other files that were followed with a caller's objects ("file::function"). `reads` is None where the result
    is not to be used again: it came of an accident, or of something that cannot be checked.
    """

    findings: tuple[Finding, ...]
    problems: tuple[Problem, ...]
    followed: frozenset[str]
    reads: Reads | None = None


def digest(raw: bytes) -> str:
    """What stands for a content."""
    import hashlib

    return hashlib.blake2b(raw, digest_size=20).hexdigest()
