"""The recorded process's side of the stream: writes events, with the places of the user's code that caused them.

The stream is a memory-mapped file: what was written is kept when the process is killed, and writing costs no system call.
Each line is a JSON list of records.
"""

from __future__ import annotations

import json
import mmap
import os
import sys
import sysconfig
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from types import CodeType, FrameType, TracebackType
from typing import Any

import torch

from looplint.flow.kinds import EventKind
from looplint.runtime.recording.channels import Channel
from looplint.runtime.recording.pauses import Pauses
from looplint.runtime.recording.threads import Threads

SPAWNED = ".spawned"  # after the name of a stream, with a number: those of the first processes that the script starts
CHUNK = 1 << 22
_RUNS = os.path.join(os.path.dirname(__file__), "child.py")
LARGEST = 1 << 29  # a stream that grows beyond this is cut, and has a record of that


class Local(threading.local):
    """What the hooks of one thread are nested in."""

    def __init__(self, numbers: Iterator[int]) -> None:
        self.thread = next(numbers)  # 0 for the one that the recorder was installed in
        self.trains = False  # whether it is the thread that is recorded where several train
        self.passed_over = False  # whether it is one of the others
        self.inside: set[str] = set()
        self.busy = 0  # above zero while the recorder itself calls torch, and in a thread that is not recorded
        self.scaler: int = 0  # the scaler whose step() is running
        self.autocasts: list[str] = []  # the types of the regions around; empty for one that is off
        self.autocast = ""  # the type that the running forward computes in
        self.value_clipped = False  # whether the script clips by value, so that the largest entry matters
        self.stepped = 0  # optimizer steps seen inside that
        self.stepping: list[weakref.ref[Any]] = []  # the optimizers whose step is running: one may call another's


class Places:
    """Maps running frames to the user's files, functions and lines."""

    def __init__(self, own: str = "") -> None:
        paths = sysconfig.get_paths()
        foreign = {
            paths["stdlib"],
            paths["platstdlib"],
            paths["purelib"],
            paths["platlib"],
            os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))),
        }
        foreign |= {p for p in sys.path if os.path.basename(p) in ("site-packages", "dist-packages")}
        self._foreign = tuple(os.path.realpath(p) + os.sep for p in foreign if p)
        # A module run with -m may live where foreign code lives: it is the user's all the same.
        self._own = own
        self._files: dict[str, str] = {}  # by the name in a code: the user's file, or nothing
        self._codes: dict[int, tuple[CodeType, str | None]] = {}
        self._stacks: dict[tuple[int, ...], int] = {}

    def _file(self, code: CodeType) -> str | None:
        """The user's file that a code is of; empty for others', and None for what runs the script: no frame around that is the user's."""
        name = code.co_filename
        if name == _RUNS and code.co_name == "_run":
            return None
        if name not in self._files:
            path = "" if name.startswith("<") else os.path.realpath(name)
            mine = bool(self._own) and path.startswith(self._own)
            self._files[name] = path if mine or not path.startswith(self._foreign) else ""
        return self._files[name]

    def key(self) -> tuple[int, ...]:
        """The user's frames from the innermost outwards, as numbers that are cheap to compare."""
        found: list[int] = []
        codes = self._codes
        frame: FrameType | None = sys._getframe(2)
        while frame is not None:
            code = frame.f_code
            known = codes.get(id(code))
            if known is None:
                known = codes[id(code)] = (code, self._file(code))  # holding the code keeps its id from being used again
            if known[1]:
                found.append(id(code))
                found.append(frame.f_lasti)
            elif known[1] is None:
                break
            frame = frame.f_back
        return tuple(found)

    def owns(self, frame: FrameType) -> bool:
        """Whether a frame is the user's code itself, not code called by it."""
        code = frame.f_code
        known = self._codes.get(id(code))
        if known is None:
            known = self._codes[id(code)] = (code, self._file(code))
        return bool(known[1])

    def known(self, key: tuple[int, ...]) -> int | None:
        return self._stacks.get(key)

    def enter(self, key: tuple[int, ...]) -> tuple[int, list[tuple[str, int, str, int, int]]]:
        """A number for a stack seen for the first time, and its frames (the fields of `stream.Frame`), outermost first."""
        number = self._stacks[key] = len(self._stacks) + 1
        frames = []
        for code_id, instruction in zip(key[::2], key[1::2], strict=True):
            code, path = self._codes[code_id]
            frames.append((path or "", line_of(code, instruction), code.co_name, instruction, code.co_firstlineno))
        return number, frames[::-1]


def line_of(code: CodeType, instruction: int) -> int:
    """The line of an instruction (computed once per place: the table of lines is searched from its start)."""
    line = code.co_firstlineno
    for start, end, row in code.co_lines():
        if start <= instruction < end and row is not None:
            line = row
    return line


class Tape:
    """Writes the stream of one process; silent in processes forked from it."""

    def __init__(self, path: str, own: str = "") -> None:
        self._file = open(path, "w+b")  # noqa: SIM115 (it lives as long as the process)
        self._file.truncate(CHUNK)
        self._map = mmap.mmap(self._file.fileno(), CHUNK)
        self._position = 0
        self._lock = threading.RLock()  # a signal's handler may flush while its own thread does
        self._encode = json.JSONEncoder(separators=(",", ":"), default=str).encode
        self._pending: deque[Mapping[str, Any]] = deque()
        self._flushed = 0.0
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forked)
        self._began = time.perf_counter()
        self._objects: dict[int, tuple[weakref.ref[Any], int]] = {}
        self._object_count = 0
        self.forgetting: list[Callable[[int], object]] = []  # called with the number of an object that has ended
        self._samples: dict[tuple[str, int], int] = {}
        self.measuring = 0.0  # seconds spent in expensive measurements
        self.places = Places(own)
        self.local = Local(count())
        self.threads = Threads(self)
        self.pauses = Pauses(self)
        self.loops: list[tuple[weakref.ref[Any], list[int], int]] = []  # running loader iterators: (loader, pass, batch), and the thread
        self.trained: set[int] = set()  # the loaders in whose passes an optimizer stepped
        self.reached: list[int] = []  # the forwards that the running backward has come to
        self.scalers = False  # whether a loss has gone through one
        self.events = 0
        self.steps = 0
        self.failed: set[Channel] = set()
        self.closed = False

    def _forked(self) -> None:
        """A process forked from this one writes nothing."""
        self.closed = True

    def now(self) -> float:
        return time.perf_counter() - self._began

    @property
    def size(self) -> int:
        """The bytes of memory that the stream takes."""
        return self._position

    def silent(self) -> bool:
        return self.closed or self.local.busy > 0

    def off(self, channel: Channel) -> bool:
        """Whether the hooks of a channel are switched off."""
        return self.closed or self.local.busy > 0 or channel in self.failed

    def fail(self, channel: Channel, error: Exception) -> None:
        """Switches the hooks of a channel off, and notes why."""
        if channel in self.failed:
            return
        self.failed.add(channel)
        try:
            self.write({"record": "failed", "channel": channel, "error": f"{type(error).__name__}: {error}"[:500]})
        except Exception:  # noqa: BLE001 (a stream that cannot be written to any more ends here)
            self.closed = True

    def reading(self, channel: Channel) -> Reading:
        """A context for a measurement that calls torch: hooks ignore it, its time is counted, and its failure is the channel's."""
        return Reading(self, channel)

    def write(self, record: Mapping[str, Any]) -> None:
        """Takes one record. Records are encoded in batches: one by one, between the program's own work, takes several times as long."""
        if self.closed:
            return
        self._pending.append(record)
        if len(self._pending) >= 128 or self.now() - self._flushed > 0.2:
            self.flush()

    def flush(self) -> None:
        """Puts what is pending into the file, as one line."""
        if self.closed:
            return
        with self._lock:
            # One by one, which is atomic: another thread, or a signal's handler, may be writing or flushing.
            records, self._flushed = [], self.now()
            while self._pending:
                records.append(self._pending.popleft())
            line = self._encode(records).encode() + b"\n"
            start = self._position
            end = self._position = start + len(line)
            if end > len(self._map):
                if end > LARGEST:
                    self._position, self.closed = start, True
                    return
                size = max(end, len(self._map) * 2)
                self._file.truncate(size)
                self._map.resize(size)
            self._map[start:end] = line

    def close(self) -> None:
        """Cuts the file to what was written."""
        if self.closed:
            return
        self.flush()
        self.closed = True
        with self._lock:
            self._map.flush()
            self._map.close()
            self._file.truncate(self._position)
            self._file.close()

    def number(self, thing: Any) -> int:
        """The number of an object known to the stream, or 0."""
        known = self._objects.get(id(thing))
        return known[1] if known is not None and known[0]() is thing else 0

    def object(self, thing: Any, role: str, facts: Mapping[str, Any] | None = None) -> int:
        """The small stable number of an object; the first use writes a record of the object."""
        if known := self.number(thing):
            return known
        self._object_count += 1
        key, number = id(thing), self._object_count
        self._objects[key] = (weakref.ref(thing, lambda ref: self._gone(key, ref, number)), number)
        kind = type(thing)
        record = {
            "record": "object",
            "id": self._object_count,
            "role": role,
            "class": kind.__name__,
            "module": kind.__module__,
            **({"thread": self.local.thread} if self.local.thread else {}),
            **(facts or {}),
        }
        self.write(record)
        return self._object_count

    def _gone(self, key: int, ref: weakref.ref[Any], number: int) -> None:
        """Forgets an object that has ended; its identity may be another's already."""
        known = self._objects.get(key)
        if known is not None and known[0] is ref:
            del self._objects[key]
        for forget in self.forgetting:
            forget(number)

    def place(self) -> int:
        """The number of the user's current stack (0 where no user code is running)."""
        key = self.places.key()
        if not key:
            return 0
        number = self.places.known(key)
        if number is None:
            number, frames = self.places.enter(key)
            self.write({"record": "stack", "id": number, "frames": frames})
        return number

    def running_loops(self) -> list[list[int]]:
        """Which loader passes are being iterated, outermost first, and at which batch."""
        loops = self.loops
        if any(iterator() is None for iterator, *_ in loops):
            loops[:] = [entry for entry in loops if entry[0]() is not None]
        return [list(position) for _, position, _ in loops]

    def emit(self, kind: EventKind, number: int, facts: Mapping[str, Any], at: int | None = None) -> int:
        """Writes an event and returns its number in the stream; `at` is its place where that is known already."""
        self.events += 1
        place = self.place() if at is None else at
        record: dict[str, Any] = {
            "record": "event",
            "n": self.events,
            "kind": kind,
            "object": number,
            "at": place,
            "time": int(1e6 * self.now()) / 1e6,
        }
        if self.local.thread:
            record["thread"] = self.local.thread
        if self.loops:
            record["loops"] = self.running_loops()
        record.update(facts)
        self.write(record)
        self.pauses.note(record, facts)
        return self.events

    def take_reached(self) -> list[int]:
        """The forwards that backwards have come through since this was asked last."""
        reached, self.reached = sorted(set(self.reached)), []
        return reached

    def sample(self, what: str, number: int, dense: int = 6) -> bool:
        """Whether to take an expensive measurement now: always at first, then 2 ** (dense - 1) times per doubling of the count.

        The count decides, and not the time: what a run shows does not depend on how busy the machine is.
        """
        key = (what, number)
        count = self._samples.get(key, 0)
        self._samples[key] = count + 1
        sparse = count.bit_length() - dense
        return sparse <= 0 or not count & ((1 << sparse) - 1)


class Reading:
    """See `Tape.reading`."""

    __slots__ = ("_began", "_channel", "_dispatch", "_tape")

    def __init__(self, tape: Tape, channel: Channel) -> None:
        self._tape, self._channel, self._began = tape, channel, 0.0
        self._dispatch: Any = None

    def __enter__(self) -> None:
        self._tape.local.busy += 1
        if torch._C._len_torch_dispatch_stack():  # a mode of the script, which would count or change what is computed here
            self._dispatch = torch._C._DisableTorchDispatch()
            self._dispatch.__enter__()
        self._began = time.perf_counter()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> bool:
        self._tape.measuring += time.perf_counter() - self._began
        self._tape.local.busy -= 1
        if self._dispatch is not None:
            self._dispatch.__exit__(kind, error, trace)
        if not isinstance(error, Exception):
            return False
        self._tape.fail(self._channel, error)
        return True
