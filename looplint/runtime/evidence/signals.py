"""Which measure stands for which rule: what the catalogue says a run shows."""

from __future__ import annotations

from looplint.runtime.evidence import claims_costs, claims_cycle, claims_state
from looplint.runtime.evidence.claims import Measure, Signal, per_optimizer
from looplint.runtime.streams.stream import Stream

SIGNALS: dict[str, Measure] = {
    "LL101": per_optimizer(claims_cycle.steps_use_nothing),
    "LL102": per_optimizer(claims_cycle.gradients_add_up),
    "LL103": per_optimizer(claims_cycle.beyond_the_clip),
    "LL104": per_optimizer(claims_cycle.beyond_the_clip),
    "LL105": per_optimizer(claims_cycle.first_step_before_backward),
    "LL106": per_optimizer(claims_cycle.never_steps),
    "LL107": per_optimizer(claims_cycle.never_filled),
    "LL108": per_optimizer(claims_cycle.accumulated_norm),
    "LL109": per_optimizer(claims_cycle.gradients_add_up),
    "LL110": claims_cycle.retained,
    "LL111": claims_state.left_over,
    "LL112": claims_cycle.foreign_applied,
    "LL201": claims_cycle.too_often,
    "LL202": claims_cycle.too_seldom,
    "LL203": claims_cycle.first_value_skipped,
    "LL204": claims_cycle.metric_missing,
    "LL205": claims_cycle.constant_rate,
    "LL206": claims_cycle.stale_schedules,
    "LL301": claims_state.trained_in_eval,
    "LL302": claims_state.measured_in_train,
    "LL304": claims_state.trained_in_eval,
    "LL303": claims_state.graph_for_nothing,
    "LL306": claims_state.batch_unused,
    "LL401": claims_state.nodes_grow,
    "LL402": claims_state.nodes_grow,
    "LL403": claims_costs.in_each_batch("text", "made a text of a tensor"),
    "LL501": per_optimizer(claims_state.dead_parameters),
    "LL502": per_optimizer(claims_state.strays),
    "LL503": claims_state.dropped_casts,
    "LL504": claims_state.model_forwards,
    "LL505": claims_state.held_parameters,
    "LL506": claims_state.crashes("AttributeError", "before Module.__init__() call"),
    "LL507": claims_state.all_frozen,
    "LL601": claims_state.clipped_while_scaled,
    "LL602": claims_state.never_updated,
    "LL603": claims_state.half_unscaled,
    "LL604": claims_state.scaler_bypassed,
    "LL605": claims_state.crashes("ValueError", "Attempting to unscale FP16 gradients"),
    "LL701": claims_state.loss_input("cross_entropy", "sums_to_one", "were probabilities already"),
    "LL702": claims_state.loss_input("binary_cross_entropy_with_logits", "in_unit", "were probabilities already"),
    "LL703": claims_state.crashes("RuntimeError", "between 0 and 1"),
    "LL801": claims_state.restores_itself,
    "LL802": claims_state.resumed_without_state,
    "LL803": claims_state.placed_by_file,
    "LL804": claims_state.never_given_back,
    "LL805": claims_state.resumed_anew,
    "LL901": claims_state.in_order,
    "LL902": claims_state.both_flags,
    "LL903": claims_state.epoch_never_set,
    "LL904": claims_state.seeded_late,
    "LP001": claims_costs.made_in_process,
    "LP002": claims_costs.staged,
    "LP003": claims_costs.waited_for,
    "LP004": claims_costs.in_each_batch("read", "asked a tensor for its number"),
    "LP005": claims_costs.in_each_batch("release", "gave the cached memory back"),
    "LP006": claims_costs.filled_with_zeros,
    "LP007": claims_costs.deprecations,
    "LP008": claims_costs.workers_started,
    "LP009": claims_costs.statistics_per_step,
}


def measure(code: str, run: Stream, right: Stream) -> Signal | None:
    """A rule's signal on a run, or None where the rule claims nothing that a run could show."""
    signal = SIGNALS.get(code)
    return signal(run, right) if signal is not None else None


def same_end(a: Stream, b: Stream) -> bool | None:
    """Whether two runs end with bitwise the same parameters; None where there were none to compare.

    Where everything that the second run's optimizers hold is in its modules, these tell: an optimizer may also hold what no model uses any more.
    """
    (ours, modules), (others, other_modules) = _end(a), _end(b)
    in_modules = {digest for tensors in other_modules for _, digest in tensors}
    if modules and all(digest in in_modules for held in others for digest in held):
        return modules == other_modules
    return (ours, modules) == (others, other_modules) if any((*ours, *others, *modules, *other_modules)) else None


def _end(stream: Stream) -> tuple[list[list[str]], list[list[tuple[str, str]]]]:
    end = stream.end
    return [o["end"] for o in end.get("optimizers", ())], [list(m["tensors"].items()) for m in end.get("modules", ())]
