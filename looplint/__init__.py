"""looplint: a static analyser and autofixer for PyTorch training loops.

    import looplint

    for finding in looplint.lint("train.py"):
        print(finding.place, finding.code, finding.message)

`lint` and `fix` are what the command line does, as functions; they and the types of what they return are imported when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__version__ = "0.1.0"
__all__ = [
    "Applied", "Edit", "Finding", "Fix", "Fixed", "FixedFile", "Location", "Problem", "Related", "UnreadError", "UserError", "__version__", "fix", "lint",
]  # fmt: skip

if TYPE_CHECKING:
    from looplint.api import Fixed, FixedFile, UnreadError, fix, lint
    from looplint.errors import UserError
    from looplint.finding import Edit, Finding, Fix, Location, Problem, Related
    from looplint.linting.fixing import Applied
else:
    _FROM = {
        "looplint.api": ("Fixed", "FixedFile", "UnreadError", "fix", "lint"),
        "looplint.errors": ("UserError",),
        "looplint.finding": ("Edit", "Finding", "Fix", "Location", "Problem", "Related"),
        "looplint.linting.fixing": ("Applied",),
    }

    def __getattr__(name: str) -> object:
        from importlib import import_module

        for module, names in _FROM.items():
            if name in names:
                value = globals()[name] = getattr(import_module(module), name)
                return value
        raise AttributeError(f"module 'looplint' has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
