"""What a rule file imports: the vocabulary of events, automata and reports, and nothing of the engine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from looplint.dataclass import dataclass, replace
from looplint.domain.autocast import Autocast
from looplint.domain.objects import Engine, Loader, Loss, Module, Obj, Optimizer, ParameterIterator, Sampler, Scaler, Scheduler, StateDict
from looplint.domain.values import Tensor, Value, constant_of, refs, tensor_of
from looplint.finding import SEVERITIES, Severity
from looplint.flow.automaton import UNSEEN, Automaton, PathState, Touch, Visit, run
from looplint.flow.events import (
    Accumulate,
    Backward,
    Clear,
    Clip,
    Construct,
    Copy,
    Escape,
    Eval,
    Event,
    Exhaust,
    Forward,
    Freeze,
    Keep,
    Load,
    LoadState,
    MakeIterator,
    Move,
    ReadFile,
    Replace,
    Save,
    Schedule,
    SetMode,
    Snapshot,
    Step,
    Switch,
    Thaw,
    Train,
    Unscale,
    Update,
)
from looplint.flow.graph import Guard, Loop
from looplint.flow.remarks import (
    AskPlace,
    AskRate,
    Attach,
    Average,
    BuildLoader,
    BuildSampler,
    Bypass,
    Differentiate,
    Discard,
    Drive,
    Drop,
    Entrust,
    EpochSet,
    Export,
    Fetch,
    Initialize,
    Mix,
    Objective,
    Outdated,
    ReadEntry,
    Release,
    Remark,
    ResetStatistics,
    Score,
    Seed,
    SetRate,
    Shelve,
    Show,
    Spread,
    Transfer,
    Unready,
    Unregistered,
    Withdraw,
)
from looplint.queries.accumulation import (
    accumulated,
    added_up,
    clipped_before,
    evens_out,
    left_over,
    may_be_one,
    normalises,
    set_back_at_updates,
    stepped_with,
    steps_in_each,
    takes_batches,
    wasted,
)
from looplint.queries.best_states import (
    UnreadState,
    is_mixed,
    is_set_anew,
    picked_of_all_turns,
    taken_too,
    undoes_training,
    unread_best_states,
)
from looplint.queries.bypassed import bypassed
from looplint.queries.clearing import CLEARING, Uncleared, to_clear, turns_in_a_batch, uncleared
from looplint.queries.collected import collects_arrays
from looplint.queries.cut_graphs import (
    cut_off,
    is_meant_for,
    may_be_of_any,
    objective_of,
    trains_a_copy,
    trains_another,
    trains_its_successor,
)
from looplint.queries.data_loops import (
    computes_terms,
    has_a_batch_a_turn,
    measuring_loop,
    of_a_few,
    over_chunks,
    over_data,
    over_entries,
    over_loader,
    over_parts,
    over_tensor,
    records,
    repeats_since,
    samples,
    takes_data,
    tries_out,
    untrained_loop,
    validation_loop,
    word_for_turn,
)
from looplint.queries.differentiation import backwards_not_for, differentiating_forwards, may_be_differentiated_again, needs_its_graph
from looplint.queries.feeding import (
    LastBatch,
    PaddedPass,
    argument,
    builds_others,
    changing,
    drawn_by,
    epoch_passes,
    goes_over_training_data,
    is_record,
    is_written,
    never_in_order_again,
    off,
    on_accelerator,
    only_over,
    order_is_chosen,
    over_batches,
    padded_passes,
    same_everywhere,
    shortened_passes,
    smaller_last,
    trains,
)
from looplint.queries.finished_updates import clipped_before_the_scaler
from looplint.queries.freezing import FrozenStep, stays_frozen, steps_while_frozen
from looplint.queries.iterations import (
    counter_given,
    depth_apart,
    in_one_turn,
    is_within,
    may_go_on,
    reaches_the_end_of,
    ruled_out_by_settings,
    shares_a_call,
    turns_after,
)
from looplint.queries.iterators import making_of, used_where_made
from looplint.queries.kept_graphs import (
    goes_through_what_is_older,
    goes_to_callers,
    is_dropped_at_the_return,
    is_rooted_in_the_turn,
    may_keep_a_graph,
    reaches_into_the_turn_before,
)
from looplint.queries.left_to_subclasses import built_by_its_trainer, runs_by_itself
from looplint.queries.loaded import built_for_an_evaluation, gives_out, loaded_before, trained_before
from looplint.queries.mode_sensitivity import mode_effects, mode_matters, mode_matters_at, mode_matters_for_some
from looplint.queries.modes import (
    MODE,
    always_in_eval,
    built_in_eval,
    eval_is_chosen,
    eval_mode_of,
    for_a_look,
    has_no_mode,
    is_for_one,
    is_for_training,
    is_switched,
    layers_are_set,
    left_in_eval,
    may_train_again,
    mode_states,
    parts_without_train_mode,
    put_back_on_purpose,
    saved_after,
    switched_both_ways,
    trains_a_part,
    validation_before,
    whole_in_train_mode,
    whose_modes,
)
from looplint.queries.moves import (
    built_for_others,
    built_since,
    converts,
    held_under_the_opposite,
    is_used,
    leaves_models_behind,
    moved_already,
    never_steps_after,
    state_loaded,
    stays_on_cpu,
)
from looplint.queries.naming import (
    are,
    arguments_site,
    call_of,
    called_at,
    callee,
    container_at,
    in_words,
    more_than,
    name_of,
    name_of_whole,
    only_where,
    switch_in_words,
    to_switch,
    whole_called_at,
)
from looplint.queries.one_builder import is_beside, is_given_states_of, others_step, steps_in_some_call, steps_in_the_turn
from looplint.queries.phases import ForeignGradients, foreign_gradients
from looplint.queries.piling_up import piles_up_in
from looplint.queries.precision import (
    COMPUTING,
    SCALING,
    UPDATING,
    HalfStep,
    condition_of,
    disabled,
    escapes_each_time,
    half_step,
    keeps_its_factor,
    may_leave_the_update,
    perhaps_off,
    scaler_of,
    sets_its_precision,
    switched,
    unscaled_by_hand,
    update_without_step,
)
from looplint.queries.predictions import Scored, scored
from looplint.queries.program import Program
from looplint.queries.recorded_graphs import (
    depth_of_the_drop,
    evaluates_batches,
    is_a_pass,
    loops_around,
    may_be_sent_backward_elsewhere,
    may_be_trained,
    may_run_without_gradients,
    records_a_graph,
    refusal,
    serves_more_classes,
    takes_what_has_no_graph,
    trains_on_another_call,
)
from looplint.queries.registration import contains_part, known_elsewhere, only_containers, unregistered, wrapper_for
from looplint.queries.relations import (
    construction_of,
    exclude_each_other,
    held_by,
    may_follow,
    may_follow_in_its_life,
    only,
    only_in_train_mode,
    related,
    stands_under,
    subjects,
)
from looplint.queries.resuming import (
    built_each_turn,
    fits_only_if_spread,
    given_no_state,
    goes_on,
    goes_on_from_no_file_of_its_own,
    is_for_one_round,
    loads_again,
    refuses_optimizers,
    starts_over,
    steps_after,
    written_from_cpu,
    written_from_gpu,
)
from looplint.queries.saved_entries import UnsavedEntry, unsaved_entries
from looplint.queries.seeds import drawn_unseeded, starts_over_in
from looplint.queries.stale_batches import StaleBatch, stale_batches
from looplint.queries.statistics import estimates_statistics, keeps_one_batch
from looplint.queries.stepping_beside import may_apply_gradients, stands_behind_its_own, unheld
from looplint.queries.sums_of_others import is_sent_backward_by_others
from looplint.repairs import (
    activations,
    arguments,
    checkpoints,
    clears,
    construction,
    data,
    iterators,
    layers,
    loading,
    losses,
    map_location,
    modes,
    precision,
    schedules,
    steps,
    tensors,
    together,
    train_mode,
    validation,
)
from looplint.repairs.activations import *
from looplint.repairs.arguments import *
from looplint.repairs.checkpoints import *
from looplint.repairs.clears import *
from looplint.repairs.construction import *
from looplint.repairs.data import *
from looplint.repairs.iterators import *
from looplint.repairs.layers import *
from looplint.repairs.loading import *
from looplint.repairs.losses import *
from looplint.repairs.map_location import *
from looplint.repairs.modes import *
from looplint.repairs.precision import *
from looplint.repairs.repair import Repair
from looplint.repairs.schedules import *
from looplint.repairs.steps import *
from looplint.repairs.tensors import *
from looplint.repairs.together import *
from looplint.repairs.train_mode import *
from looplint.repairs.validation import *
from looplint.semantics.devices import asks_for_gpu, implies_gpu
from looplint.semantics.loaders import follows_time, shuffles
from looplint.semantics.parameters import draws_nothing, without_parameters
from looplint.syntax.ir import Binary, BoolOp, Compare, Const, Expr, paths_in, render
from looplint.syntax.site import Site


@dataclass(frozen=True, slots=True)
class Note:
    """Another place that takes part in a report."""

    site: Site
    message: str


@dataclass(frozen=True, slots=True)
class Report:
    """What a check yields: the event it is about, the message, and the places that explain it.

    `repair` is what would repair it, where something would. `also` are the other places at which the same mistake is made. `severity` is what it does to this program where that is not what the rule's SEVERITY
    says.
    """

    event: Event
    message: str
    notes: tuple[Note, ...] = ()
    certainty: str = "every-path"
    repair: Repair | None = None
    site: Site | None = None
    severity: Severity | None = None
    also: tuple[Note, ...] = ()


class Case(NamedTuple):
    """A place at which a mistake is made that others are a part of: whom it is made with, what is a report of it alone, and its words beside others."""

    name: str
    report: Report
    too: str


def as_one(message: str, cases: Sequence[Case]) -> Report:
    """What is one mistake at several places as one report: at the first of the worst, beside the others, with the repairs of all or none.

    A report of no severity of its own counts as an error.
    """
    first = min((case.report for case in cases), key=lambda r: SEVERITIES.index(r.severity or SEVERITIES[0]))
    here = first.site or first.event.site
    own = (Note(case.report.site or case.report.event.site, case.too) for case in cases)
    beside = (*own, *(note for case in cases for note in case.report.also))
    also = {note.site: note for note in reversed(beside) if note.site != here}
    repairs = tuple(case.report.repair for case in cases if case.report.repair is not None)
    repair = (Together(repairs=repairs) if len(cases) > 1 else repairs[0]) if len(repairs) == len(cases) else None
    return replace(first, message=message, also=tuple(reversed(also.values())), repair=repair)


def note(event: Event | None, message: str) -> tuple[Note, ...]:
    """A note at an event, or nothing where there is no event."""
    return (Note(event.site, message),) if event is not None else ()


def same_phase(event: Event, loop: Loop | None, depth: int) -> object:
    """What the events of one phase have in common: the loop of a pass, or where there is none the call that leads to them; a script is no phase."""
    if loop is not None:
        return event.root, loop
    return (event.root, event.chain[:depth]) if event.root or depth else event


def note_of_pass(loop: Loop | None, site: Site) -> tuple[Note, ...]:
    """A note at the loop of a pass over data in which a place is reported, where that loop stands in another file."""
    return (Note(loop.site, "the pass over the data is here"),) if loop is not None and loop.site.module is not site.module else ()


Reports = Iterator[Report]

__all__ = [
    "CLEARING", "MODE", "UNSEEN", "Automaton", "Binary", "BoolOp", "Compare", "Const", "Event", "Expr", "Guard", "Loop", "Note", "Obj", "PathState", "Program", "Report", "Reports", "Severity", "Site", "Tensor", "Uncleared",
    "Value", "Visit", "constant_of", "always_in_eval", "asks_for_gpu", "implies_gpu", "eval_is_chosen", "for_a_look", "is_for_one", "is_for_training", "is_switched", "has_no_mode", "layers_are_set", "left_in_eval", "depth_of_the_drop", "is_a_pass", "loops_around", "evaluates_batches", "may_be_sent_backward_elsewhere", "may_be_trained", "may_run_without_gradients", "may_train_again", "mode_effects", "mode_matters", "mode_matters_at", "mode_matters_for_some", "parts_without_train_mode", "mode_states", "put_back_on_purpose", "estimates_statistics", "keeps_one_batch", "stands_behind_its_own", "unheld", "only_in_train_mode", "saved_after", "stands_under", "switched_both_ways", "trains_a_part", "validation_before", "whole_in_train_mode", "whose_modes", "built_for_an_evaluation", "built_in_eval", "making_of", "used_where_made", "called_at", "whole_called_at", "callee", "loaded_before", "collects_arrays", "container_at", "built_by_its_trainer", "is_beside", "others_step", "is_given_states_of", "steps_in_some_call", "more_than", "name_of", "name_of_whole", "in_words", "is_sent_backward_by_others", "are", "call_of", "as_one", "same_phase", "Case", "note", "note_of_pass", "only_where", "switch_in_words", "to_switch", "word_for_turn", "over_chunks", "over_data", "over_entries", "over_loader", "over_parts", "of_a_few", "takes_data", "repeats_since", "records", "over_tensor", "piles_up_in", "paths_in", "refs", "related", "render", "run", "depth_apart", "exclude_each_other", "records_a_graph", "refusal", "shares_a_call", "takes_what_has_no_graph", "trains_on_another_call", "tensor_of", "to_clear", "turns_in_a_batch", "uncleared", "arguments_site", "cut_off", "objective_of", "may_be_of_any", "is_meant_for", "trains_a_copy", "trains_another", "trains_its_successor", "serves_more_classes", "may_keep_a_graph", "goes_through_what_is_older", "has_a_batch_a_turn", "runs_by_itself", "may_apply_gradients", "reaches_into_the_turn_before", "eval_mode_of", "goes_over_training_data", "tries_out", "is_dropped_at_the_return", "goes_to_callers", "gives_out", "computes_terms", "reaches_the_end_of", "steps_in_the_turn", "trained_before", "is_rooted_in_the_turn",
    "Engine", "Loader", "Loss", "Module", "Optimizer", "ParameterIterator", "Sampler", "Scaler", "Scheduler", "StateDict", "construction_of", "held_by", "only", "subjects",
    "contains_part", "may_follow", "may_follow_in_its_life", "samples", "shortened_passes", "untrained_loop", "measuring_loop", "validation_loop", "without_parameters", "draws_nothing",
    "COMPUTING", "SCALING", "UPDATING", "condition_of", "disabled", "escapes_each_time", "keeps_its_factor", "may_leave_the_update", "perhaps_off", "scaler_of", "sets_its_precision", "switched", "unscaled_by_hand", "update_without_step",
    "counter_given", "in_one_turn", "is_within", "ruled_out_by_settings", "known_elsewhere", "only_containers", "may_go_on", "turns_after", "set_back_at_updates", "unregistered", "wrapper_for",
    "argument", "bypassed", "changing", "drawn_by", "epoch_passes", "is_record", "is_written", "off", "on_accelerator", "builds_others", "only_over", "order_is_chosen", "over_batches", "same_everywhere", "trains",
    "follows_time", "shuffles", "never_in_order_again", "left_over", "converts", "held_under_the_opposite", "is_used", "built_for_others", "built_since", "leaves_models_behind", "moved_already", "never_steps_after", "state_loaded", "stays_on_cpu",
    "built_each_turn", "fits_only_if_spread", "given_no_state", "goes_on", "goes_on_from_no_file_of_its_own", "is_for_one_round", "UnsavedEntry", "loads_again", "starts_over", "steps_after", "refuses_optimizers", "unsaved_entries", "written_from_cpu", "written_from_gpu",
    "FrozenStep", "UnreadState", "is_mixed", "is_set_anew", "taken_too", "picked_of_all_turns", "undoes_training", "unread_best_states", "Average", "ForeignGradients", "HalfStep", "LastBatch", "drawn_unseeded", "starts_over_in", "foreign_gradients", "PaddedPass", "padded_passes", "half_step", "smaller_last", "StaleBatch", "stale_batches", "stays_frozen", "steps_while_frozen",
    "Scored", "backwards_not_for", "differentiating_forwards", "may_be_differentiated_again", "needs_its_graph", "scored",
    "accumulated", "added_up", "clipped_before", "clipped_before_the_scaler", "evens_out", "normalises", "stepped_with", "steps_in_each", "takes_batches", "wasted", "may_be_one",
    "Accumulate", "Autocast", "Backward", "Clear", "Clip", "Construct", "Copy", "Escape", "Eval", "Exhaust", "Forward", "Freeze", "Keep", "Load", "LoadState", "MakeIterator", "Move", "ReadFile", "Replace", "Save", "Schedule", "SetMode", "Snapshot",
    "Step", "Switch", "Thaw", "Train", "Unscale", "Update",
    "AskPlace", "AskRate", "Attach", "BuildLoader", "BuildSampler", "Bypass", "Differentiate", "Discard", "Drive", "Drop", "Entrust", "Export", "Fetch", "Initialize", "Mix", "Objective", "Outdated", "ReadEntry", "Release", "Remark", "ResetStatistics", "Score", "Seed", "SetRate", "Shelve", "Show", "Spread", "EpochSet", "Touch", "Transfer", "Unready", "Unregistered", "Withdraw",
    "Repair",
]  # fmt: skip
# The repairs: each file of `looplint/repairs` names its own.
__all__ += activations.__all__
__all__ += arguments.__all__
__all__ += checkpoints.__all__
__all__ += clears.__all__
__all__ += construction.__all__
__all__ += data.__all__
__all__ += iterators.__all__
__all__ += layers.__all__
__all__ += loading.__all__
__all__ += losses.__all__
__all__ += map_location.__all__
__all__ += modes.__all__
__all__ += precision.__all__
__all__ += schedules.__all__
__all__ += steps.__all__
__all__ += tensors.__all__
__all__ += together.__all__
__all__ += train_mode.__all__
__all__ += validation.__all__
