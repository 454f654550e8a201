"""One input, one output: findings, related places and repairs do not hang on the seed of Python's hashes."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from benchmarks.seeds.__main__ import said_of, said_under
from looplint.linting.catalogue import folder

pytestmark = pytest.mark.slow

SEEDS = 20
USUAL = 5  # so many with each run of the tests: each is a process
FIXTURES = [p for p in sorted(folder("fixtures").glob("*/*.py")) if "fixed" not in p.name.split(".")]
# Programs in which a name is one of several objects; each seed gets them, and a part of all others.
JOINS = [p for p in FIXTURES if any(word in p.name for word in ("either", "one_of", "two_optimizers", "several"))][:6]


@cache
def said_here(file: Path) -> list[str]:
    return list(said_of(file))


@pytest.mark.parametrize("seed", [*range(USUAL), *(pytest.param(seed, marks=pytest.mark.exhaustive) for seed in range(USUAL, SEEDS))])
def test_every_seed_gives_the_same_results(seed: int) -> None:
    files = [*dict.fromkeys([*JOINS, *FIXTURES[seed * 5 :: SEEDS * 5]])]
    assert said_under(seed, files) == {str(file): said_here(file) for file in files}
