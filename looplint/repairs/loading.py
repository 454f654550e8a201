"""Repairs of how a device is fed: arguments of loaders and of moves, calls that only cost."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from looplint.flow.events import Event
from looplint.repairs.arguments import GiveArgument
from looplint.repairs.draft import Draft, Infeasible
from looplint.repairs.places import place_at
from looplint.repairs.planner import Planner
from looplint.repairs.repair import Plan, Repair

__all__ = ["DropCall", "PinLoader"]


class PinLoader(Repair):
    """Pin the batches of a loader, and let the copies of them go on without waiting.

    Attributes:
        loader: the construction of the loader.
        waiting: the copies of its batches that wait.
    """

    loader: Event
    waiting: Sequence[Event]

    def plan(self, p: Planner) -> Plan:
        plan = GiveArgument(event=self.loader, values={"pin_memory": "True"}).plan(p)
        drafts = list(plan.drafts)
        for event in self.waiting:
            more = GiveArgument(event=event, values={"non_blocking": "True"}).plan(p).drafts[0]
            same = next((d for d in drafts if d.layout is more.layout), None)
            if same is None:
                drafts.append(more)
            else:
                same.changes += [c for c in more.changes if c not in same.changes]
        return Plan(plan.message, "safe", drafts)


class DropCall(Repair):
    """Remove a call that is a statement of its own.

    Attributes:
        event: the call.
    """

    event: Event

    def plan(self, p: Planner) -> Plan:
        place = place_at(self.event, len(self.event.calls), p.layouts)
        statement = place.statement
        if not isinstance(statement.node, cst.Expr) or statement.node.value is not self.event.site.node:
            raise Infeasible("the call is part of a larger statement")
        draft = Draft(place.layout)
        draft.remove(statement)
        return Plan("Remove the call", "unsafe", [draft])
