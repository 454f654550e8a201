"""Regular expressions that are compiled when they are first used.

For type checkers they are those of `re`. Of some ninety that modules on the linter's import path name, one script needs fourteen, and compiling one takes
0.2 ms.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from re import compile as regex
else:
    _METHODS = ("search", "match", "fullmatch", "finditer", "findall", "split", "sub", "subn")

    class regex:
        """A regular expression; once it is compiled, its methods are those of what it was compiled to."""

        __slots__ = ("_text", "_flags", *_METHODS)

        def __init__(self, text, flags=0):
            self._text, self._flags = text, flags

        def __getattr__(self, name):
            compiled = re.compile(self._text, self._flags)
            for method in _METHODS:
                setattr(self, method, getattr(compiled, method))
            return getattr(compiled, name)


__all__ = ["regex"]
