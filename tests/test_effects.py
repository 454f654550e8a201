"""The table of effects is put together from those of several modules: none may take the place of another's."""

from __future__ import annotations

from looplint.semantics import builtins, construction, effects


def test_every_effect_has_one_home() -> None:
    assert not construction.EFFECTS.keys() & builtins.EFFECTS.keys()
    for home in (construction.EFFECTS, builtins.EFFECTS):
        assert [name for name, effect in home.items() if effects._EFFECTS[name] is not effect] == []
