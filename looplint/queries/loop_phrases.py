"""What each event of a loop does, and how it leaves gradients, modes and learning rates, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from looplint.dataclass import dataclass
from looplint.domain.objects import Engine, Module, Obj, Optimizer, Scaler, Scheduler, TorchModule
from looplint.domain.values import refs
from looplint.flow.automaton import UNSEEN, Automaton, Touch, Visit, run
from looplint.flow.events import (
    Accumulate,
    Backward,
    Clear,
    Clip,
    Construct,
    Escape,
    Eval,
    Event,
    Exhaust,
    Forward,
    Keep,
    MakeIterator,
    Replace,
    Schedule,
    SetMode,
    Step,
    Switch,
    Thaw,
    Train,
    Unscale,
)
from looplint.flow.graph import Loop
from looplint.queries.modes import MODE
from looplint.queries.program import Program

Tone = Literal["plain", "good", "warn", "unknown"]

# The gradients of one optimizer, as finely as a reader wants to follow them.
GRADIENTS = Automaton(
    start="none",
    arrows={
        ("*", "clear"): "none",
        ("none", "backward"): "batch",
        ("batch", "iterate"): "earlier",
        ("earlier", "backward"): "sum",
        ("sum", "iterate"): "earlier",
        ("used", "backward"): "mixed",
        ("none", "step"): "none",
        ("*", "step"): "used",
    },
    reads=frozenset({"clip", "unscale"}),
)
_GRADIENTS: dict[str, tuple[str, Tone]] = {
    "none": ("no gradients", "plain"),
    "batch": ("this batch's gradients", "good"),
    "earlier": ("earlier batches' gradients", "plain"),
    "sum": ("gradients of several batches", "good"),
    "used": ("used gradients", "plain"),
    "mixed": ("this batch's gradients on top of used ones", "warn"),
    UNSEEN: ("unknown gradients", "unknown"),
}
_MODES: dict[str, tuple[str, Tone]] = {
    "train": ("train mode", "plain"),
    "eval": ("eval mode", "plain"),
    UNSEEN: ("mode not known", "unknown"),
}


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase about one object at one event: the object's name ("" where it is clear), the words, and their tone."""

    name: str
    words: str
    tone: Tone = "plain"

    def __str__(self) -> str:
        return f"{self.name}: {self.words}" if self.name else self.words


class Words:
    """The phrases at each event of a program."""

    def __init__(self, program: Program) -> None:
        self._program = program
        # One call on a variable that holds one of several objects is an event for each of them.
        self._subjects: dict[object, set[Obj]] = {}
        for event in program.events:
            self._subjects.setdefault(event.key, set()).update(event.subjects)
        # What is frozen at one place and not, or in part, at another.
        self._thawed = {obj for event in program.of(Thaw) for part in event.subjects for obj in part.lineage()}
        self._gradients = self._visits(GRADIENTS, [o for o in program.optimizers if isinstance(o, Optimizer)])
        self._modes = self._visits(MODE, program.modules)

    def _visits(self, automaton: Automaton, objects: Sequence[Obj]) -> dict[int, list[tuple[Obj, Visit]]]:
        """The states in which each event finds the objects; objects that stand for one variable are followed as one."""
        events = [e for e in self._program.events if e.kind in automaton.kinds]
        found: dict[int, list[tuple[Obj, Visit]]] = {}
        for group in _alternatives(objects, self._subjects.values()):
            relevant = {e.index: touched for e in events if (touched := self._touched(e, group))}
            for visit in run(self._program.slices, automaton, relevant):
                found.setdefault(visit.event.index, []).append((group[0], visit))
        return found

    def _touched(self, event: Event, group: Sequence[Obj]) -> Touch | None:
        touched = {self._program.touches(event, obj) for obj in group}
        if event.kind == "construct" and any(outer in event.subjects for obj in group for outer in obj.lineage()):
            return "must"
        if "must" in touched or ("may" in touched and len(group) > 1 and self._subjects[event.key] <= set(group)):
            return "must"
        return "may" if "may" in touched else None

    def at(self, event: Event) -> tuple[Phrase, ...]:
        """The phrases at an event, one for each object it changes."""
        match event:
            case Clear() | Backward() | Step():
                found = list(self._after(event)) or list(_plainly(event))
            case Clip() | Unscale():
                found = list(self._limited(event))
            case Forward():
                found = list(self._forward(event))
            case Train() | Eval():
                found = [Phrase(_name(o), _MODES[event.kind][0]) for o in _sorted(event.subjects)]
            case SetMode(callee=callee):
                found = [Phrase(_names(event.subjects), f"{callee} sets a mode that is not known", "unknown")]
            case Construct():
                found = [phrase for o in _sorted(event.subjects) for phrase in self._construct(o)]
            case Schedule():
                found = [self._schedule(event, o) for o in _sorted(event.subjects)]
            case Escape():
                found = list(_escaped(event))
            case MakeIterator() | Exhaust():
                found = []
            case Switch():
                found = [Phrase(_names(event.subjects), "set")]
            case Keep(into=into):
                found = [Phrase(_names(event.subjects), f"graph kept in {into.name or 'what outlives the iteration'}", "warn")]
            case Accumulate(target=target):
                found = [Phrase(_names(event.subjects), f"graph added to {target or 'what outlives the iteration'}", "warn")]
            case _:
                found = list(_plainly(event))
        subjects = self._subjects[event.key]
        if not event.certain and event.kind != "forward" and (len(subjects) == 1 or len({_name(o) for o in subjects}) > 1):
            found = [Phrase(s.name, f"perhaps {s.words}", s.tone) for s in found]
        return tuple(dict.fromkeys(found))

    def _after(self, event: Event) -> Iterator[Phrase]:
        for obj, visit in self._gradients.get(event.index, ()):
            steady, first = _states(visit, event, GRADIENTS)
            if event.kind != "step":
                yield _joined(_name(obj), steady, first, _GRADIENTS)
            elif set(steady) == {"none"}:
                yield Phrase(_name(obj), "no gradients, nothing changes", "warn")
            else:
                using = _joined(_name(obj), _before(visit, event), (), _GRADIENTS)
                yield Phrase(using.name, f"updates with {using.words}", using.tone)

    def _limited(self, event: Event) -> Iterator[Phrase]:
        verb = "limits" if event.kind == "clip" else "unscales"
        seen = False
        for obj, visit in self._gradients.get(event.index, ()):
            states = _before(visit, event)
            phrase = _joined(_name(obj), states, (), _GRADIENTS)
            seen = True
            yield Phrase(phrase.name, f"{verb} {phrase.words}", "warn" if {"none", "used"} >= set(states) else phrase.tone)
        if not seen:
            yield Phrase(_names(event.subjects), f"{verb} gradients")

    def _forward(self, event: Forward) -> Iterator[Phrase]:
        graph = {True: "graph recorded", False: "no graph", None: "with or without a graph"}[event.grad]
        if event.frozen and event.grad is not False and not self._thawed & event.subjects:
            graph = "frozen, a graph only of inputs that have one"
        shown = {_name(o) for o, _ in self._modes.get(event.index, ())}
        for obj, visit in self._modes.get(event.index, ()):
            phrase = _joined(_name(obj), _before(visit, event), (), _MODES)
            yield Phrase(phrase.name, f"{phrase.words}, {graph}", phrase.tone)
        for obj in _sorted(event.subjects):
            if _name(obj) not in shown:
                yield Phrase(_name(obj), graph)

    def _construct(self, obj: Obj) -> Iterator[Phrase]:
        match obj:
            case Optimizer():
                holds = _names(obj.holds)
                yield Phrase(
                    _name(obj) if obj.name else "",
                    f"updates {holds}" if holds else "updates parameters that are not known",
                    "plain" if holds else "unknown",
                )
            case Scheduler():
                unit = {"steps": "batches", "epochs": "epochs", "validations": "validations"}.get(obj.unit or "")
                of = _of_optimizer(obj)
                yield Phrase(_name(obj), f"sets the learning rate{of}{f', counted in {unit}' if unit else ''}")
            case Module():
                # The layers of a network that is built in one expression have no names, and nothing happens to them by themselves.
                if obj.name or obj.cls is not None:
                    yield Phrase(_name(obj), "train mode")
            case _:
                yield Phrase(_name(obj), f"{'an' if obj.kind[0] in 'aeiou' else 'a'} {obj.kind}")

    def _schedule(self, event: Event, obj: Obj) -> Phrase:
        of = _of_optimizer(obj)
        unit = obj.unit if isinstance(obj, Scheduler) else None
        often = self._often(event)
        expected = {"steps": ("every batch", "every step"), "epochs": ("every epoch",), "validations": ("every epoch",)}.get(
            unit or "", (often,)
        )
        return Phrase(_name(obj), f"next learning rate{of}, {often}", "plain" if often in expected else "warn")

    def _often(self, event: Event) -> str:
        if not event.loops:
            return "once"
        if event.loops[-1] in self._program.batch_loops:
            return "every batch"
        return "every step" if any(e.loops and e.loops[-1] is event.loops[-1] for e in self._program.of(Step)) else "every epoch"


def _alternatives(objects: Sequence[Obj], subjects: Iterable[set[Obj]]) -> list[list[Obj]]:
    """Objects of which a variable holds one or the other: those that have one name and that some call can be made on either of."""
    groups: list[set[Obj]] = []
    for found_together in subjects:
        together = {o for o in found_together if o in objects}
        if len(together) > 1 and len({_name(o) for o in together}) == 1:
            touching = [g for g in groups if g & together]
            groups = [g for g in groups if not g & together] + [together.union(*touching)]
    seen: set[Obj] = set()
    found = []
    for obj in objects:
        if obj not in seen:
            group = next((g for g in groups if obj in g), {obj})
            seen |= group
            found.append([o for o in objects if o in group])
    return found


def _before(visit: Visit, event: Event) -> tuple[str, ...]:
    states = visit.steady(_turning(event)) or visit.states
    return tuple(dict.fromkeys(s.state for s in states))


def _states(visit: Visit, event: Event, automaton: Automaton) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The states after an event: from the second turn of its loop on, and what else the first turn can give."""
    steady = tuple(dict.fromkeys(automaton.next(s, event.kind) for s in _before(visit, event)))
    every = dict.fromkeys(automaton.next(s.state, event.kind) for s in visit.states)
    if not visit.certain:
        steady = tuple(dict.fromkeys((*steady, *_before(visit, event))))
    return steady, tuple(s for s in every if s not in steady) if visit.certain else ()


def _turning(event: Event) -> Loop | None:
    return event.loops[-1] if event.loops else None


def _joined(name: str, states: Iterable[str], first: Iterable[str], words: dict[str, tuple[str, Tone]]) -> Phrase:
    known = sorted(states, key=list(words).index)
    if len(known) > 1:
        # Paths on which the object does not exist yet say nothing of it.
        known = [s for s in known if s != UNSEEN]
    tones = {words[s][1] for s in known}
    tone: Tone = next((t for t in ("warn", "unknown", "good") if t in tones), "plain")
    text = " or ".join(words[s][0] for s in known)
    other = " or ".join(words[s][0] for s in first)
    return Phrase(name, f"{text} (first time: {other})" if other else text, tone)


def _escaped(event: Escape) -> Iterator[Phrase]:
    """Phrases on objects that reach code which is not followed; none on those without a state in the drawing."""
    names = _names(o for o in event.subjects if isinstance(o, Optimizer | Scheduler | Scaler | Engine | TorchModule))
    where = event.callee or "code that cannot be followed"
    if names and event.output:
        yield Phrase(names, f"output handed to {where}", "unknown")
    elif names:
        yield Phrase(names, f"handed to {where}, which is not followed", "unknown")


def _plainly(event: Event) -> Iterator[Phrase]:
    words = {
        "clear": "no gradients", "backward": "gradients of this batch", "step": "parameters updated", "update": "loss scale adjusted",
        "move": "moved", "copy": "copied, with whatever its original holds", "replace": _replacement(event), "save": "saved", "load": "loaded", "freeze": "parameters frozen", "thaw": "parameters trained",
    }.get(event.kind, event.kind)  # fmt: skip
    yield Phrase(_names(event.subjects), words)


def _replacement(event: Event) -> str:
    attr = event.attr if isinstance(event, Replace) else ""
    return f"a part of it is replaced ({attr})" if attr else "a part is added to it"


def _of_optimizer(scheduler: Obj) -> str:
    names = _names(refs(scheduler.optimizer, Optimizer)) if isinstance(scheduler, Scheduler) else ""
    return f" of {names}" if names else ""


def _sorted(objects: Iterable[Obj]) -> list[Obj]:
    return sorted(objects, key=lambda o: (_name(o), o.kind))


def _names(objects: Iterable[Obj]) -> str:
    return ", ".join(dict.fromkeys(_name(o) for o in _sorted(objects)))


def _name(obj: Obj) -> str:
    held = _names(obj.holds) if isinstance(obj, Optimizer) else ""
    return obj.name or (obj.cls.cls.name if obj.cls else f"the {obj.kind}{f' of {held}' if held else ''}")
