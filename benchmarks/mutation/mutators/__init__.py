"""The mutators: one function per rule, from a script to the changes that plant its bug."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from benchmarks.mutation.mutant import Mutant, Mutator, planted, read_program
from benchmarks.mutation.mutators.chance import seed_after_model
from benchmarks.mutation.mutators.clipping import clip_after_step, clip_before_backward
from benchmarks.mutation.mutators.costs import (
    accumulation_drops_last_batches,
    batchnorm_with_accumulation,
    deprecated_amp,
    zero_grad_not_to_none,
)
from benchmarks.mutation.mutators.dropouts import dropout_in_eval_mode
from benchmarks.mutation.mutators.feeding import (
    loader_without_workers,
    non_blocking_without_pinned,
    pinned_without_non_blocking,
    workers_not_persistent,
)
from benchmarks.mutation.mutators.gradients import (
    missing_backward,
    missing_step,
    missing_zero_grad,
    step_before_backward,
    zero_grad_after_backward,
)
from benchmarks.mutation.mutators.graph import accumulation_unscaled, retain_graph_in_loop, wrong_optimizer_cleared
from benchmarks.mutation.mutators.keeping import accumulated_tensor, logged_tensor
from benchmarks.mutation.mutators.loading import sampler_without_set_epoch, train_loader_not_shuffled, validation_batch_unused
from benchmarks.mutation.mutators.losses import bce_on_logits, sigmoid_before_bce_with_logits, softmax_before_cross_entropy
from benchmarks.mutation.mutators.modes import eval_mode_left_on, missing_eval_mode, missing_no_grad, missing_train_mode
from benchmarks.mutation.mutators.modules import discarded_to, forward_called_directly, missing_super_init, unregistered_submodules
from benchmarks.mutation.mutators.parameters import move_after_optimizer, params_replaced_after_optimizer
from benchmarks.mutation.mutators.precision import clip_without_unscale, fp16_without_scaler, missing_scaler_update, step_bypasses_scaler
from benchmarks.mutation.mutators.rebuilt import scheduler_of_other_optimizer
from benchmarks.mutation.mutators.schedules import (
    batch_scheduler_per_epoch,
    plateau_without_metric,
    scheduler_before_optimizer,
    scheduler_in_batch_loop,
    scheduler_never_stepped,
)
from benchmarks.mutation.mutators.storing import (
    benchmark_with_deterministic,
    best_state_not_copied,
    last_model_returned,
    load_without_map_location,
    resume_without_optimizer_state,
)
from benchmarks.mutation.mutators.waiting import empty_cache_in_loop, formatted_tensor, sync_every_batch

MUTATORS: Mapping[str, Mutator] = {
    "LL101": zero_grad_after_backward,
    "LL102": missing_zero_grad,
    "LL103": clip_before_backward,
    "LL104": clip_after_step,
    "LL105": step_before_backward,
    "LL106": missing_step,
    "LL107": missing_backward,
    "LL108": accumulation_unscaled,
    "LL109": wrong_optimizer_cleared,
    "LL110": retain_graph_in_loop,
    "LL111": accumulation_drops_last_batches,
    "LL201": scheduler_in_batch_loop,
    "LL202": batch_scheduler_per_epoch,
    "LL203": scheduler_before_optimizer,
    "LL204": plateau_without_metric,
    "LL205": scheduler_never_stepped,
    "LL206": scheduler_of_other_optimizer,
    "LL301": missing_train_mode,
    "LL302": missing_eval_mode,
    "LL303": missing_no_grad,
    "LL304": eval_mode_left_on,
    "LL306": validation_batch_unused,
    "LL307": dropout_in_eval_mode,
    "LL401": logged_tensor,
    "LL402": accumulated_tensor,
    "LL403": formatted_tensor,
    "LL501": move_after_optimizer,
    "LL502": params_replaced_after_optimizer,
    "LL503": discarded_to,
    "LL504": forward_called_directly,
    "LL505": unregistered_submodules,
    "LL506": missing_super_init,
    "LL601": clip_without_unscale,
    "LL602": missing_scaler_update,
    "LL603": fp16_without_scaler,
    "LL604": step_bypasses_scaler,
    "LL701": softmax_before_cross_entropy,
    "LL702": sigmoid_before_bce_with_logits,
    "LL703": bce_on_logits,
    "LL801": best_state_not_copied,
    "LL802": resume_without_optimizer_state,
    "LL803": load_without_map_location,
    "LL804": last_model_returned,
    "LL901": train_loader_not_shuffled,
    "LL902": benchmark_with_deterministic,
    "LL903": sampler_without_set_epoch,
    "LL904": seed_after_model,
    "LP001": loader_without_workers,
    "LP002": non_blocking_without_pinned,
    "LP003": pinned_without_non_blocking,
    "LP004": sync_every_batch,
    "LP005": empty_cache_in_loop,
    "LP006": zero_grad_not_to_none,
    "LP007": deprecated_amp,
    "LP008": workers_not_persistent,
    "LP009": batchnorm_with_accumulation,
}


def mutants(source: str, siblings: Mapping[str, str] | None = None, codes: tuple[str, ...] = ()) -> Iterator[Mutant]:
    """Every mutant of a correct script, for all rules or the named ones; `siblings` are the other files of its program."""
    script = read_program(source, siblings)
    for code, mutator in MUTATORS.items():
        if not codes or code in codes:
            yield from planted(code, mutator, script)
