"""What of the file system a result rests on, and what stands for the content of a file."""

from __future__ import annotations

from looplint.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Reads:
    """What of the file system a result rests on, besides the file itself.

    `files` are the modules read, with the digest of what was in them; `absent` are those looked for and not found; `roots` are the folders
    in which the imports of a folder's files were looked for.
    """

    files: tuple[tuple[str, str], ...] = ()
    absent: tuple[str, ...] = ()
    roots: tuple[tuple[str, tuple[str, ...]], ...] = ()


def digest(raw: bytes) -> str:
    """What stands for a content."""
    import hashlib

    return hashlib.blake2b(raw, digest_size=20).hexdigest()
