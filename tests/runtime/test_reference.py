"""The reference loop learns, and each misplacement shows what its rule claims."""

from __future__ import annotations

import os

import pytest

from looplint.runtime.harness import reference
from looplint.runtime.harness.reference import LEARNED, Comparison
from looplint.runtime.reporting.reference import as_json, status, text
from looplint.runtime.streams.record import Options
from looplint.runtime.streams.warm import Several, Warm

pytestmark = [pytest.mark.slow, pytest.mark.exhaustive]


@pytest.fixture(scope="module")
def comparisons() -> dict[str, Comparison]:
    with Several({"OMP_NUM_THREADS": "1"}) as warm:
        return {c.variant.code: c for c in reference.compare(launch=warm.launch, jobs=os.cpu_count() or 1)}


def test_the_correct_loop_learns_and_ends_the_same_each_time(warm: Warm) -> None:
    first, second = (reference.run(launch=warm.launch) for _ in range(2))
    plain = reference.run(options=Options(hooks=False), launch=warm.launch)
    assert first.accuracy is not None and first.accuracy >= LEARNED
    assert first.history == second.history == plain.history
    assert first.recording.stream.end["optimizers"] == second.recording.stream.end["optimizers"]


@pytest.mark.parametrize("code", [variant.code for variant in reference.VARIANTS])
def test_a_misplacement_shows_what_its_rule_claims(code: str, comparisons: dict[str, Comparison]) -> None:
    comparison = comparisons[code]
    assert comparison.right.accuracy is not None and comparison.right.accuracy >= LEARNED
    assert comparison.clean is not None and not comparison.clean.shown, comparison.clean
    assert comparison.shown is not None
    assert comparison.shown.shown is (not comparison.variant.harmless), comparison.shown
    assert status(comparison) == ("harmless here" if comparison.variant.harmless else "proven")


@pytest.mark.parametrize("code", ["LL101", "LL105", "LL106", "LL107"])
def test_a_loop_whose_steps_use_nothing_does_not_learn(code: str, comparisons: dict[str, Comparison]) -> None:
    accuracy = comparisons[code].broken.accuracy
    assert accuracy is not None and accuracy < 0.6


def test_the_table_states_the_accuracy_with_each_misplacement(comparisons: dict[str, Comparison]) -> None:
    every = list(comparisons.values())
    data = as_json(every)
    assert [entry["code"] for entry in data if entry["status"] != "proven"] == ["LL501"]
    assert next(entry for entry in data if entry["code"] == "LL204")["accuracy"] is None  # it fails
    lines = text(every).splitlines()
    assert lines[0].startswith("The correct reference loop reaches an accuracy of 0.9") or "1.000" in lines[0]
    assert len(lines) == len(every) + 3
