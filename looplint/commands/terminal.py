"""What standard output is, and what may be written to it."""

from __future__ import annotations

import os
import sys


def coloured() -> bool:
    """Whether colours are wanted."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or sys.stdout.isatty()
