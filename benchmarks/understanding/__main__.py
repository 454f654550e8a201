"""`python -m benchmarks.understanding --checkouts DIR`: lint repositories, and count the files whose training loop looplint could follow.

A file is expected to have a training loop where its text has a call of `backward` and one of `step` that is no scheduler's, read with `ast`: nothing
of looplint decides. Each such file is *recovered* (all its loops are judged), *partly* so, *lost* with a reason, *owned* by a library, or *silent*:
nothing at all was said of it, which must not happen.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.already_read import warn
from benchmarks.checkouts import python_files
from benchmarks.figures import add_option, store

STATES = ("recovered", "partly", "lost", "owned", "silent")
CHECK = (sys.executable, *"-m looplint check --no-cache --isolated -j 1 --statistics --output-format json .".split())
# Runs a command, and prints its processor seconds and its memory before what it printed.
_MEASURED = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[2:], capture_output=True, text=True, timeout=float(sys.argv[1]))
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss)
print(done.stdout)
"""
_QUOTED = re.compile(r"`[^`]*`")


@dataclass(slots=True)
class Repository:
    """What one run said of a repository: the state of each expected file, the reasons, and what it cost."""

    name: str
    states: dict[str, str] = field(default_factory=dict)
    reasons: list[tuple[str, int, str]] = field(default_factory=list)
    lines: int = 0
    seconds: float = 0.0
    megabytes: float = 0.0
    failed: str = ""
    # Where the command prints them too.
    findings: list[dict[str, Any]] = field(default_factory=list)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.understanding", description=__doc__)
    parser.add_argument("--checkouts", type=Path, required=True, help="a folder with a folder for each repository")
    parser.add_argument("--timeout", type=float, default=600, metavar="SECONDS", help="for one repository")
    parser.add_argument("--jobs", type=int, default=1, help="repositories at once")
    parser.add_argument("--list", action="store_true", help="print each file that was not recovered, with the reasons")
    add_option(parser)
    options = parser.parse_args(arguments)
    folders = sorted(p for p in options.checkouts.iterdir() if p.is_dir())
    warn(folders)
    found: list[Repository] = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for repository in pool.map(lambda folder: look(folder, options.timeout), folders):
            found.append(repository)
            print(f"\r{len(found)}/{len(folders)} repositories", end="", file=sys.stderr)
    print(file=sys.stderr)
    print(table(found))
    if options.list:
        print("\n".join(details(found)))
    if options.store:
        counts = Counter(state for r in found for state in r.states.values())
        store("understanding", {"repositories": len(found), "files": sum(counts.values()), **{state: counts[state] for state in STATES}})
    return 0


def look(folder: Path, timeout: float, command: Sequence[str] = CHECK) -> Repository:
    """Lint one repository in a process of its own, with a command that prints its statistics as JSON."""
    repository = Repository(folder.name)
    expected = []
    for path in python_files(folder):
        text = path.read_text(encoding="utf-8", errors="replace")
        repository.lines += text.count("\n")
        if trains(text):
            expected.append(path.relative_to(folder).as_posix())
    try:
        measured = [sys.executable, "-c", _MEASURED, str(timeout), *command]
        done = subprocess.run(measured, cwd=folder, capture_output=True, text=True)
        first, _, report = done.stdout.partition("\n")
        repository.seconds, repository.megabytes = float(first.split()[0]), float(first.split()[1]) / 1024
        entries = json.loads(report)
    except (ValueError, IndexError):
        repository.failed = "no answer in time" if "TimeoutExpired" in done.stderr else "no answer"
        repository.states = dict.fromkeys(expected, "silent")
        return repository
    coverage: dict[str, Any] = next((entry for entry in entries if entry["name"] == "coverage"), {"judged": {}, "lost": [], "owned": []})
    repository.findings = next((entry["findings"] for entry in entries if entry["name"] == "findings"), [])
    lost = {place["filename"] for place in coverage["lost"]}
    owned = {place["filename"] for place in coverage["owned"]}
    for name in expected:
        judged = name in coverage["judged"]
        repository.states[name] = (
            "partly"
            if judged and name in lost
            else "recovered"
            if judged
            else "lost"
            if name in lost
            else "owned"
            if name in owned
            else "silent"
        )
    repository.reasons = [(p["filename"], (p["location"] or {"row": 0})["row"], p["reason"]) for p in coverage["lost"]]
    return repository


def trains(text: str) -> bool:
    """Whether a text has a call of `backward` and one of `step` that is not a scheduler's or an environment's by its arguments and name."""
    if ".backward(" not in text or ".step(" not in text:
        return False
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return False
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)]
    steps = (c for c in calls if isinstance(c.func, ast.Attribute) and c.func.attr == "step" and len(c.args) <= 1)
    return any(isinstance(c.func, ast.Attribute) and c.func.attr == "backward" for c in calls) and any(map(_is_optimizers, steps))


def _is_optimizers(call: ast.Call) -> bool:
    assert isinstance(call.func, ast.Attribute)
    name = ast.unparse(call.func.value).lower()
    return any(word in name for word in ("opt", "solver", "scaler", "trainer", "sgd", "adam")) and "sched" not in name


def table(found: Sequence[Repository]) -> str:
    rows = [f"{'repository':50} {'files':>6} " + " ".join(f"{state:>9}" for state in STATES) + f" {'s/kloc':>7} {'MB':>6}"]
    for r in found:
        counts = Counter(r.states.values())
        cost = f"{1000 * r.seconds / r.lines:7.2f} {r.megabytes:6.0f}" if r.lines and not r.failed else f" {r.failed}"
        rows.append(f"{r.name:50} {len(r.states):6} " + " ".join(f"{counts[state]:9}" for state in STATES) + f" {cost}")
    counts = Counter(state for r in found for state in r.states.values())
    total = sum(counts.values())
    rows.append(f"{'all':50} {total:6} " + " ".join(f"{counts[state]:9}" for state in STATES))
    rows.append(f"{'%':57} " + " ".join(f"{100 * counts[state] / max(total, 1):9.1f}" for state in STATES))
    reasons = Counter(_QUOTED.sub("...", reason) for r in found for _, _, reason in r.reasons)
    rows += [f"{count:6} {reason}" for reason, count in reasons.most_common(12)]
    return "\n".join(rows)


def details(found: Sequence[Repository]) -> list[str]:
    lines = []
    for r in found:
        for name, state in r.states.items():
            if state != "recovered":
                reasons = [f"{row}: {reason}" for filename, row, reason in r.reasons if filename == name]
                lines.append(f"{r.name}/{name}: {state} {'; '.join(reasons)}")
    return lines


if __name__ == "__main__":
    sys.exit(main())
