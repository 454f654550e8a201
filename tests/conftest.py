"""Options of the test suite."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--bless", action="store_true", help="write the goldens anew")


@pytest.fixture
def own_rules_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules that a test writes are executed without being asked for in each command."""
    monkeypatch.setenv("LOOPLINT_ALLOW_RULES", "1")
