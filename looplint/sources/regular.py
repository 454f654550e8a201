"""Reading regular files alone: a pipe or a device that is called like one may never end."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

MOST_BYTES = 20_000_000
# Most of a notebook is what its cells have printed and drawn.
MOST_OF_NOTEBOOK = 200_000_000


def read_regular(path: Path, most: int = MOST_BYTES) -> bytes:
    """The bytes of a file.

    Args:
        path: the file, or a link to it.
        most: how many bytes it may have.

    Raises:
        OSError: it cannot be read, is not a regular file, or is larger.
    """
    status = os.stat(path)
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "not a regular file")
    if status.st_size <= most:
        with open(path, "rb") as file:
            # What grows meanwhile, or has no size, is bounded too.
            raw = file.read(most + 1)
        if len(raw) <= most:
            return raw
    raise OSError(errno.EFBIG, f"larger than {most // 1_000_000} MB")
