"""From a rule's repair to a fix: what would be changed, in which words, and how far it can be trusted."""

from __future__ import annotations

from looplint.finding import Fix
from looplint.repairs.draft import Infeasible
from looplint.repairs.planner import Planner
from looplint.repairs.repair import Repair


def fix_of(repair: Repair, planner: Planner, filename: str, certain: bool) -> Fix | str:
    """Plan a repair, and turn the plan into edits.

    Args:
        repair: what the rule asks for.
        planner: the program, with the layouts of its files.
        filename: the file of the finding; a repair of another one is unsafe: others may use that file.
        certain: whether the finding holds on every path.

    Returns:
        The fix, or a sentence that says why there is none.
    """
    try:
        plan = repair.plan(planner)
        edits = tuple(e for draft in plan.drafts for e in draft.edits())
    except Infeasible as reason:
        return str(reason)
    if not edits:
        return "nothing that it would change was found"
    here = all(e.filename == filename for e in edits)
    applicability = plan.applicability if certain and here or plan.applicability != "safe" else "unsafe"
    return Fix(plan.message, applicability, edits)
