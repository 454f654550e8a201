"""Writing a file so that whoever reads it sees the old content or the new one, never a part."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from looplint.errors import UserError

# What is in the names of files that are being written, and after how many seconds one that is still there was given up.
_MARK = ".looplint-"
_STALE = 3600


def write_atomic(path: Path | str, data: bytes) -> None:
    """Put `data` in place of a file's content.

    Links are followed, and the file's mode, owner and extended attributes are kept. A device or a pipe cannot be replaced and is written to as it is.

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
    _clean(target.parent)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}{_MARK}")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            _keep(target, name)
        os.chmod(name, stat.S_IMODE(mode) if mode is not None else 0o666 & ~_umask())
        os.replace(name, target)
    except BaseException:  # also when the user interrupts: no half-written file stays behind
        with suppress(FileNotFoundError):
            os.unlink(name)
        raise


def _keep(target: Path, name: str) -> None:
    """Give a new file the owner and the extended attributes of the one whose place it takes, as far as this user may."""
    status, own = target.stat(), os.stat(name)
    if hasattr(os, "chown") and (status.st_uid, status.st_gid) != (own.st_uid, own.st_gid):
        with suppress(OSError):
            os.chown(name, status.st_uid, status.st_gid)
    if sys.platform == "linux":
        with suppress(OSError):
            for attribute in os.listxattr(target):
                with suppress(OSError):
                    os.setxattr(name, attribute, os.getxattr(target, attribute))


def _clean(folder: Path) -> None:
    """Remove what was left by processes that were killed while they wrote: by its name, and only where it is too old to be of one that still writes."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(".") and _MARK in entry.name:
                with suppress(OSError):
                    if entry.is_file(follow_symlinks=False) and time.time() - entry.stat(follow_symlinks=False).st_mtime > _STALE:
                        os.unlink(entry.path)


def _umask() -> int:
    """The mask new files get; reading it means setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
