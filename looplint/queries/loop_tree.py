"""The loop as looplint understood it, as a tree that can be drawn: functions, loops and conditions, the events in them, and findings in place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import libcst as cst

from looplint.dataclass import dataclass, field, replace
from looplint.domain.call_string import CallString
from looplint.finding import Finding
from looplint.flow.events import Accumulate, Backward, Event, Forward, Keep
from looplint.flow.events import Step as OptimizerStep
from looplint.flow.graph import Guard, Loop
from looplint.queries.coverage import training_loops
from looplint.queries.data_loops import over_data
from looplint.queries.loop_phrases import Phrase, Words
from looplint.queries.program import Program
from looplint.regex import regex
from looplint.syntax import ir
from looplint.syntax.positions import span
from looplint.syntax.project import ModuleInfo
from looplint.syntax.site import Site

BoxKind = Literal["root", "call", "loop", "branch"]
# A root with none of these has no loop to draw.
_TRAINING = frozenset({"backward", "step", "clear", "schedule"})
# A number of batches is no number of epochs.
_PER_EPOCH = regex(r"per_epoch|epoch_(?:size|length|steps)")


@dataclass(frozen=True, slots=True)
class Place:
    """A row of a file, in a notebook of a cell."""

    filename: str
    row: int
    cell: int | None = None

    @property
    def text(self) -> str:
        return str(self.row) if self.cell is None else f"{self.cell}:{self.row}"


@dataclass(frozen=True, slots=True)
class Step:
    """One event: where, what kind, the code ("" where the line above holds it too), the phrases on it, the findings at its line, and the condition
    that stands before it alone."""

    place: Place
    kind: str
    code: str
    phrases: tuple[Phrase, ...]
    findings: tuple[Finding, ...] = ()
    condition: str = ""


@dataclass(slots=True)
class Box:
    """Something that holds events: a program or a function nobody calls, a call that was followed, a loop, a condition."""

    kind: BoxKind
    title: str
    role: str
    place: Place | None
    findings: tuple[Finding, ...] = ()
    items: list[Box | Step] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class LoopView:
    """Everything there is to draw: one box for each root, what could not be put in place, and the loops that are not judged.

    `unjudged` has for each such loop of the file its place, and why; `complete` is whether the whole program was followed.
    """

    filename: str
    roots: tuple[Box, ...]
    elsewhere: tuple[Finding, ...]
    unjudged: tuple[tuple[str, str], ...]
    complete: bool

    @property
    def empty(self) -> str:
        """The text where there is nothing to draw."""
        if self.unjudged or not self.complete:
            return "Nothing can be drawn: no backward and no optimizer's step was reached."
        return "No training loop is seen here: nothing goes backward, and no optimizer steps."

    def loops(self) -> Iterator[Box]:
        """All loops, outer ones first."""
        work: list[Box | Step] = list(self.roots)
        while work:
            item = work.pop(0)
            if isinstance(item, Box):
                work[:0] = item.items
                if item.kind == "loop":
                    yield item


def view(program: Program, info: ModuleInfo, findings: Iterable[Finding]) -> LoopView:
    """Build the drawing of a program.

    Args:
        program: the events and their states.
        info: the file it began with.
        findings: what was found in it and in the files reached from it.
    """
    builder = _Builder(program, findings)
    roots = []
    for name, events in _roots(program):
        if any(e.kind in _TRAINING for e in events):
            roots.append(builder.root(name.rpartition("::")[2], info, events))
    return LoopView(info.filename, tuple(roots), tuple(builder.left), tuple(_unjudged(program, info)), program.complete)


def _unjudged(program: Program, info: ModuleInfo) -> Iterator[tuple[str, str]]:
    """The places of the loops that a file has and that are not judged, each with the reason or with the library that runs it."""
    for loop in training_loops(program, info, [info]):
        why = f"{loop.owner} runs this loop" if loop.owner else loop.reason
        if why:
            yield f"{info.filename}:{span(loop.site)[0].row}", why


def _roots(program: Program) -> list[tuple[str, list[Event]]]:
    found: dict[str, list[Event]] = {}
    for event in program.events:
        found.setdefault(event.root, []).append(event)
    return list(found.items())


_Scope = tuple[str, object, Site | None, Loop | Guard | None]


class _Builder:
    """Puts events into boxes in program order, and findings beside them, each once."""

    def __init__(self, program: Program, findings: Iterable[Finding]) -> None:
        self._program = program
        self._words = Words(program)
        self._lines: dict[str, list[str]] = {}
        self.left = list(findings)

    def root(self, name: str, info: ModuleInfo, events: Sequence[Event]) -> Box:
        root = Box("root", name or info.filename, "nobody calls it" if name else "", None)
        boxes: dict[tuple[object, ...], Box] = {(): root}
        steps: dict[tuple[object, ...], int] = {}
        for event in events:
            if _is_choice(event) or (isinstance(event, Keep | Accumulate) and not self._program.carries_graph(event.value)):
                continue
            phrases = self._words.at(event)
            if not phrases:
                continue
            box = root
            path: tuple[object, ...] = ()
            for scope in _scopes(event):
                path = (*path, scope[1])
                if path not in boxes:
                    boxes[path] = self._box(scope, event)
                    box.items.append(boxes[path])
                box = boxes[path]
            self._add(box, (*path, id(event.site.node), event.kind), event, phrases, steps)
        root = _settled(root)
        only = root.items[0] if len(root.items) == 1 else None
        if isinstance(only, Box) and only.kind == "call":
            return replace(only, kind="root", title=f"{root.title} · {only.title}", role=root.role)
        return root

    def _add(
        self, box: Box, key: tuple[object, ...], event: Event, phrases: tuple[Phrase, ...], steps: dict[tuple[object, ...], int]
    ) -> None:
        if key in steps:
            # The same line again, for another element of a list that was followed one by one.
            old = box.items[steps[key]]
            assert isinstance(old, Step)
            box.items[steps[key]] = replace(old, phrases=tuple(dict.fromkeys((*old.phrases, *phrases))))
            return
        place = self._place(event.site)
        before = box.items[-1] if box.items else None
        same = isinstance(before, Step) and before.place == place
        steps[key] = len(box.items)
        kind = "gradient" if _by_hand(event) else event.kind
        box.items.append(Step(place, kind, "" if same else self._line(event.site), phrases, self._findings(place)))

    def _box(self, scope: _Scope, event: Event) -> Box:
        _, _, site, what = scope
        if isinstance(what, Guard):
            return Box("branch", _condition(what, site.module if site else event.site.module), "", None)
        assert site is not None
        place = self._place(site)
        if isinstance(what, Loop):
            return Box("loop", self._title(site), self._role(what), place, self._findings(place))
        return Box("call", _called(site), "", place, self._findings(place))

    def _role(self, loop: Loop) -> str:
        """What people call a loop, by what happens in it and what it goes over."""
        program = self._program
        stepped = any(loop in e.loops for e in program.of(OptimizerStep))
        if stepped or any(loop in e.loops and not _by_hand(e) for e in program.of(Backward)):
            # A loader of an epoch's batches has its name, too.
            counted = loop.targets if over_data(loop) else (_PER_EPOCH.sub("", self._title(loop.site)),)
            if any("epoch" in text.lower() for text in counted):
                return "epoch loop"
            if not stepped and any(outer in e.loops for outer in _around(loop) for e in program.of(OptimizerStep)):
                return "accumulation loop"
            inner = any(loop in e.loops[:-1] for e in program.of(OptimizerStep))
            return "training loop" if not over_data(loop) else "loop" if inner else "batch loop"
        if over_data(loop) and any(loop in e.loops for e in program.of(Forward)):
            return "evaluation loop"
        return "loop"

    def _place(self, site: Site) -> Place:
        start, _ = span(site)
        cell, place = site.module.source.place(start)
        return Place(site.module.filename, place.row, cell)

    def _title(self, site: Site) -> str:
        """The line of a loop; one that a framework runs over the hooks of a class has none."""
        match site.node:
            case cst.FunctionDef():
                return "epochs, which the framework runs"
            case cst.ClassDef():
                return "batches, which the framework gives"
        return self._line(site).removesuffix(":")

    def _line(self, site: Site) -> str:
        """The source line of a node, without its comment where that is easy to find."""
        if isinstance(site.node, cst.FunctionDef):
            return f"after {site.node.name.value}(), by the framework"
        name = site.module.filename
        if name not in self._lines:
            self._lines[name] = site.module.source.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        row = span(site)[0].row
        line = self._lines[name][row - 1].strip() if row <= len(self._lines[name]) else ""
        code, _, comment = line.rpartition("  #")
        return code.rstrip() if comment and code and "'" not in comment and '"' not in comment else line

    def _findings(self, place: Place) -> tuple[Finding, ...]:
        found = [f for f in self.left if (f.filename, f.location.row, f.cell) == (place.filename, place.row, place.cell)]
        self.left = [f for f in self.left if f not in found]
        return tuple(found)


def _is_choice(event: Event) -> bool:
    """Whether an object only comes out of a condition here, whose branches built it."""
    return event.kind == "construct" and isinstance(event.site.node, cst.BaseCompoundStatement | cst.MatchCase | cst.IfExp)


def _by_hand(event: Event) -> bool:
    """Whether a gradient is set or changed without a backward pass."""
    return isinstance(event, Backward) and event.manual


def _around(loop: Loop) -> Iterator[Loop]:
    outer = loop.parent
    while outer is not None:
        yield outer
        outer = outer.parent


def _scopes(event: Event) -> Iterator[_Scope]:
    """What an event is in, from the outside in: the loops and conditions of each function, then the call into the next one."""
    levels: dict[CallString, int] = {}
    level = 0
    for context in reversed([*event.key[0].outward()]):
        if level < len(event.calls) and context.site[:1] == (id(event.calls[level].node),):
            level += 1
        levels[context] = level
    for here in range(len(event.calls) + 1):
        guards = [g for g in event.guards if _level(g.frame, levels) == here]
        for depth, loop in enumerate(event.loops):
            if _level(loop.frame, levels) == here:
                yield from (_guarded(g, event, here) for g in guards if g.depth <= depth)
                guards = [g for g in guards if g.depth > depth]
                yield "loop", id(loop.site.node), loop.site, loop
        yield from (_guarded(g, event, here) for g in guards)
        if here < len(event.calls):
            call = event.calls[here]
            yield "call", id(call.node), call, None


def _level(frame: CallString, levels: dict[CallString, int]) -> int:
    """How many calls stand around a frame on the way to an event; one that has been left (a context manager's) counts where it was called."""
    return next((levels[context] for context in frame.outward() if context in levels), 0)


def _guarded(guard: Guard, event: Event, level: int) -> _Scope:
    site = event.chain[level]
    return "branch", (id(guard.test), guard.held), site, guard


def _condition(guard: Guard, module: ModuleInfo) -> str:
    # Which of several functions a name stands for is asked in no words of the program.
    implied = isinstance(guard.test, ir.Compare) and not isinstance(guard.test.node, cst.Comparison)
    return f"{'if' if guard.held else 'unless'} {ir.render(guard.test) if implied else _code(Site(module, guard.test.node))}"


def _called(site: Site) -> str:
    """The text of a call; of a property, which is called by its name alone, that name."""
    return site.node.name.value if isinstance(site.node, cst.FunctionDef) else _code(site)


def _code(site: Site) -> str:
    """The text of a node on one line."""
    code = site.module.code
    assert code is not None
    return " ".join(code.tree.code_for_node(site.node).split()) if isinstance(site.node, cst.CSTNode) else ""


def _settled(box: Box, seen: set[object] | None = None) -> Box:
    """Conditions within conditions become one, a condition before a single step is written beside it, and what was drawn before is named only."""
    seen = set() if seen is None else seen
    items: list[Box | Step] = []
    for item in box.items:
        if isinstance(item, Box):
            drawn = _drawn(item)
            if item.kind == "call" and drawn in seen:
                items.append(replace(item, role="as above", items=[]))
                continue
            seen.add(drawn)
            item = _settled(item, seen)
            only = item.items[0] if item.kind == "branch" and len(item.items) == 1 else None
            if isinstance(only, Box) and only.kind == "branch":
                item = replace(item, title=_both(item.title, only.title), items=only.items)
            elif isinstance(only, Step):
                items.append(replace(only, condition=_both(item.title, only.condition)))
                continue
        items.append(item)
    return replace(box, items=items)


def _drawn(item: Box | Step) -> object:
    """What a part looks like, apart from what leads to it: two calls of one function that find the same state look the same.

    The places of the calls in it belong to it: other functions may lead to the same events.
    """
    if isinstance(item, Step):
        return item.place, item.kind, item.phrases
    inside = tuple((i.place, _drawn(i)) if isinstance(i, Box) else _drawn(i) for i in item.items)
    return inside if item.kind == "call" else (item.title, inside)


def _both(outer: str, inner: str) -> str:
    if not inner:
        return outer
    if outer.startswith("if ") and inner.startswith("if "):
        return f"if {_operand(outer[3:])} and {_operand(inner[3:])}"
    return f"{outer}, {inner}"


def _operand(condition: str) -> str:
    """A condition as a part of `and`."""
    try:
        looser = isinstance(cst.parse_expression(condition), cst.IfExp | cst.Lambda | cst.NamedExpr) or " or " in condition
    except cst.ParserSyntaxError:
        looser = True
    return f"({condition})" if looser else condition
