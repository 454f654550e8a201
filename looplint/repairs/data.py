"""Repairs of what a run is given: settings, loaders, samplers and checkpoints."""

from __future__ import annotations

import libcst as cst

from looplint.graph import Event
from looplint.repairs.draft import Draft, Infeasible
from looplint.repairs.places import place_at
from looplint.repairs.planner import Plan, Planner


def set_value(p: Planner, event: Event, value: str) -> Plan:
    """A setting gets another value where it is set."""
    place = place_at(event, len(event.calls), p.layouts)
    node = place.statement.node
    if not isinstance(node, cst.Assign) or len(node.targets) != 1 or node.targets[0].target is not event.site.node:
        raise Infeasible("the statement sets other things too")
    draft = Draft(place.layout)
    draft.replace(node.value, value)
    return Plan(f"Set {place.layout.code(event.site.node)} to {value}", "safe", [draft])
