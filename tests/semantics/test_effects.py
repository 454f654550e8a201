"""Effects and hooks: each has one function, every effect that the tables name has one, and every file that has some is loaded."""

from __future__ import annotations

import pytest

from looplint.interpreter import hooks, transfers
from looplint.knowledge import frameworks, lookup, own, pytorch
from looplint.linting import analysis
from looplint.semantics import composition
from places import ROOT


def test_every_hook_has_one_function() -> None:
    analysis.composition.install()
    assert not hooks.MISSING
    with pytest.raises(AssertionError, match="two functions for entered"):
        hooks.entered(hooks.entered.run)


def test_an_effect_has_one_function() -> None:
    with pytest.raises(AssertionError, match="two transfer functions for clip"):
        transfers.transfer("clip")(transfers.CALLS["clip"])


def test_every_effect_of_a_name_has_a_function() -> None:
    named = {effect for table in (pytorch.CALLS, frameworks.CALLS, lookup._BUILTINS) for effect in table.values()}
    by_prefix = {
        lookup._refine(effect, prefix + leaf) for prefix, effect in frameworks.PREFIXES for leaf in ("Thing", "thing", "ThingLoss")
    }
    own_tables = {effect for effect, _ in own.KINDS.values()}
    # A call that is not followed has the effect "unknown", and none of these functions.
    assert (named | by_prefix | own_tables) - transfers.CALLS.keys() == {"unknown"}


def test_every_effect_of_a_method_has_a_function_and_the_other_way_round() -> None:
    named = {
        effect for table in (*lookup._METHODS.values(), frameworks.DRIVEN_METHODS, pytorch.CONTAINER_METHODS) for effect in table.values()
    }
    assert named <= transfers.METHODS.keys() | transfers.CALLS.keys()
    assert transfers.METHODS.keys() <= named


def test_the_longest_prefix_of_a_name_wins() -> None:
    for prefix, effect in frameworks.PREFIXES:
        assert lookup.call_effect(f"{prefix}something") == lookup._refine(effect, f"{prefix}something")


def test_every_file_of_the_wing_is_part_of_the_composition() -> None:
    files = {path.stem for path in (ROOT / "looplint" / "semantics").glob("*.py")}
    assert {module.__name__.rpartition(".")[2] for module in composition.MODULES} == files - {"__init__", "composition"}
