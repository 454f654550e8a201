"""Repairs of what a run is given: settings, loaders, samplers and checkpoints."""

from __future__ import annotations

import libcst as cst

from looplint.graph import Event
from looplint.repairs.draft import Draft, Infeasible
from looplint.repairs.imports import named
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


def copy_value(p: Planner, event: Event) -> Plan:
    """A state is copied where it is taken."""
    place = place_at(event, len(event.calls), p.layouts)
    layout, node = place.layout, event.site.node
    draft = Draft(layout)
    copy = named(draft, layout, "copy", "deepcopy")
    start, end = layout.extent(node)
    draft.insert(start, f"{copy}(")
    draft.insert(end, ")")
    return Plan("Keep a copy of the state", "safe", [draft])


def set_argument(p: Planner, event: Event, name: str, value: str) -> Plan:
    """A keyword argument is added to the call that builds something."""
    place = place_at(event, len(event.calls), p.layouts)
    node = event.site.node
    if not isinstance(node, cst.Call) or any(a.star for a in node.args):
        raise Infeasible("the call cannot be given one more argument")
    draft = Draft(place.layout)
    draft.add_argument(node, f"{name}={value}")
    return Plan(f"Pass {name}={value}", "safe", [draft])
