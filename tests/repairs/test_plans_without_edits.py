"""A repair that finds nothing to change is none, and the finding says so."""

from __future__ import annotations

from typing import cast

from looplint.repairs.fixes import fix_of
from looplint.repairs.planner import Planner
from looplint.repairs.repair import Plan, Repair


class _Nothing(Repair):
    def plan(self, p: Planner) -> Plan:
        return Plan("Pass it without its graph: .detach()", "safe", [])


def test_a_plan_that_changes_nothing_is_no_fix() -> None:
    assert fix_of(_Nothing(), cast(Planner, None), "train.py", certain=True) == "nothing that it would change was found"
