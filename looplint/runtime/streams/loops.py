"""Which iteration of which loop each event belongs to, derived from the order in which places were passed.

Loops are not traced while the script runs: that would cost more than all the hooks. Between two events the program went around a loop
when it came back to a line at or before the one it was at. Entering a DataLoader's iterator counts as a place too. Where two nested loops have
no event of their own between inner passes, their iterations cannot be told apart and count as the inner loop's.
"""

from __future__ import annotations

import ast
import os
from dataclasses import dataclass, replace
from functools import lru_cache

from looplint.runtime.streams.stream import Event, Frame, Stream


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop of the source: its own line, and the lines of its body."""

    line: int
    first: int
    last: int


def loops_of(path: str) -> tuple[Loop, ...]:
    """The loops of a file, outermost first."""
    return _read(path)[0]


@lru_cache(maxsize=256)
def _read(path: str) -> tuple[tuple[Loop, ...], tuple[tuple[int, int], ...]]:
    """The loops of a file and the lines of its functions; none where it cannot be read as Python."""
    if not os.path.exists(path):
        return (), ()
    with open(path, "rb") as stream:
        source = stream.read()
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return (), ()
    nodes = list(ast.walk(tree))
    loops = [
        Loop(node.lineno, node.body[0].lineno, node.body[-1].end_lineno or node.body[-1].lineno)
        for node in nodes
        if isinstance(node, (ast.For, ast.While, ast.AsyncFor))
    ]
    functions = [(n.lineno, n.end_lineno or n.lineno) for n in nodes if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))]
    return tuple(sorted(loops, key=lambda loop: (loop.first, -loop.last))), tuple(functions)


@lru_cache(maxsize=65_536)
def around(frame: Frame) -> tuple[Loop, ...]:
    """The loops around a line in its function, outermost first."""
    start, end = _function_lines(frame.file, frame.line)
    return tuple(loop for loop in loops_of(frame.file) if loop.first <= frame.line <= loop.last and start <= loop.line <= end)


@lru_cache(maxsize=65_536)
def _function_lines(path: str, line: int) -> tuple[int, int]:
    """The lines of the innermost function around a line (of the whole file outside of functions)."""
    spans = [span for span in _read(path)[1] if span[0] <= line <= span[1]]
    return max(spans, default=(0, 1 << 30))


@dataclass(slots=True)
class _Running:
    """A loop being gone through: in which frame of the stack, and its iteration."""

    depth: int
    file: str
    loop: Loop
    iteration: int


class _Counter:
    """Follows the places in their order, and counts the iterations of the loops around each."""

    def __init__(self) -> None:
        self.previous: tuple[Frame, ...] = ()
        self.running: list[_Running] = []

    def visit(self, stack: tuple[Frame, ...]) -> tuple[tuple[str, int, int], ...]:
        turned = self._turned(stack)
        shared = _common(self.previous, stack)
        kept: list[_Running] = []
        fresh = False  # inside a loop that has just begun another iteration, or in a function called again
        wanted = [(depth, frame.file, loop) for depth, frame in enumerate(stack) for loop in around(frame)]
        for position, (depth, file, loop) in enumerate(wanted):
            old = self.running[position] if position < len(self.running) else None
            if fresh or old is None or (old.depth, old.file, old.loop) != (depth, file, loop) or (depth > shared and turned is None):
                kept.append(_Running(depth, file, loop, 0))
                fresh = True
            elif turned == (depth, loop):
                kept.append(_Running(depth, file, loop, old.iteration + 1))
                fresh = True
            else:
                kept.append(old)
        self.running, self.previous = kept, stack
        return tuple((r.file, r.loop.line, r.iteration) for r in kept)

    def _turned(self, stack: tuple[Frame, ...]) -> tuple[int, Loop] | None:
        """The loop that began its next iteration between the previous place and this one, with the depth of its frame."""
        previous, depth = self.previous, _common(self.previous, stack)
        if depth < min(len(stack), len(previous)):
            old, new = previous[depth], stack[depth]
            if (old.file, old.first) != (new.file, new.first) or new.offset > old.offset:
                return None  # it simply went on
            both = [loop for loop in around(new) if loop in around(old)]
            if both:
                return depth, both[-1]
        elif len(stack) != len(previous) or not previous:
            return None  # into a call, or back out of it
        # The same place again, or a function entered again by the same call: the innermost loop around that, here or in a caller.
        for level in range(min(depth, len(stack)) - 1, -1, -1):
            enclosing = around(stack[level])
            if enclosing:
                return level, enclosing[-1]
        return None


def _common(old: tuple[Frame, ...], new: tuple[Frame, ...]) -> int:
    """How many outer frames are at the same place."""
    count = 0
    for a, b in zip(old, new, strict=False):
        if a != b:
            break
        count += 1
    return count


def annotate(stream: Stream) -> Stream:
    """The stream with the loops of each event filled in."""
    counter = _Counter()
    passes = sorted((m for m in stream.marks if m.kind == "pass"), key=lambda m: m.after)
    events: list[Event] = []
    waiting = 0
    for event in stream.events:
        while waiting < len(passes) and passes[waiting].after < event.n:
            counter.visit(passes[waiting].stack)
            waiting += 1
        events.append(replace(event, loops=counter.visit(event.stack)))
    return replace(stream, events=tuple(events))
