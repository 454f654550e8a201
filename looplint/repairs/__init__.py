"""From a rule's report to text edits: what would be changed, in which words, and how far it can be trusted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from looplint.finding import Fix
from looplint.repairs import construction, cycle, data, layers, loading, losses, modes, precision, schedules, tensors
from looplint.repairs.draft import Infeasible
from looplint.repairs.planner import Plan, Planner

# What a rule may name as its repair, each with what it needs.
REPAIRS: dict[str, Callable[..., Plan]] = {
    "move-clear": cycle.move_clear,
    "insert-clear": cycle.insert_clear,
    "move-before-step": cycle.move_before_step,
    "move-after-backward": cycle.move_after_backward,
    "insert-step": cycle.insert_step,
    "divide-loss": cycle.divide_loss,
    "clear-other": cycle.clear_other,
    "drop-argument": cycle.drop_argument,
    "move-to-epoch-end": schedules.move_to_epoch_end,
    "move-into-batch-loop": schedules.move_into_batch_loop,
    "move-after-step": schedules.move_after_step,
    "pass-metric": schedules.pass_metric,
    "move-before-construction": schedules.move_before_construction,
    "rebuild-scheduler": schedules.rebuild_scheduler,
    "move-construction": schedules.move_construction,
    "insert-train": modes.insert_train,
    "insert-eval": modes.insert_eval,
    "insert-no-grad": modes.insert_no_grad,
    "set-value": data.set_value,
    "copy-value": data.copy_value,
    "set-argument": data.set_argument,
    "set-epoch": data.set_epoch,
    "map-location": data.map_location,
    "move-seed": data.move_seed,
    "step-at-the-end": cycle.step_at_the_end,
    "call-module": layers.call_module,
    "assign-result": layers.assign_result,
    "call-super-init": construction.call_super_init,
    "wrap-modules": layers.wrap_modules,
    "detach-argument": tensors.detach_argument,
    "give-argument": loading.give_argument,
    "pin-loader": loading.pin_loader,
    "drop-call": loading.drop_call,
    "show-item": tensors.show_item,
    "detach-added": tensors.detach_added,
    "insert-unscale": precision.insert_unscale,
    "insert-update": precision.insert_update,
    "step-through-scaler": precision.step_through_scaler,
    "use-bfloat16": precision.use_bfloat16,
    "use-torch-amp": precision.use_torch_amp,
    "drop-setting": cycle.drop_setting,
    "drop-activation": losses.drop_activation,
    "take-logits": losses.take_logits,
}


def plan(planner: Planner, repair: tuple[Any, ...], filename: str, certain: bool) -> Fix | str:
    """Turn the repair that a rule names into edits.

    Args:
        planner: the program, with the layouts of its files.
        repair: the name of a repair and what it needs.
        filename: the file of the finding; a repair of another one is unsafe: others may use that file.
        certain: whether the finding holds on every path.

    Returns:
        The fix, or a sentence that says why there is none.
    """
    kind, *needs = repair
    try:
        made = REPAIRS[kind](planner, *needs)
        edits = tuple(e for draft in made.drafts for e in draft.edits())
    except Infeasible as reason:
        return str(reason)
    here = all(e.filename == filename for e in edits)
    applicability = made.applicability if certain and here or made.applicability != "safe" else "unsafe"
    return Fix(made.message, applicability, edits)


__all__ = ["REPAIRS", "Planner", "plan"]
