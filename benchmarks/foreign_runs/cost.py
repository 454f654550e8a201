"""`python -m benchmarks.foreign_runs.cost --checkouts DIR`: what recording costs other people's scripts, and that it changes nothing in them.

Each script of `runs.json` runs with and without the recorder, in turns, and is ended after the same number of optimizer steps. Compared are the processor
times from the first of these steps to the last, the least of each, and bit for bit all parameters, gradients, buffers, states of optimizers and the states
of the random number generators. Scripts whose optimizer is not torch's, or that end before two steps, cannot be measured, and are named.

With `--device cuda` those scripts are measured that use the GPU; the processor time includes the waiting for it. Nothing can be said of the results of a
script that without the recorder, too, ends differently each time.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from benchmarks.cuda.__main__ import Clock
from benchmarks.figures import store
from benchmarks.foreign_runs.__main__ import copied, entries_of, environment, name, options_of, parser_of, path_of, write
from benchmarks.foreign_runs.recipe import Changed, edited, fingerprint, on_device
from looplint.errors import UserError
from looplint.runtime.streams.record import Launch, Options, record
from looplint.runtime.streams.warm import Warm

SECONDS = 0.7  # of processor time, that the plain run of a script takes at least
FEW, MOST = 24, 600  # steps
# The classes of scripts, by the processor time of an iteration in milliseconds, and what recording may cost there.
CLASSES = ((10.0, float("inf"), 1.15), (3.0, 10.0, None), (0.0, 3.0, 1.4))


@dataclass(frozen=True, slots=True)
class Measured:
    """A script: its steps, the processor time of one of them in milliseconds, what it is with recording, and whether all ended the same."""

    script: str
    steps: int
    plain: float
    recorded: float
    same: bool

    @property
    def ratio(self) -> float:
        return self.recorded / self.plain


def ended(script: str, options: Options, launch: Launch, *, hooks: bool, steps: int = 0) -> dict[str, Any]:
    """One run that ends after so many steps, or without a number after some time; empty where it ended otherwise."""
    with tempfile.TemporaryDirectory(prefix="looplint-") as folder:
        out = Path(folder, "ending.json")
        limit = {"LOOPLINT_STEPS": str(steps)} if steps else {"LOOPLINT_SECONDS": str(SECONDS)}
        environment = {**limit, "LOOPLINT_ENDING": str(out)}
        record(script, replace(options, hooks=hooks, steps=0, epochs=0, batches=0, short=False, environment=environment), launch)
        return json.loads(out.read_text(encoding="utf-8")) if out.exists() else {}


def measured(path: Path, entry: Mapping[str, Any], device: str, launch: Launch, rounds: int) -> Measured | str:
    """Runs a script in both ways, in turns; or why it cannot be measured.

    Raises:
        Changed: the script's text is not the one that its edits were written for.
    """
    text = path.read_text(encoding="utf-8")
    if fingerprint(text) != entry["sha256"]:
        raise Changed(f"{path} is not the file of {entry['repo']} at {entry['commit'][:12]}")
    with copied(path, _ending(edited(text, entry.get("setup", ()))), entry) as script:
        options = options_of(entry, device)
        first = ended(script, options, launch, hooks=False)
        steps = min(MOST, first["steps"]) if first else _steps_of_short(script, options, launch)
        if steps < 2:
            return "it takes no two steps"
        if device == "cuda" and first and not first["gpu"]:
            return "it uses no GPU"
        runs: dict[bool, list[dict[str, Any]]] = {False: [], True: []}
        for _ in range(rounds):
            for hooks, taken in runs.items():
                taken.append(ended(script, options, launch, hooks=hooks, steps=steps))
    if not all(runs[False]):
        return "it does not take as many steps each time"
    if device == "cuda" and not runs[False][0]["gpu"]:
        return "it uses no GPU"
    alone, computed = ({json.dumps(run.get("computed")) for run in taken} for taken in (runs[False], runs[False] + runs[True]))
    if len(alone) > 1:
        return "without the recorder, too, it ends differently each time"
    if not all(runs[True]):
        return Measured(name(entry), steps, 1.0, float("nan"), False)
    plain, recorded = (1000 * min(run["seconds"] for run in taken) / (steps - 1) for taken in runs.values())
    return Measured(name(entry), steps, plain, recorded, len(computed) == 1)


def _ending(text: str) -> str:
    """The script with the import that ends it: first, but for what only the first lines may import."""
    lines = text.splitlines(keepends=True)
    after = max((row for row, line in enumerate(lines, 1) if line.startswith("from __future__")), default=0)
    return "".join([*lines[:after], "import ending\n", *lines[after:]])


def _steps_of_short(script: str, options: Options, launch: Launch) -> int:
    """The steps of a script that ends before the time is over: the most that it takes, found by halving."""
    low, high = 1, FEW
    while ended(script, options, launch, hooks=False, steps=high) and high < MOST:
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if ended(script, options, launch, hooks=False, steps=middle) else (low, middle)
    return low


def facts(found: Sequence[Measured], unmeasured: Iterable[str]) -> dict[str, Any]:
    """The figures to store."""
    classes = []
    for low, high, goal in CLASSES:
        ratios = sorted(m.ratio for m in found if low <= m.plain < high)
        if ratios:
            worst = quantiles(ratios, n=10)[-1] if len(ratios) > 1 else ratios[0]
            within = sum(r <= goal for r in ratios) if goal else None
            classes.append(
                {
                    "from_ms": low,
                    "scripts": len(ratios),
                    "median": round(median(ratios), 3),
                    "p90": round(worst, 3),
                    "goal": goal,
                    "within": within,
                }
            )
    return {
        "scripts": len(found),
        "same": sum(m.same for m in found),
        "median": round(median(m.ratio for m in found), 3),
        "classes": classes,
        "unmeasured": sorted(unmeasured),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    parser = parser_of("python -m benchmarks.foreign_runs.cost", __doc__)
    parser.add_argument("--rounds", type=int, default=2, help="runs of each kind")
    options = parser.parse_args(arguments)
    clock = Clock(options.seconds)
    found: list[Measured] = []
    unmeasured: dict[str, str] = {}
    with Warm(environment(options.device)) as warm:
        for entry in entries_of(options):
            if clock.left() <= 0:
                one: Measured | str = "there was no time for it"
            else:
                one = measured(
                    path_of(entry, options.checkouts), on_device(entry, options.device), options.device, warm.launch, options.rounds
                )
            if isinstance(one, str):
                unmeasured[name(entry)] = one
                print(f"not measured  {name(entry)}: {one}", flush=True)
                continue
            found.append(one)
            word = "same" if one.same else "DIFFERS"
            print(f"{word:7} {one.ratio:5.2f} times {one.plain:8.2f} ms  {one.steps:4} steps  {one.script}", flush=True)
    if not found:
        print("nothing was measured")
        return 1
    figures = facts(found, unmeasured)
    print(json.dumps(figures, indent=1))
    write(options, {**figures, "unmeasured": unmeasured, "measured": [asdict(one) for one in found]})
    if options.store:
        store("foreign_cost", figures)
    return 1 if figures["same"] < figures["scripts"] else 0


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    try:
        raise SystemExit(main())
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(2) from None
