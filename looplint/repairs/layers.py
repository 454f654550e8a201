"""Repairs inside and around modules: how they are called, built and kept."""

from __future__ import annotations

import libcst as cst

from looplint.graph import Event
from looplint.repairs.draft import Draft, Infeasible
from looplint.repairs.places import place_at
from looplint.repairs.planner import Plan, Planner


def call_module(p: Planner, event: Event) -> Plan:
    """`model.forward(x)` becomes `model(x)`."""
    layout = place_at(event, len(event.calls), p.layouts).layout
    node = event.site.node
    if not (isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute)):
        raise Infeasible("the forward is called by another name")
    module = node.func.value
    code = f"({layout.code(module)})" if module.lpar else layout.code(module)
    draft = Draft(layout)
    draft.replace(node.func, code)
    return Plan(f"Call the module: {code}(...)", "safe", [draft])
