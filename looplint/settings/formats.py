"""The output formats: one for each file of report/formats/."""

from __future__ import annotations

import os
from pathlib import Path

DEFAULT = "text"


def _found() -> tuple[str, ...]:
    """Their names: the default, then the others by the alphabet."""
    files = os.listdir(Path(__file__).parents[1] / "report" / "formats")
    names = {file.removesuffix(".py").replace("_", "-") for file in files if file.endswith(".py") and not file.startswith("_")}
    return tuple(sorted(names, key=lambda name: (name != DEFAULT, name)))


FORMATS = _found()
