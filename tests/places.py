"""Where things lie that tests read: the project's own folders, and the tests' goldens and data."""

from __future__ import annotations

from pathlib import Path

TESTS = Path(__file__).parent
ROOT = TESTS.parent
EXAMPLES = ROOT / "examples"
GOLDENS = TESTS / "goldens"
DATA = TESTS / "data"
