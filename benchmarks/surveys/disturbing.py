"""Surveys that are disturbed: workers and drivers killed, nodes taken away; and what is stored all the same."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from looplint.survey.datasets import SCHEMAS, Store

# What differs from run to run.
_MEASURED = {"seconds", "megabytes"}
_MARK = "LOOPLINT_SURVEY_MARK"
# Enough for none to fail by chance: what is measured is that nothing is lost or doubled, not how many deaths a task survives.
_RETRIES = 20


@dataclass(frozen=True)
class Stored:
    """What is stored of a repository: its own row, and how many rows there are, with a digest of them."""

    row: str
    rows: int
    digest: int


Content = Mapping[str, Stored]


class Survey:
    """A survey in a process of its own."""

    def __init__(self, sources: Sequence[str], out: Path, cut: int) -> None:
        self._arguments = [
            "survey",
            "--isolated",
            "--no-dashboard",
            "--retries",
            str(_RETRIES),
            "--cut",
            str(cut),
            "-o",
            str(out),
            *sources,
        ]
        self._mark = f"{os.getpid()}-{time.monotonic_ns()}"

    def start(self, cpus: int) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "looplint", *self._arguments, "--cpus", str(cpus)]
        return subprocess.Popen(command, env={**os.environ, _MARK: self._mark}, stderr=subprocess.DEVNULL, start_new_session=True)

    def run(self, cpus: int) -> None:
        self.start(cpus).wait()

    def workers(self) -> list[int]:
        """The processes of this survey that run a task now."""
        return [process for process, command in self.processes().items() if command.startswith("ray::") and "look" in command]

    def processes(self) -> dict[int, str]:
        """All processes that this survey started, by their numbers, with their commands."""
        found = {}
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                if f"{_MARK}={self._mark}".encode() in (entry / "environ").read_bytes():
                    found[int(entry.name)] = (entry / "cmdline").read_bytes().decode(errors="replace").replace("\0", " ")
            except OSError:
                continue
        return found


def killing(sources: Sequence[str], out: Path, cut: int, kills: int, chance: random.Random) -> str:
    """Kill workers at random moments, and now and then the survey, until it was disturbed often enough; then let it end."""
    survey = Survey(sources, out, cut)
    process = survey.start(2)
    workers = drivers = 0
    left = 0
    while workers < kills or drivers < kills // 3:
        time.sleep(chance.uniform(0.3, 3))
        if process.poll() is not None:
            # It has ended: what it found is forgotten in part, so that there is something to do again.
            _forget(out, chance)
            process = survey.start(2)
        elif drivers < kills // 3 and chance.random() < 0.2:
            process.kill()
            process.wait()
            drivers += 1
            left += _remaining(survey)
            process = survey.start(2)
        elif running := survey.workers():
            try:
                os.kill(chance.choice(running), signal.SIGKILL)
            except ProcessLookupError:
                continue
            workers += 1
    process.wait()
    survey.run(2)
    return f"{workers} workers and {drivers} surveys killed; processes left behind by a killed survey after 30 s: {left}"


def _remaining(survey: Survey) -> int:
    """How many processes of a killed survey are there after a while."""
    for _ in range(60):
        if not survey.processes():
            return 0
        time.sleep(0.5)
    return len(survey.processes())


def _forget(out: Path, chance: random.Random) -> None:
    for path in sorted((out / "repositories").glob("*.parquet")):
        if chance.random() < 0.5:
            path.unlink()


def on_nodes(sources: Sequence[str], out: Path, cut: int) -> str:
    """Run on a cluster of three nodes on this machine, and take one away on the way."""
    from ray.cluster_utils import Cluster

    one = {"num_cpus": 1, "object_store_memory": 100 << 20}
    cluster = Cluster(initialize_head=True, head_node_args={**one, "include_dashboard": False})
    try:
        nodes = [cluster.add_node(**one), cluster.add_node(**one)]
        arguments = ["--isolated", "--retries", str(_RETRIES), "--cut", str(cut), "--address", cluster.address, "-o", str(out), *sources]
        began = time.monotonic()
        process = subprocess.Popen([sys.executable, "-m", "looplint", "survey", *arguments], stderr=subprocess.DEVNULL)
        while process.poll() is None and len(list(out.glob("repositories/*.parquet"))) < 3:
            time.sleep(0.5)
        is_running = process.poll() is None
        cluster.remove_node(nodes[0], allow_graceful=False)
        process.wait()
        return f"three nodes, one taken away {'on the way' if is_running else 'too late'}: {summary(out)}, {time.monotonic() - began:.0f} s"
    finally:
        cluster.shutdown()


def content(out: Path) -> Content:
    """What is stored, without what differs from run to run."""
    store = Store(out)
    rows: dict[str, list[str]] = {}
    own = {}
    for kind in SCHEMAS:
        for row in store.rows(kind):
            outcome = repr({name: value for name, value in row.items() if name not in _MEASURED})
            if kind == "repositories":
                own[row["repository"]] = outcome
            else:
                rows.setdefault(row["repository"], []).append(f"{kind} {outcome}")
    return {name: Stored(outcome, len(rows.get(name, ())), hash(tuple(rows.get(name, ())))) for name, outcome in own.items()}


def twice(out: Path) -> int:
    """How many findings and repositories are stored more than once."""
    store = Store(out)
    repositories = Counter(row["repository"] for row in store.rows("repositories"))
    findings = Counter((row["repository"], row["record"]) for row in store.rows("findings"))
    return sum(count - 1 for count in (*repositories.values(), *findings.values()))


def summary(out: Path) -> str:
    """How a survey went."""
    rows = list(Store(out).known().values())
    failed = [row for row in rows if row["state"] == "failed"]
    most = max((row["megabytes"] or 0 for row in rows), default=0)
    return f"{len(rows)} repositories, {len(failed)} failed, {sum(row['tasks'] or 0 for row in rows)} tasks, at most {most} MB in a worker"
