"""What one checkout says of programs: asked in processes of its own, and remembered where a file is given."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from benchmarks.compare.programs import Program, code_digest

HERE = Path(__file__).parent
Answer: TypeAlias = dict[str, Any]
# Programs that one process is asked about: few enough that what it remembers of one is the same in both versions' runs.
_TOGETHER = 20


class Cache:
    """Answers by what they are of, kept in a file that only grows; without a path nothing is kept."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._known: dict[str, Any] = {}
        if path is not None and path.exists():
            with path.open(encoding="utf-8") as lines:
                for line in lines:
                    row = json.loads(line)
                    self._known[row["key"]] = row["value"]

    def get(self, key: str) -> Any:
        return self._known.get(key)

    def add(self, key: str, value: Any) -> None:
        if self._path is not None:
            self._known[key] = value
            with self._path.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps({"key": key, "value": value}) + "\n")


@dataclass(frozen=True, slots=True)
class Checkout:
    """A version of looplint, and how it is asked."""

    label: str
    root: Path
    # Where its compiled modules are kept: a checkout is left as it is.
    bytecode: Path
    texts: tuple[str, ...] = ()
    jobs: int = 2
    timeout: float = 1200
    cache: Cache = field(default_factory=lambda: Cache(None))

    def planted(self, number: int) -> list[dict[str, Any]]:
        """About so many planted bugs, by this version's injector."""
        if not number:
            return []
        key = f"planted {number} {code_digest(self.root, ('benchmarks/mutation', 'fixtures'))}"
        found = self.cache.get(key)
        if found is None:
            print(f"{self.label}: planting bugs", file=sys.stderr)
            ran = subprocess.run(
                [sys.executable, str(HERE / "plant.py"), str(number)],
                env=self._environment(),
                cwd=self.root,
                stdout=subprocess.PIPE,
                check=True,
            )
            found = json.loads(ran.stdout)
            self.cache.add(key, found)
        return list(found)

    def answers(self, programs: Sequence[Program]) -> list[Answer]:
        """What it says of each program, in their order."""
        code = code_digest(self.root, ("looplint", "rules"))
        keys = [" ".join((p.name, code, p.digest(), sys.version.split()[0], *(self.texts if p.alone else ()))) for p in programs]
        known = {key: found for key in keys if (found := self.cache.get(key)) is not None}
        missing = [(key, program) for key, program in zip(keys, programs, strict=True) if key not in known]
        done = len(known)
        with ThreadPoolExecutor(self.jobs) as pool:
            running = {pool.submit(self._ask, [p for _, p in part]): part for part in _parts(missing, lambda pair: pair[1])}
            for future in as_completed(running):
                for (key, program), answer in zip(running[future], future.result(), strict=True):
                    known[key] = answer
                    if not answer["error"]:
                        self.cache.add(key, answer)
                    done += 1
                    print(f"\r{self.label} {done}/{len(programs)} {program.name[:80]:<80}", end="", file=sys.stderr)
        return [known[key] for key in keys]

    def _ask(self, programs: Sequence[Program]) -> list[Answer]:
        """The answers of one process; where it ended early, its end is the answer to the rest."""
        entries = [{"folder": str(p.folder), "what": p.what, "alone": p.alone} for p in programs]
        text = json.dumps({"root": str(self.root), "texts": self.texts, "programs": entries})
        command = [sys.executable, str(HERE / "ask.py")]
        try:
            ran = subprocess.run(command, input=text.encode(), env=self._environment(), capture_output=True, timeout=self.timeout)
            out, end = ran.stdout, f"exit {ran.returncode}: {ran.stderr.decode(errors='replace').strip()[-300:]}"
        except subprocess.TimeoutExpired as late:
            out, end = late.stdout or b"", f"not done after {self.timeout:.0f} s"
        found = [json.loads(line) for line in out.split(b"\n")[:-1]]
        return found + [{"findings": [], "problems": [], "error": end, "texts": {}}] * (len(programs) - len(found))

    def _environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        python = {"PYTHONPATH": str(self.root), "PYTHONHASHSEED": "0", "PYTHONPYCACHEPREFIX": str(self.bytecode)}
        return {**kept, **python, "NO_COLOR": "1", "COLUMNS": "120"}


def _parts(pairs: Sequence[tuple[str, Program]], program: Callable[[tuple[str, Program]], Program]) -> Iterator[list[tuple[str, Program]]]:
    """Repositories one by one, the largest first; small programs together."""
    yield from ([pair] for pair in sorted((p for p in pairs if not program(p).alone), key=lambda p: -program(p).size()))
    small = [pair for pair in pairs if program(pair).alone]
    for start in range(0, len(small), _TOGETHER):
        yield small[start : start + _TOGETHER]
