"""Many short runs in a row: one process imports torch once, and forks for each script."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from looplint.runtime.streams.record import CHILD, Options, Recording, end_group, ends_in_time, record


def available() -> bool:
    return hasattr(os, "fork")


class Warm:
    """A process that waits with torch imported. Options that a fork cannot change (the hash seed) are those of its start."""

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self._environment = {**os.environ, "PYTHONHASHSEED": "0", **(environment or {})}
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Warm:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def record(self, script: Path | str, options: Options | None = None) -> Recording:
        """As `looplint.runtime.streams.record.record`."""
        return record(script, options, self.launch)

    def close(self) -> None:
        if self._process is not None:
            assert self._process.stdin is not None and self._process.stdout is not None
            self._process.stdin.close()
            self._process.wait()
            self._process.stdout.close()
            self._process = None

    def _end(self) -> None:
        """Ends the process at once, also where it is busy."""
        if self._process is not None:
            self._process.kill()
            self.close()

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            arguments = [sys.executable, str(CHILD), "--serve"]
            self._process = subprocess.Popen(
                arguments, env=self._environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=tempfile.gettempdir()
            )
        return self._process

    @staticmethod
    def _answer(process: subprocess.Popen[bytes]) -> dict[str, int]:
        """The next answer; nothing where the process has died. What is read ahead into a buffer, `select` would not see: it is read byte by byte."""
        assert process.stdout is not None
        line = b""
        while not line.endswith(b"\n"):
            if not (byte := os.read(process.stdout.fileno(), 1)):
                return {}
            line += byte
        answer: dict[str, int] = json.loads(line)
        return answer

    def launch(
        self, settings: Mapping[str, Any], cwd: Path, environment: Mapping[str, str], out: Path, err: Path, seconds: float
    ) -> tuple[int, bool]:
        """A `looplint.runtime.streams.record.Launch`."""
        process = self._started()
        assert process.stdin is not None and process.stdout is not None
        out.touch()
        err.touch()
        request = {"settings": settings, "cwd": str(cwd.absolute()), "environment": dict(environment), "out": str(out), "err": str(err)}
        leader, answers = 0, process.stdout
        try:
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
            leader = self._answer(process).get("process", 0)
            in_time = ends_in_time(lambda limit: bool(select.select([answers], [], [], limit)[0]), Path(settings["ready"]), seconds)
            if not in_time and leader:
                end_group(leader)
            code = self._answer(process).get("exit")
        except BaseException:
            # Nothing of the run stays behind: an answer that nobody reads would be taken for one to the next request.
            if leader:
                end_group(leader, ask=False)
            self._end()
            raise
        if code is None:
            code = process.wait()  # it died itself, and the next request starts another
        return code, not in_time


class Several:
    """As many such processes as scripts run at a time."""

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self._environment = environment
        self._idle: list[Warm] = []
        self._all: list[Warm] = []

    def __enter__(self) -> Several:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for warm in self._all:
            warm.close()

    def launch(
        self, settings: Mapping[str, Any], cwd: Path, environment: Mapping[str, str], out: Path, err: Path, seconds: float
    ) -> tuple[int, bool]:
        """A `looplint.runtime.streams.record.Launch`, for any thread."""
        try:
            warm = self._idle.pop()
        except IndexError:
            warm = Warm(self._environment)
            self._all.append(warm)
        try:
            return warm.launch(settings, cwd, environment, out, err, seconds)
        finally:
            self._idle.append(warm)
