"""The table of effects is put together from those of several modules: none may take the place of another's."""

from __future__ import annotations

from looplint import building, effects, pythonic


def test_every_effect_has_one_home() -> None:
    assert not building.EFFECTS.keys() & pythonic.EFFECTS.keys()
    for home in (building.EFFECTS, pythonic.EFFECTS):
        assert [name for name, effect in home.items() if effects._EFFECTS[name] is not effect] == []
