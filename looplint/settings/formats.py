"""The output formats: one for each file of report/formats/."""

from __future__ import annotations

import os
from pathlib import Path

# The order in which they are offered; one that is not named here follows.
_ORDER = ("text", "concise", "json", "json-lines", "sarif", "github", "gitlab", "junit", "rdjson", "markdown")


def _found() -> tuple[str, ...]:
    files = os.listdir(Path(__file__).parents[1] / "report" / "formats")
    names = {file.removesuffix(".py").replace("_", "-") for file in files if file.endswith(".py") and not file.startswith("_")}
    return tuple(sorted(names, key=lambda name: (_ORDER.index(name) if name in _ORDER else len(_ORDER), name)))


FORMATS = _found()
