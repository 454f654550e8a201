"""Which turns of a loop something happens in, as far as the conditions on its way tell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import libcst as cst

from looplint.dataclass import replace
from looplint.domain.call_string import CallString
from looplint.domain.objects import Scheduler
from looplint.flow.events import Event
from looplint.flow.graph import EventGraph, Guard, Loop
from looplint.interpreter.settled import rebound_in
from looplint.queries.program import Program
from looplint.queries.relations import rule_each_other_out
from looplint.regex import regex
from looplint.syntax.ir import (
    MIRRORED,
    NEGATED,
    Attr,
    Binary,
    BoolOp,
    Call,
    Compare,
    Const,
    Expr,
    For,
    Name,
    Unary,
    While,
    paths_in,
    render,
    walk,
)
from looplint.syntax.site import Site

_END = regex(r"(?i)last|final|done|finish|stop|end|complete|exhaust|converge")
# What a number is called from which on something is done, turn after turn.
_BEGINNING = regex(r"(?i)(?:^|[._\d])(?:start|begin|warm|burn|first|from|after|min)")


def bounds_of(loop: Loop) -> frozenset[str]:
    """The texts of what decides how far a loop goes: the arguments of its `range`, what its condition compares."""
    match loop.stmt:
        case For(iter=iterated):
            calls = [c for c in walk(iterated) if isinstance(c, Call) and isinstance(c.func, Name) and c.func.id in ("range", "trange")]
            return frozenset(render(arg.value) for call in calls for arg in call.args)
        case While(test=test):
            compared = [c for c in walk(test) if isinstance(c, Compare)]
            return frozenset(render(operand) for each in compared for operand in (each.left, *each.rights))
    return frozenset()


def reaches_the_end_of(scheduler: Scheduler, loop: Loop) -> bool:
    """Whether a loop has as many turns as a schedule has steps: by the same text, or by the numbers in the text and the defaults of options."""
    if scheduler.counts_to and scheduler.counts_to in bounds_of(loop):
        return True
    return scheduler.usual_end is not None and loop.usual is not None and scheduler.usual_end <= loop.usual


def may_go_on(program: Program, event: Event, loop: Loop) -> bool:
    """Whether a turn in which an event happens may have another one after it: no condition on the way may hold on the last turn alone."""
    said = (part for guard in event.guards if guard.depth >= loop.depth for part in said_by(guard))
    return not any(_ends(part.test, part.held, loop) for part in said if program.varies(part, loop))


def said_by(guard: Guard) -> Iterator[Guard]:
    """The conditions that a condition is made of, where each of them holds: one may be the same in all turns, `rank == 0`, and another one not."""
    match guard.test, guard.meaning:
        case Unary(op="not", operand=test), Unary(op="not", operand=meaning):
            yield from said_by(replace(guard, test=test, meaning=meaning, held=not guard.held))
        case BoolOp(op=op), BoolOp(op=said) if op == said and guard.held == (op == "and"):
            for test, meaning in ((guard.test.left, guard.meaning.left), (guard.test.right, guard.meaning.right)):
                yield from said_by(replace(guard, test=test, meaning=meaning, names=frozenset(paths_in(test))))
        case _:
            yield guard


def turns_after(program: Program, event: Event, loops: Sequence[Loop]) -> tuple[Loop, ...]:
    """Those of some loops around an event that may turn once more after it: no way on leaves each of them, by a `break` or a `return`."""
    return tuple(loop for loop in loops if _turns_after(program.graph, event, loop))


def in_one_turn(program: Program, events: Sequence[Event], loop: Loop) -> bool:
    """Whether events may follow each other, in their order, in one turn of a loop."""
    return all(second.index in _rest_of_turn(program.graph, first, loop)[0] for first, second in zip(events, events[1:]))


def _turns_after(graph: EventGraph, event: Event, loop: Loop) -> bool:
    return _rest_of_turn(graph, event, loop)[1]


def _rest_of_turn(graph: EventGraph, event: Event, loop: Loop) -> tuple[set[int], bool]:
    """The nodes that may come after an event in the same turn of a loop, by their indices, and whether another turn may follow."""
    work, after, turns = [event.index], set[int](), False
    while work:
        for edge in graph.nodes[work.pop()].succ:
            node = graph.nodes[edge.target]
            if edge.back and node.loop is loop:
                turns = True
            elif edge.target not in after and loop in node.loops:
                after.add(edge.target)
                work.append(edge.target)
    return after, turns


def ruled_out_by_settings(program: Program, event: Event, other: Event) -> bool:
    """Whether a setting decides that only one of two events happens in a run: its outcome is the same in every turn of each loop around the first.

    What is divided with a remainder counts turns, whoever counts it: `trainer.steps % every == 0`.
    """
    rebound = rebound_in(event.site.module)
    settings = [
        guard
        for guard in event.guards
        if not any(isinstance(e, Call) or (isinstance(e, Binary) and e.op == "%") for e in walk(guard.meaning, guard.test))
        and not any(program.varies(guard, loop) for loop in event.loops)
        and (rebound is not None and rebound.isdisjoint(_attributes(guard.test)))
    ]
    return rule_each_other_out(settings, other.guards)


def _attributes(test: Expr) -> set[str]:
    return {e.attr for e in walk(test) if isinstance(e, Attr)}


def counter_given(event: Event) -> str | None:
    """The counter of a loop around a call, where the call is given that and nothing else: `scheduler.step(epoch)`."""
    node = event.site.node
    match node:
        case cst.Call(args=[cst.Arg(value=cst.Name(value=name), keyword=None | cst.Name(value="metrics"))]):
            counts = [loop for loop in event.loops if name in loop.targets and loop.counting]
            return name if counts else None
    return None


def is_within(event: Event, guard: Guard) -> bool:
    """Whether an event happens in the call in which a condition is tested, or in calls from there."""
    return guard.frame in event.key[0].outward()


def _ends(test: Expr, held: bool, loop: Loop) -> bool:
    """Whether a condition may hold on the last turn alone: one number is reached, or a name says so."""
    match test:
        case Unary(op="not", operand=inner):
            return _ends(inner, not held, loop)
        case BoolOp(op=op, left=left, right=right):
            sides = (_ends(left, held, loop), _ends(right, held, loop))
            return any(sides) if held == (op == "and") else all(sides)
        case Compare(left=left, ops=[op], rights=[right]):
            return _reached(left, op, right, held, loop)
        case Name() | Attr() | Call():
            return held and bool(_END.search(" ".join(paths_in(test.func if isinstance(test, Call) else test))))
    return False


def _reached(left: Expr, op: str, right: Expr, held: bool, loop: Loop) -> bool:
    """Whether a comparison may hold on the last turn alone: `epoch == epochs - 1`, `step >= max_steps`; not `epoch % k == 0` or `epoch >= eval_start`."""
    if any(isinstance(side, Binary) and side.op == "%" for side in (left, right)):
        return False
    if op in ("==", "!="):
        return held == (op == "==") and not any(isinstance(side, Const) and isinstance(side.value, str | bool) for side in (left, right))
    if op not in MIRRORED or any(isinstance(side, Const) for side in (left, right)):
        return False
    if not held:
        op = NEGATED[op]
    counted = loop.assigned | loop.targets
    if not (paths_in(left) | paths_in(right)) & counted:
        return True  # something that is counted elsewhere
    if not paths_in(left) & counted:
        left, right, op = right, left, MIRRORED[op]
    if op not in (">", ">=") or not paths_in(left) & counted or paths_in(right) & counted:
        return False
    bound = " ".join(paths_in(right))
    return not _BEGINNING.search(bound) or bool(_END.search(bound))


def shares_a_call(event: Event, others: Iterable[Event]) -> bool:
    """Whether one of some events happens in the same call as an event: the one that the innermost loop around it makes, or that no loop makes."""
    call = _call_in_the_loop(event)
    return bool(call) and any(other.root == event.root and other.calls[: len(call)] == call for other in others)


def depth_apart(event: Event, others: Iterable[Event], depth: int) -> int:
    """How many calls lead to the innermost place, of at most a depth and in the loop around an event, that is on the way to none of the others.

    That is where what is wrong for this event alone is put right: what lies behind it serves the others too. The given depth where all places do.
    """
    shared = {site for other in others for site in other.chain}
    outermost = len(_call_in_the_loop(event)) - 1 if _call_in_the_loop(event) else len(event.calls)
    own = (n for n in range(depth, (outermost if event.loops else 0) - 1, -1) if event.chain[n] not in shared)
    return next(own, depth)


def _call_in_the_loop(event: Event) -> tuple[Site, ...]:
    """The calls that lead to the one which the innermost loop around an event makes, that one included; empty where the event stands in the loop itself."""
    frame = event.key[0]
    if not event.loops or not isinstance(frame, CallString):
        return event.calls[:1]
    contexts = [*frame.outward()]
    around = contexts.index(event.loops[-1].frame) if event.loops[-1].frame in contexts else 0
    inside = sum(not context.is_turn for context in contexts[:around])
    return event.calls[: len(event.calls) - inside + 1] if inside else ()
