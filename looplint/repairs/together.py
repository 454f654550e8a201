"""The repair of a mistake that is made at several places: all of their repairs, or none."""

from __future__ import annotations

from looplint.finding import Applicability
from looplint.queries.naming import in_words
from looplint.repairs.draft import Draft
from looplint.repairs.layout import Layout
from looplint.repairs.planner import Planner
from looplint.repairs.repair import Plan, Repair

__all__ = ["Together"]


class Together(Repair):
    """Make several repairs as one, which can be trusted as far as the least of them.

    Attributes:
        repairs: what is made at each place.
    """

    repairs: tuple[Repair, ...]

    def plan(self, p: Planner) -> Plan:
        plans = [repair.plan(p) for repair in self.repairs]
        drafts: dict[Layout, Draft] = {}
        for draft in sorted((draft for plan in plans for draft in plan.drafts), key=Draft.put_under, reverse=True):
            drafts.setdefault(draft.layout, Draft(draft.layout)).add(draft)
        first = plans[0]
        names = in_words(plan.name for plan in plans)
        message = first.message.replace(first.name, names, 1) if first.name else first.message
        applicability: Applicability = "safe" if all(plan.applicability == "safe" for plan in plans) else "unsafe"
        return Plan(message, applicability, list(drafts.values()))
