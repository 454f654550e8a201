"""Effects and hooks: each has one function, and every effect that the tables name has one."""

from __future__ import annotations

import pytest

from looplint.interpreter import hooks, transfers
from looplint.semantics import composition


def test_every_hook_has_one_function() -> None:
    composition.install()
    assert not hooks.MISSING
    with pytest.raises(AssertionError, match="two functions for entered"):
        hooks.entered(hooks.entered.run)


def test_an_effect_has_one_function() -> None:
    with pytest.raises(AssertionError, match="two transfer functions for clip"):
        transfers.transfer("clip")(transfers.CALLS["clip"])
