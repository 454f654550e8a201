"""Repairs of how a device is fed: arguments of loaders and of moves, calls that only cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import libcst as cst

from looplint.finding import Applicability
from looplint.flow.graph import Event
from looplint.knowledge.pytorch import LOADER_ARGUMENTS
from looplint.repairs.draft import Draft, Infeasible
from looplint.repairs.places import place_at
from looplint.repairs.planner import Plan, Planner


def give_argument(p: Planner, event: Event, values: Mapping[str, str], applicability: Applicability = "safe") -> Plan:
    """Keyword arguments of a call get values: those that stand there are replaced, others are added."""
    layout = place_at(event, len(event.calls), p.layouts).layout
    node = event.site.node
    if not isinstance(node, cst.Call) or any(a.star for a in node.args):
        raise Infeasible("the call cannot be given one more argument")
    positional = [a for a in node.args if a.keyword is None]
    if event.kind == "loader" and values.keys() & set(LOADER_ARGUMENTS[: len(positional)]):
        raise Infeasible("the argument is given by its position")
    draft = Draft(layout)
    given = {a.keyword.value: a.value for a in node.args if a.keyword is not None}
    for name, value in values.items():
        if name in given:
            draft.replace(given[name], value)
        else:
            draft.add_argument(node, f"{name}={value}")
    return Plan(f"Pass {', '.join(f'{name}={value}' for name, value in values.items())}", applicability, [draft])


def pin_loader(p: Planner, loader: Event, waiting: Sequence[Event]) -> Plan:
    """A loader pins its batches, and the other copies of them no longer wait either."""
    plan = give_argument(p, loader, {"pin_memory": "True"})
    drafts = list(plan.drafts)
    for event in waiting:
        more = give_argument(p, event, {"non_blocking": "True"}).drafts[0]
        same = next((d for d in drafts if d.layout is more.layout), None)
        if same is None:
            drafts.append(more)
        else:
            same.changes += [c for c in more.changes if c not in same.changes]
    return Plan(plan.message, "safe", drafts)


def drop_call(p: Planner, event: Event) -> Plan:
    """A call that nothing needs goes."""
    place = place_at(event, len(event.calls), p.layouts)
    statement = place.statement
    if not isinstance(statement.node, cst.Expr) or statement.node.value is not event.site.node:
        raise Infeasible("the call is part of a larger statement")
    draft = Draft(place.layout)
    draft.remove(statement)
    return Plan("Remove the call", "unsafe", [draft])
