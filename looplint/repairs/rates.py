"""What reads the rate of a turn: a scheduler's step that sets the next one belongs behind it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from looplint.domain.objects import Obj, StateDict
from looplint.flow.events import Event, Snapshot
from looplint.flow.remarks import AskRate
from looplint.repairs.layout import Statement
from looplint.repairs.places import Place
from looplint.repairs.planner import Planner, common_block


class Rate(NamedTuple):
    """The rate that an optimizer steps with in a turn of a loop, and the step of the scheduler that sets it."""

    optimizer: Obj
    set_by: Event

    def is_read(self, p: Planner, remarks: Iterable[Event], events: Iterable[Event]) -> bool:
        """Whether any of some remarks reads the rate, or any of some events takes a state of the optimizer's, which has it."""
        own = self.set_by.subjects
        return any(p.program.touches(e, self.optimizer) or not e.subjects.isdisjoint(own) for e in remarks) or any(
            state.owner is self.optimizer for state in _taken(events)
        )

    def is_kept(self, events: Iterable[Event]) -> bool:
        """Whether any of some events takes a state of the scheduler's: what goes on from that has made the step."""
        return any(state.owner in self.set_by.subjects for state in _taken(events))


def _taken(events: Iterable[Event]) -> Iterator[StateDict]:
    return (state for e in events if isinstance(e, Snapshot) for state in e.subjects if isinstance(state, StateDict))


def last_read(p: Planner, mine: Place, target: Statement, rate: Rate) -> Statement | None:
    """The last statement that reads the rate of the turn, in the block of that which a scheduler's step is moved after, and behind it.

    A state of the optimizer's that is taken beside the scheduler's goes with that: both are to know of the step.
    """
    following = behind(mine, target)
    kept = any(rate.is_kept(p.events_in(s, mine.layout)) for s in following)

    def reads(statement: Statement) -> bool:
        return rate.is_read(p, p.events_in(statement, mine.layout, AskRate), () if kept else p.events_in(statement, mine.layout))

    return next((s for s in reversed(following) if reads(s)), None)


def behind(mine: Place, target: Statement) -> list[Statement]:
    block, _, there = common_block(mine.statement, target)
    return block.statements[there.index + 1 :]


def is_read_further_on(p: Planner, mine: Place, target: Statement, step: Event, rate: Rate) -> bool:
    """Whether what comes after the block of a scheduler's step in the turn of the loop reads the rate: a caller, or what stands behind a branch."""
    loop, block = rate.set_by.loops[-1], common_block(mine.statement, target)[0]
    own = {id(e) for s in block.statements for kind in (AskRate, Event) for e in p.events_in(s, mine.layout, kind)}
    remarks, events = (
        [e for e in p.program.of(kind) if loop in e.loops and e.index > step.index and id(e) not in own] for kind in (AskRate, Snapshot)
    )
    return rate.is_read(p, remarks, () if rate.is_kept(events) else events)
