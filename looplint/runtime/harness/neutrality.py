"""Checks the recorder itself: that it costs little, and that a recorded run ends as it would have without it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from looplint.runtime.harness import reference
from looplint.runtime.streams.record import Launch, Options, record

PROGRAMS = Path(__file__).with_name("programs")
# Ten kinds of loops after one another; each prints a fingerprint of its parameters, and what the random generators give next.
MANY_LOOPS = PROGRAMS / "many_loops.py"
GOAL = 1.3


@dataclass(frozen=True, slots=True)
class Check:
    """The measurements: processor seconds of the reference loop without and with hooks, and what was compared bit for bit."""

    plain: float
    recorded: float
    ratio: float
    compared: int  # results printed by both runs
    same: int  # of these, how many are the same

    @property
    def passed(self) -> bool:
        return self.ratio <= GOAL and self.compared > 0 and self.same == self.compared

    def __str__(self) -> str:
        return (
            f"recording costs {self.ratio:.2f} times the processor time of the reference loop ({self.plain:.2f} s without, {self.recorded:.2f} s with; goal {GOAL}); "
            f"{self.same} of {self.compared} results are bitwise the same with and without it"
        )

    def as_json(self) -> dict[str, Any]:
        return {key: round(value, 3) if isinstance(value, float) else value for key, value in asdict(self).items()}


def check(device: str = "cpu", runs: int = 5, launch: Launch | None = None) -> Check:
    """Measures both on the reference loop, and compares the results of that and of ten kinds of loops."""
    cost = reference.cost(runs, launch, device)
    printed = [_printed(hooks, device, launch) for hooks in (False, True)]
    same = sum(a == b for a, b in zip(*printed, strict=False)) if len(printed[0]) == len(printed[1]) else 0
    return Check(cost.plain, cost.recorded, cost.ratio, max(map(len, printed)), same)


def _printed(hooks: bool, device: str, launch: Launch | None) -> list[str]:
    """What the programs print, one result per line; a failure is a result too."""
    options = Options(hooks=hooks, device=device)
    loop = reference.run(options=options, launch=launch)
    many = record(MANY_LOOPS, options, launch)
    return [*map(str, loop.history), *(many.stdout.splitlines() if many.ok else [f"{hooks}: {many.message}"])]
