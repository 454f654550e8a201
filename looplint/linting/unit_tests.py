"""Unit tests: what they waste, they waste for moments; what they do wrong is done on purpose, or makes them fail."""

from __future__ import annotations

import re
from pathlib import PurePath

from looplint.syntax.project import ModuleInfo

_NAMED = r"test_\w*\.py|\w+_test\.py|conftest\.py"
# A script that evaluates a model may be called test_model.py, and have a function test_epoch(model, loader): it is no unit test.
_TESTING = r"(?m)^(?:import|from)\s+(?:pytest|unittest|torch\.testing|absl\.testing)\b|^\s+def\s+test_\w+\(self\b"
# A test of pytest needs neither: it is a function without parameters, and asserts something.
_FUNCTION = r"(?m)^(?:async )?def test_\w+\(\)"
_ASSERTING = r"(?m)^[ \t]+assert\b"


def is_unit_test(module: ModuleInfo) -> bool:
    """Whether a module holds unit tests: it is named as pytest and unittest look for them, and imports one of them, or has functions that are tests."""
    if re.fullmatch(_NAMED, PurePath(module.filename).name) is None:
        return False
    text = module.source.text
    return re.search(_TESTING, text) is not None or (re.search(_FUNCTION, text) is not None and re.search(_ASSERTING, text) is not None)
