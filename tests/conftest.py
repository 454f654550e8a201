"""Options of the test suite."""

import os
import sys

import pytest

# Many tests start looplint: without bytecode each of these processes compiles it anew, which takes most of its time.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--bless", action="store_true", help="write the goldens anew")


@pytest.fixture
def own_rules_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules that a test writes are executed without being asked for in each command."""
    monkeypatch.setenv("LOOPLINT_ALLOW_RULES", "1")
