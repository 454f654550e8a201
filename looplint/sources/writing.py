"""Writing a file so that whoever reads it sees the old content or the new one, never a part."""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from looplint.errors import UserError


def write_atomic(path: Path | str, data: bytes) -> None:
    """Put `data` in place of a file's content.

    Links are followed and the file's mode is kept. A device or a pipe cannot be replaced and is written to as it is.

    Raises:
        UserError: the file, or the folder it lies in, cannot be written.
    """
    path = Path(path)
    try:
        mode = path.stat().st_mode if path.exists() else None
        if mode is not None and not stat.S_ISREG(mode):
            path.write_bytes(data)
            return
        target = Path(os.path.realpath(path))
        # Replacing needs no write permission on the file itself, so a file somebody protected would be overwritten.
        if mode is not None and not os.access(target, os.W_OK):
            raise UserError(f"{path}: cannot be written: Permission denied")
        _replace(target, data, mode)
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror or error}") from error


def _replace(target: Path, data: bytes, mode: int | None) -> None:
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, stat.S_IMODE(mode) if mode is not None else 0o666 & ~_umask())
        os.replace(name, target)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(name)
        raise


def _umask() -> int:
    """The mask new files get; reading it means setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
