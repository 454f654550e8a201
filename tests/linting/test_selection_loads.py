"""A run loads the rules that it asks, and no others of the project's; one that judges comments asks all."""

from __future__ import annotations

import pytest

from looplint.linting import catalogue
from looplint.linting.selection import Selection


@pytest.mark.parametrize("selection", [Selection(), Selection(select=("LL102",)), Selection(extend_select=("LL001",))])
def test_rules_that_are_not_asked_are_not_loaded(selection: Selection, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[str] = []
    rule = catalogue.load()[0]

    def load(file: object, run: object) -> catalogue.Rule:
        loaded.append(str(file))
        return rule

    monkeypatch.setattr(catalogue, "_load_rule", load)
    catalogue._own_rule.cache_clear()
    try:
        selection.rules()
    finally:
        catalogue._own_rule.cache_clear()
    everything = "LL001" in selection.codes()
    assert len(loaded) == (len(catalogue.index()) if everything else len(selection.codes()))
