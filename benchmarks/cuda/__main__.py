"""`python -m benchmarks.cuda`: everything that takes a GPU, in under ten minutes; `benchmarks/cuda/run` does so on a bare machine.

It verifies the rules' claims on the device, those first that only a GPU shows; measures what recording costs there and that it changes no result; and counts
the steps in which the recorder waits for the device. What there was no time for is "not run". `--store` keeps the evidence, for the rules' pages.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from looplint.errors import UserError
from looplint.linting import catalogue
from looplint.linting.evidence import folder
from looplint.linting.selectors import choose
from looplint.runtime.evidence.joining import OBSERVED
from looplint.runtime.harness import neutrality, verify
from looplint.runtime.harness.devices import require_cuda, require_torch
from looplint.runtime.reporting import reference
from looplint.runtime.streams.record import Launch, Options, record
from looplint.runtime.streams.stream import Stream
from looplint.runtime.streams.warm import Several, Warm

LOOP = Path(__file__).with_name("synchronizations.py")
SECONDS = 540.0
MEASURED = ("loss", "norm", "change", "given")  # facts for which the recorder waits
LEAST = 20.0  # seconds without which a part is not begun


class Clock:
    """The time that is left."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        return self._end - time.monotonic()


def order(rules: Sequence[str]) -> list[str]:
    """The codes of the rules that are named (all, where none is), with those first whose claims only a GPU shows."""
    codes = [rule.code for rule in choose(catalogue.load(), select=list(rules) or ["ALL"])]
    return sorted(codes, key=lambda code: not (code in OBSERVED and OBSERVED[code].cuda))


def verified(
    codes: Sequence[str], device: str, jobs: int, launch: Launch, clock: Clock, say: Callable[[str], None]
) -> tuple[list[verify.Verdict], list[str]]:
    """The verdicts on the rules' cases, and the rules that there was no time for."""
    verdicts: list[verify.Verdict] = []
    for position in range(0, len(codes), 8):
        some = codes[position : position + 8]
        if clock.left() < LEAST:
            return verdicts, list(codes[position:])
        verdicts += verify.verify(some, device, seconds=min(60.0, clock.left()), jobs=jobs, launch=launch)
        say(f"{some[0]} to {some[-1]}: {Counter(v.status for v in verdicts)['proven']} of {len(verdicts)} cases proven so far")
    return verdicts, []


def measured(stream: Stream) -> list[bool]:
    """For each step, whether it, or what came between it and the step before, was measured with a number that is on the device."""
    taken, since = [], True  # what is read before the first step is read once
    for event in stream.events:
        since |= not event.facts.keys().isdisjoint(MEASURED)
        if event.kind == "step":
            taken.append(since)
            since = False
    return taken


def waits(device: str, launch: Launch) -> dict[str, Any]:
    """In how many steps of a loop that never waits for its device the recorded run waited, and how often."""
    counts, stream = [], Stream()
    for hooks in (False, True):
        recording = record(LOOP, Options(device=device, hooks=hooks, deterministic=False, seconds=120, whole=True), launch)
        if not recording.ok:
            return {"failed": recording.message}
        counts.append(json.loads(recording.stdout.strip().splitlines()[-1]))
        stream = recording.stream
    plain, recorded = counts
    later = recorded[len(recorded) // 2 :]
    return {
        "steps": len(recorded),
        "plain": sum(plain),
        "recorded": sum(recorded),
        "waiting_steps_of_the_second_half": sum(n > 0 for n in later),
        "waiting_steps_without_a_measurement": sum(n > 0 and not taken for n, taken in zip(recorded, measured(stream), strict=True)),
    }


def device_name(device: str) -> str:
    """What the figures were measured on."""
    if device == "cpu":
        return platform.processor() or platform.machine()
    code = "import torch; print(torch.cuda.get_device_name())"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False).stdout.strip()


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.cuda", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda", help="cpu tries the benchmark itself, and stores nothing")
    parser.add_argument("--rules", nargs="*", default=[], help="codes, prefixes of codes or names (default: all)")
    parser.add_argument("--seconds", type=float, default=SECONDS, help=f"for all parts together (default {SECONDS:g})")
    parser.add_argument("--jobs", "-j", type=int, default=min(8, os.cpu_count() or 1), help="cases to run at a time")
    parser.add_argument("--out", type=Path, default=Path("looplint-cuda.json"), help="where to write all that was measured")
    parser.add_argument("--store", action="store_true", help="also keep the evidence in docs/evidence, where every rule was verified")
    options = parser.parse_args(arguments)
    require_torch()
    if options.device == "cuda":
        require_cuda()
    if options.store and (options.device == "cpu" or options.rules):
        raise UserError("--store keeps what all rules show on a GPU: leave out --device cpu and --rules")
    clock = Clock(options.seconds)

    def say(text: str) -> None:
        print(f"[{options.seconds - clock.left():4.0f} s] {text}", file=sys.stderr, flush=True)

    facts: dict[str, Any] = {"device_name": device_name(options.device)}
    say(f"on {facts['device_name']}")
    parts: list[tuple[str, Callable[[], dict[str, Any]]]] = [
        ("waits", lambda: waits(options.device, warm.launch)),
        ("recorder", lambda: neutrality.check(options.device, runs=3, launch=warm.launch).as_json()),
    ]
    with Warm({"OMP_NUM_THREADS": "1"}) as warm:
        for name, measure in parts:
            facts[name] = measure() if clock.left() > LEAST else "not run"
            say(f"{name}: {facts[name]}")
    with Several({"OMP_NUM_THREADS": "1"}) as several:
        verdicts, left = verified(order(options.rules), options.device, options.jobs, several.launch, clock, say)
        compared = []
        if not options.rules and clock.left() > LEAST:
            compared = reference.run(options.device, max(LEAST, clock.left()), several.launch, options.jobs, lambda line: None)
            say(f"reference loop: {Counter(map(reference.status, compared))}")
    recorder = facts["recorder"] if isinstance(facts["recorder"], dict) else None
    evidence = verify.as_json(verdicts, options.device, recorder)
    if compared:
        evidence["reference"] = reference.as_json(compared)
    facts.update(not_run=left, evidence=evidence)
    options.out.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    print(verify.table(verdicts))
    if compared:
        print("\n" + reference.text(compared))
    counts = Counter(v.status for v in verdicts)
    print(
        f"\n{counts['proven']} of {len(verdicts)} cases proven on {facts['device_name']}, {counts['not proven']} not proven, {counts['not run']} not run"
    )
    print(f"rules that there was no time for: {', '.join(left) or 'none'}\nwrote {options.out}")
    if options.store and not left:
        path = folder() / f"{str(evidence['torch']).split('+')[0]}-{options.device}.json"
        path.write_text(json.dumps(evidence, indent=1) + "\n", encoding="utf-8")
        print(f"wrote {path}")
    return 1 if counts["not proven"] or left else 0


if __name__ == "__main__":
    try:
        raise SystemExit(main())
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(2) from None
