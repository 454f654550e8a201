"""Runs a script in a process of its own under the recorder, and reads back what happened."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from looplint.runtime.streams import loops
from looplint.runtime.streams.stream import Stream, read

CHILD = Path(__file__).parents[1] / "recording" / "child.py"
SPAWNED = ".spawned"  # as in `recording.tape`, which is not imported here
TAIL = 20_000  # characters kept of what the script printed
# How long importing torch may take before the script starts: a minute was measured on a machine with all its processors busy.
STARTING = 300.0


@dataclass(frozen=True, slots=True)
class Options:
    """How to run a script."""

    arguments: tuple[str, ...] = ()
    module: str = ""
    cwd: Path | None = None
    seed: int | None = 0
    steps: int = 0  # optimizer steps after which the script is ended; 0: it runs to its end
    epochs: int = 0  # passes over a training DataLoader after which the script is ended
    short: bool = False  # with steps: passes over training DataLoaders are shortened, and the script is ended after two epochs of them
    batches: int = 0  # batches after which each pass over a DataLoader is ended
    seconds: float = 120.0
    device: str = "cpu"
    placed: bool = False  # whether tensors for which the script names no device are made on the GPU
    deterministic: bool = True
    hooks: bool = True  # False runs the script in the same way, unrecorded
    environment: Mapping[str, str] = field(default_factory=dict)
    watch: Mapping[str, Sequence[int]] = field(default_factory=dict)  # lines of files (real paths) to probe for kept graphs
    whole: bool = False  # whether all iterations are recorded, also those that are like many before them
    outputs: bool = False  # whether outputs of forwards are measured, for a comparison with another run
    costs: bool = False  # whether reads, texts and copies of tensors are looked at as well
    replaced: Mapping[str, str] = field(default_factory=dict)  # files (real paths) in whose place the text of another file is run


@dataclass(frozen=True, slots=True)
class Recording:
    """A run: how it ended, what it printed, and its stream."""

    outcome: str  # finished, step-limit, exit, crashed, timeout, killed
    exit: int | None
    message: str
    stream: Stream
    stdout: str
    stderr: str
    seconds: float
    # What the process itself reported at its end (also where it ran without hooks).
    result: dict[str, Any]

    @property
    def ok(self) -> bool:
        return self.outcome in ("finished", "step-limit") or (self.outcome == "exit" and self.exit == 0)


# Starts a process with settings, in a folder and environment, with files to print to; waits so many seconds from the script's start.
# Returns its exit status, and whether it had to be ended.
Launch = Callable[[Mapping[str, Any], Path, Mapping[str, str], Path, Path, float], tuple[int, bool]]


def record(script: Path | str, options: Options | None = None, launch: Launch | None = None) -> Recording:
    """Runs a script (or, with `options.module`, a module) and waits for its end or its time limit."""
    options = options or Options()
    with tempfile.TemporaryDirectory(prefix="looplint-") as folder:
        return _record(Path(folder), str(script), options, launch or start)


def start(settings: Mapping[str, Any], cwd: Path, environment: Mapping[str, str], out: Path, err: Path, seconds: float) -> tuple[int, bool]:
    """Runs the child as a process of its own."""
    with out.open("wb") as out_stream, err.open("wb") as err_stream:
        process = subprocess.Popen(
            [sys.executable, str(CHILD), json.dumps(settings)],
            cwd=cwd,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=out_stream,
            stderr=err_stream,
            start_new_session=True,
        )
        timed_out = _wait(process, Path(settings["ready"]), seconds)
    return process.returncode, timed_out


def _record(folder: Path, script: str, options: Options, launch: Launch) -> Recording:
    stream_path, result_path, trace_path = folder / "stream.jsonl", folder / "result.json", folder / "trace.txt"
    path = os.path.abspath(script) if not options.module else options.module
    cwd = options.cwd or Path.cwd()
    settings = {
        "script": path,
        "module": options.module,
        "arguments": list(options.arguments),
        "path": str(cwd.absolute()) if options.module else os.path.dirname(path),
        "own": _own_folder(options.module, cwd),
        "seed": options.seed,
        "deterministic": options.deterministic,
        "placed": options.placed,
        "steps": options.steps,
        "epochs": options.epochs,
        "batches": options.batches,
        "short": options.short,
        "whole": options.whole,
        "costs": options.costs,
        "outputs": options.outputs,
        "watch": {path: list(lines) for path, lines in options.watch.items()},
        "replaced": dict(options.replaced),
        "stream": str(stream_path) if options.hooks else "",
        "result": str(result_path),
        "trace": str(trace_path),
        "ready": str(folder / "ready"),
    }
    began = time.monotonic()
    code, timed_out = launch(settings, cwd, _environment(options), folder / "out", folder / "err", options.seconds)
    seconds = time.monotonic() - began
    stdout, stderr = _tail(folder / "out"), _tail(folder / "err")
    stream = loops.annotate(_trained(stream_path)) if options.hooks else Stream()
    result = json.loads(result_path.read_text("utf-8")) if result_path.exists() and result_path.stat().st_size else {}
    outcome, message = _outcome(code, timed_out, result, trace_path, options)
    if timed_out and not (folder / "ready").exists():
        message = f"importing torch took more than {STARTING:g} s; the script was not started"
    return Recording(outcome, None if timed_out else code, message, stream, stdout, stderr, seconds, result)


def _trained(path: Path) -> Stream:
    """The stream of the script's own process; or where that took no step, that of the first one which it started and which did."""
    own = read(path)
    numbers = sorted(
        int(number) for each in path.parent.glob(f"{path.name}{SPAWNED}*") if (number := each.name.rpartition(SPAWNED)[2]).isdigit()
    )
    started = [read(path.with_name(f"{path.name}{SPAWNED}{number}")) for number in numbers] if not own.of("step") else []
    trained = [stream for stream in started if stream.of("step")]
    # The first that came to its end: where one reaches the limit of steps, the others are ended in the midst of theirs.
    return next((stream for stream in trained if stream.end), trained[0] if trained else own)


def _own_folder(module: str, cwd: Path) -> str:
    """The folder of a module's top package, which is the user's code wherever it lies."""
    if not module:
        return ""
    top = module.split(".")[0]
    for entry in [str(cwd.absolute()), *sys.path]:
        for candidate in (Path(entry, top), Path(entry, top + ".py")):
            if candidate.exists():
                return os.path.realpath(candidate)
    return ""


def _environment(options: Options) -> dict[str, str]:
    environment = {"PYTHONHASHSEED": str(options.seed or 0), "PYTHONUNBUFFERED": "1", "PYTHONIOENCODING": "utf-8"}
    if options.deterministic:
        environment["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"
    if options.device == "cpu":
        environment["CUDA_VISIBLE_DEVICES"] = ""
    return {**environment, **options.environment}


def _wait(process: subprocess.Popen[bytes], ready: Path, seconds: float) -> bool:
    """Waits for the end; past the limit, has the process report where it is, and ends it with all that it started."""

    def ended(limit: float) -> bool:
        try:
            process.wait(limit)
        except subprocess.TimeoutExpired:
            return False
        return True

    try:
        if ends_in_time(ended, ready, seconds):
            return False
    except BaseException:  # also when the user interrupts: nothing of the run stays behind
        _kill(process)
        raise
    end_group(process.pid)
    process.wait()
    return True


def ends_in_time(ended: Callable[[float], bool], ready: Path, seconds: float) -> bool:
    """Waits for a run's end. Its time counts from the moment that its process, torch imported and hooks set, makes the file `ready`.

    `ended` waits for so many seconds at most, and returns whether the run is over.
    """
    started, deadline = False, time.monotonic() + STARTING
    while (left := deadline - time.monotonic()) > 0:
        if ended(left if started else min(left, 0.05)):
            return True
        if not started and ready.exists():
            started, deadline = True, time.monotonic() + seconds
    return False


def _kill(process: subprocess.Popen[bytes]) -> None:
    if hasattr(os, "killpg"):
        end_group(process.pid, ask=False)
    else:
        process.kill()
    process.wait()


def end_group(leader: int, ask: bool = True) -> None:
    """Ends a process and all that it started; with `ask` it first dumps its traceback and flushes its stream."""
    try:
        if ask:
            os.kill(leader, signal.SIGUSR1)
            os.kill(leader, signal.SIGUSR2)
            time.sleep(0.3)
        os.killpg(leader, signal.SIGKILL)
    except ProcessLookupError:  # it ended in between
        pass


def _tail(path: Path) -> str:
    data = path.read_bytes()
    return data[-TAIL:].decode("utf-8", "replace")


def _outcome(code: int, timed_out: bool, result: dict[str, Any], trace: Path, options: Options) -> tuple[str, str]:
    """How the run ended, and a sentence about it."""
    if timed_out:
        where = _where(trace)
        return "timeout", f"stopped after {options.seconds:g} s" + (f", while at {where}" if where else "")
    if not result:
        if code < 0:
            return "killed", f"ended by signal {signal.Signals(-code).name}"
        return "killed", f"ended with exit status {code} without returning (os._exit, or another program took its place)"
    outcome = str(result["outcome"])
    if outcome == "crashed":
        error = result["error"]
        message = f"{error['type']}: {error['message']}".strip()
        if error["frames"]:
            file, line, function = error["frames"][-1]
            message += f" ({file}:{line}, in {function})"
        reads = "EOF when reading" in error["message"] or any("getpass" in frame[2] or "raw_input" in frame[2] for frame in error["frames"])
        if error["type"] == "BdbQuit" or (error["type"] == "EOFError" and reads):
            message += "; the script reads from a terminal, and runs without one here"
        return outcome, message
    if outcome == "exit":
        return outcome, f"the script called sys.exit with status {result['exit']}" + (
            f": {result['message']}" if result.get("message") else ""
        )
    return outcome, "ran to its end" if outcome == "finished" else f"stopped after {result['message']}" + (
        "" if options.short else ", as asked"
    )


def _where(trace: Path) -> str:
    """The innermost place that a hanging process was at."""
    if not trace.exists():
        return ""
    lines = [line.strip() for line in trace.read_text("utf-8", "replace").splitlines() if line.strip().startswith("File ")]
    foreign = (os.sep + "site-packages" + os.sep, str(CHILD.parent))
    own = [line for line in lines if not any(part in line for part in foreign)]
    return (own or lines or [""])[0].removeprefix("File ")
