"""Repairs of the arguments of a call: set, replaced and removed."""

from __future__ import annotations

from collections.abc import Mapping

import libcst as cst

from looplint.finding import Applicability
from looplint.flow.events import Event
from looplint.knowledge.data import LOADER_ARGUMENTS
from looplint.repairs.draft import Draft, Infeasible
from looplint.repairs.places import place_at
from looplint.repairs.planner import Planner
from looplint.repairs.repair import Plan, Repair

__all__ = ["DropArgument", "DropSetting", "GiveArgument", "SetArgument"]


class SetArgument(Repair):
    """Add a keyword argument to a call.

    Attributes:
        event: the call.
        name: the name of the argument.
        value: its value, as code.
    """

    event: Event
    name: str
    value: str

    def plan(self, p: Planner) -> Plan:
        place = place_at(self.event, len(self.event.calls), p.layouts)
        node = self.event.site.node
        if not isinstance(node, cst.Call) or any(a.star for a in node.args):
            raise Infeasible("the call cannot take another argument")
        draft = Draft(place.layout)
        draft.add_argument(node, f"{self.name}={self.value}")
        return Plan(f"Pass {self.name}={self.value}", "safe", [draft])


class GiveArgument(Repair):
    """Give keyword arguments of a call new values, and add those that are not there.

    Attributes:
        event: the call.
        values: the values of the arguments by their names, as code.
        applicability: how far the repair can be trusted.
    """

    event: Event
    values: Mapping[str, str]
    applicability: Applicability = "safe"

    def plan(self, p: Planner) -> Plan:
        layout = place_at(self.event, len(self.event.calls), p.layouts).layout
        node = self.event.site.node
        if not isinstance(node, cst.Call) or any(a.star for a in node.args):
            raise Infeasible("the call cannot take another argument")
        positional = [a for a in node.args if a.keyword is None]
        if self.event.kind == "loader" and self.values.keys() & set(LOADER_ARGUMENTS[: len(positional)]):
            raise Infeasible("the argument is given by its position")
        draft = Draft(layout)
        given = {a.keyword.value: a.value for a in node.args if a.keyword is not None}
        for name, value in self.values.items():
            if name in given:
                draft.replace(given[name], value)
            else:
                draft.add_argument(node, f"{name}={value}")
        return Plan(f"Pass {', '.join(f'{name}={value}' for name, value in self.values.items())}", self.applicability, [draft])


class DropArgument(Repair):
    """Remove an argument that is given by its name, or as the last one at its position.

    Attributes:
        event: the call.
        keyword: the name of the argument.
        position: its position, counted from 0.
    """

    event: Event
    keyword: str
    position: int

    def plan(self, p: Planner) -> Plan:
        place = place_at(self.event, len(self.event.calls), p.layouts)
        node = self.event.site.node
        if not isinstance(node, cst.Call):
            raise Infeasible("the argument cannot be found")
        index = next((n for n, a in enumerate(node.args) if a.keyword is not None and a.keyword.value == self.keyword), None)
        if index is None and len(node.args) == self.position + 1 and not any(a.star or a.keyword for a in node.args):
            index = self.position
        if index is None:
            raise Infeasible("the argument is not given by its name")
        draft = Draft(place.layout)
        draft.remove_argument(node, index)
        return Plan(f"Remove {self.keyword}", "unsafe", [draft])


class DropSetting(Repair):
    """Remove an argument without which the results are the same.

    Attributes:
        event: the call.
        keyword: the name of the argument.
    """

    event: Event
    keyword: str

    def plan(self, p: Planner) -> Plan:
        made = DropArgument(event=self.event, keyword=self.keyword, position=0).plan(p)
        return Plan(made.message, "safe", made.drafts)
