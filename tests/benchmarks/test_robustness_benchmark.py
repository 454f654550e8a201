"""The benchmark of generated programs: small ones of every family are linted or refused in little time, and no process dies."""

from __future__ import annotations

import pytest

from benchmarks.robustness.__main__ import Growth, Run, lint, main
from benchmarks.robustness.families import ENDINGS, FAMILIES

NOTHING = Run(0, 0.0, 0.0, "")


@pytest.mark.slow
@pytest.mark.parametrize("name", FAMILIES)
def test_small_programs_of_every_family_survive(name: str) -> None:
    run = lint(FAMILIES[name](60), ENDINGS.get(name, ".py"), NOTHING)
    assert run.survived and run.seconds < 20


def test_growth_is_an_exponent() -> None:
    half, full = Run(1000, 1.0, 40.0, "linted"), Run(2000, 4.0, 80.0, "linted")
    growth = Growth("a family", half, full)
    assert (growth.time, growth.memory) == (2.0, 1.0) and not growth.holds
    assert Growth("a family", half, Run(2000, 2.0, 80.0, "linted")).holds
    assert not Growth("a family", half, Run(2000, 2.0, 80.0, "died: SIGSEGV")).holds


@pytest.mark.slow
def test_a_family_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--bytes", "2000", "signs"]) == 0
    assert "refused" in capsys.readouterr().out
