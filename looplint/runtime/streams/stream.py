"""The recorded stream as values: what the parent, the signals and the reports read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from looplint.flow.kinds import EventKind


@dataclass(frozen=True, slots=True)
class Frame:
    """A line of the user's code that was running."""

    file: str
    line: int
    function: str
    offset: int = 0  # of the instruction: distinguishes and orders the calls of one line
    first: int = 0  # the function's own first line: distinguishes functions of the same name


@dataclass(frozen=True, slots=True)
class Thing:
    """An object of the program: its number in the stream, its role and its class."""

    id: int
    role: str
    kind: str
    facts: dict[str, Any]

    @property
    def name(self) -> str:
        return f"{self.kind}#{self.id}"


class _Things(dict[int, Thing]):
    """The objects of a stream by their numbers; one of which the stream has no record has no facts."""

    def __missing__(self, number: int) -> Thing:
        return Thing(number, "", "object", {})


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened: to which object, where, in which iteration, and what was measured."""

    n: int
    kind: EventKind
    object: int
    stack: tuple[Frame, ...]
    time: float
    # Running data loaders, outermost first: (loader, its pass, its batch).
    batches: tuple[tuple[int, int, int], ...]
    # Loops of the source around the place, outermost first: (line of the loop, iteration). Filled by `looplint.runtime.streams.loops`.
    loops: tuple[tuple[str, int, int], ...]
    facts: dict[str, Any]

    @property
    def line(self) -> int:
        return self.stack[-1].line if self.stack else 0

    @property
    def file(self) -> str:
        return self.stack[-1].file if self.stack else ""


@dataclass(frozen=True, slots=True)
class Mark:
    """A record beside the events: a loader's pass, a sample of what is alive, a loss's input."""

    kind: str
    after: int  # the number of the last event before it
    stack: tuple[Frame, ...]
    facts: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Stream:
    """All that one run left behind."""

    start: dict[str, Any] = field(default_factory=dict)
    things: Mapping[int, Thing] = field(default_factory=_Things)
    events: tuple[Event, ...] = ()
    marks: tuple[Mark, ...] = ()
    end: dict[str, Any] = field(default_factory=dict)

    def of(self, *kinds: EventKind, where: Callable[[Event], bool] | None = None) -> list[Event]:
        return [e for e in self.events if e.kind in kinds and (where is None or where(e))]

    def marked(self, kind: str) -> list[Mark]:
        return [m for m in self.marks if m.kind == kind]

    def with_role(self, role: str) -> list[Thing]:
        return [thing for thing in self.things.values() if thing.role == role]

    @property
    def steps(self) -> int:
        """The optimizer steps of the run, also of the iterations that passed unmeasured."""
        return cast(int, self.end.get("steps", len(self.of("step"))))

    @property
    def backwards(self) -> int:
        """The backwards of the run, also of the iterations that passed unmeasured."""
        return len(self.of("backward")) + sum(int(mark.facts["backwards"]) for mark in self.marked("pause"))

    @property
    def passed_over(self) -> int:
        """How many threads trained that were not recorded, beside the one that was."""
        return len({mark.facts["number"] for mark in self.marked("thread")})

    @property
    def gpu(self) -> str:
        """The name of the GPU that the script used; empty where it used none."""
        return next((mark.facts["name"] for mark in self.marked("gpu")), "")

    @property
    def over(self) -> bool:
        """Whether the script came to its end, also by `sys.exit(main())`, and nothing was left out on the way."""
        if self.end.get("shortened") or self.passed_over:
            return False
        return self.outcome == "finished" or (self.outcome == "exit" and self.end.get("exit") == 0)

    @property
    def outcome(self) -> str:
        return cast(str, self.end.get("outcome", "cut"))


def renamed(stream: Stream, names: Mapping[str, str]) -> Stream:
    """The stream with other names for some of the files."""

    def stack(frames: tuple[Frame, ...]) -> tuple[Frame, ...]:
        return tuple(replace(f, file=names[f.file]) if f.file in names else f for f in frames)

    events = tuple(
        replace(e, stack=stack(e.stack), loops=tuple((names.get(file, file), line, i) for file, line, i in e.loops)) for e in stream.events
    )
    return replace(stream, events=events, marks=tuple(replace(m, stack=stack(m.stack)) for m in stream.marks))


_EVENT_OWN = frozenset({"record", "n", "kind", "object", "at", "time", "loops"})


def parse(lines: Iterable[str]) -> Stream:
    """Reads a stream; a last line that was cut in the writing is left out."""
    start: dict[str, Any] = {}
    end: dict[str, Any] = {}
    things = _Things()
    stacks: dict[int, tuple[Frame, ...]] = {0: ()}
    events: list[Event] = []
    marks: list[Mark] = []
    for record in _records(lines):
        match record["record"]:
            case "event":
                facts = {k: v for k, v in record.items() if k not in _EVENT_OWN}
                batches = tuple((a, b, c) for a, b, c in record.get("loops", ()))
                stack = stacks.get(record["at"], ())
                events.append(Event(record["n"], record["kind"], record["object"], stack, record["time"], batches, (), facts))
            case "stack":
                stacks[record["id"]] = tuple(Frame(*frame) for frame in record["frames"])
            case "object":
                facts = {k: v for k, v in record.items() if k not in ("record", "id", "role", "class", "module")}
                things[record["id"]] = Thing(record["id"], record["role"], record["class"], facts)
            case "start":
                start = record
            case "end":
                end = record
            case kind:
                facts = {k: v for k, v in record.items() if k not in ("record", "at")}
                marks.append(Mark(kind, events[-1].n if events else 0, stacks.get(record.get("at", 0), ()), facts))
    return _recorded(Stream(start, things, tuple(events), tuple(marks), end))


def _recorded(stream: Stream) -> Stream:
    """Without what is known of threads that were not recorded from their first backward on: what they would have done with it is not known."""
    others = {mark.facts["number"] for mark in stream.marked("thread")}
    if not others:
        return stream

    def kept(event: Event) -> bool:
        thread = event.facts.get("thread", 0)
        return thread not in others or (thread == 0 and event.kind != "forward")  # the first one may set up what the others train

    events = tuple(event for event in stream.events if kept(event))
    used = {event.object for event in events if event.kind in ("step", "clear", "schedule")}
    trained = {event.facts.get("thread", 0) for event in events if event.kind == "backward"} - {0}
    things = _Things(
        (number, thing)
        for number, thing in stream.things.items()
        if thing.role not in ("optimizer", "scheduler") or number in used or thing.facts.get("thread", 0) in trained
    )
    return replace(stream, things=things, events=events)


def _records(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    for line in lines:
        try:
            yield from json.loads(line)
        except json.JSONDecodeError:
            return


def read(path: Path) -> Stream:
    """Reads the file of a run; a killed process leaves zeros after what it wrote."""
    if not path.exists():
        return Stream()
    text = path.read_bytes().rstrip(b"\0").decode("utf-8", "replace")
    return parse(text.splitlines())
