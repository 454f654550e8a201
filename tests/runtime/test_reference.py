"""The reference loop learns, and each misplacement shows what its rule claims."""

from __future__ import annotations

import pytest

from looplint.runtime import reference
from looplint.runtime.record import Options
from looplint.runtime.reference import Comparison
from looplint.runtime.warm import Warm

# Misplacements that the reference loop runs through without showing a claim, and why.
HARMLESS = {"LL501": "a plain move changes parameters in place: the optimizer goes on working"}


@pytest.fixture(scope="module")
def comparisons(warm: Warm) -> dict[str, Comparison]:
    return {c.variant.code: c for c in reference.compare(launch=warm.launch)}


def test_the_correct_loop_learns_and_ends_the_same_each_time(warm: Warm) -> None:
    first, second = (reference.run(launch=warm.launch) for _ in range(2))
    plain = reference.run(options=Options(hooks=False), launch=warm.launch)
    assert first.accuracy is not None and first.accuracy > 0.95
    assert first.history == second.history == plain.history
    assert first.recording.stream.end["optimizers"] == second.recording.stream.end["optimizers"]


@pytest.mark.slow
@pytest.mark.parametrize("code", [variant.code for variant in reference.VARIANTS])
def test_a_misplacement_shows_what_its_rule_claims(code: str, comparisons: dict[str, Comparison]) -> None:
    comparison = comparisons[code]
    assert comparison.right.accuracy is not None and comparison.right.accuracy > 0.95
    assert comparison.clean is not None and not comparison.clean.shown, comparison.clean
    assert comparison.shown is not None
    assert comparison.shown.shown is (code not in HARMLESS), comparison.shown


@pytest.mark.slow
@pytest.mark.parametrize("code", ["LL101", "LL105", "LL106", "LL107"])
def test_a_loop_whose_steps_use_nothing_does_not_learn(code: str, comparisons: dict[str, Comparison]) -> None:
    accuracy = comparisons[code].broken.accuracy
    assert accuracy is not None and accuracy < 0.6
