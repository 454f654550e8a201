"""Train and eval mode: which a forward finds, and whether a validation leaves eval mode on."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import libcst as cst

from looplint.domain.objects import Engine, Module, Obj, StateDict
from looplint.domain.values import refs
from looplint.flow.automaton import UNSEEN, Automaton, Visit
from looplint.flow.events import Eval, Event, Forward, SetMode, Snapshot, Train
from looplint.flow.graph import Guard, Loop
from looplint.knowledge.pytorch import names_a_loss
from looplint.queries.bypassed import bypassed, unread
from looplint.queries.data_loops import over_data
from looplint.queries.incidence import built_with
from looplint.queries.iterations import is_within
from looplint.queries.mode_sensitivity import mode_matters, parts_of, runs_its_forward
from looplint.queries.passes_in_turn import validates_in_its_turn
from looplint.queries.program import Program
from looplint.queries.relations import exclude_each_other, related, stands_under, subjects
from looplint.queries.turns import is_gone_with_the_turn
from looplint.syntax import ir
from looplint.syntax.implication import Implications

# What restores a model's state may put it into eval mode, and does not put it back into train mode.
MODE = Automaton(
    start="train",
    arrows={("*", "eval"): "eval", ("*", "train"): "train", ("*", "mode"): UNSEEN, ("eval", "escape:restoring"): "eval"},
    reads=frozenset({"forward"}),
)


def mode_states(program: Program, module: Obj, event: Event, without: Collection[Event] = ()) -> Visit | None:
    """The modes in which a forward can find its module, or could without some switches."""
    past = [*without, *_called_in_evaluations(program, module)]
    visits = program.run_past(MODE, module, (), past) if past else program.run(MODE, module)
    return next((visit for visit in visits if visit.event is event), None)


def _called_in_evaluations(program: Program, module: Obj) -> Iterator[Event]:
    """What code out of sight gets of a module in each turn of a pass over data for which it was put into eval mode: that stays on."""
    whole = frozenset(module.lineage())
    for escape, passes in program.escapes_in_evaluations.items():
        if any(over_data(loop) and not whole.isdisjoint(switch.subjects) for switch, loop in passes):
            yield escape


def eval_mode_of(program: Program, module: Obj, event: Event) -> tuple[bool, Eval | None]:
    """Whether an event always finds a module in eval mode, as far as is known, and the switch that leads to it, where that is known."""
    visit = mode_states(program, module, event)
    if visit is not None and visit.always("eval"):
        return True, next((s.last(Eval) for s in visit.states if s.last(Eval)), None)
    switch = _set_by_the_constructor(program, module, visit) or _set_on_all_parts(program, module, event) if visit is not None else None
    return switch is not None, switch


def _set_by_the_constructor(program: Program, module: Obj, visit: Visit) -> Eval | None:
    """Where the constructor of an object puts a model into eval mode, for the methods that nobody is seen to call: a predictor, an evaluator.

    Nothing of the program puts it in another mode, trains it, or has an optimizer that holds it. Where the constructor switches gradients off as well,
    they are off for what is called then. What a method leaves to its callers, these may know to have no graph.
    """
    root, _, method = visit.event.root.rpartition(".")
    constructor = f"{root}.__init__"
    unseen = all(s.state == UNSEEN and s.since is None for s in visit.states)
    if not unseen or method == "__init__" or constructor in program.reached.ending_without_gradients:
        return None
    if visit.event.key in program.uses.handed_on | program.uses.lent:
        return None
    switches = [e for e in program.of(Eval, Train, SetMode) if program.touches(e, module)]
    first = next((e for e in switches if e.root == constructor), None)
    if not isinstance(first, Eval) or not first.certain or first.guards or first.loops or first.subjects.isdisjoint(module.lineage()):
        return None
    if not all(isinstance(e, Eval) for e in switches) or related(program.held_modules | program.stepped_modules, {module}):
        return None
    return first


def _set_on_all_parts(program: Program, module: Obj, event: Event) -> Eval | None:
    """Where the parts of a module were put into eval mode, if that was done with all of them before they became its parts, and it is never switched itself.

    It is made around them for the evaluation: `model.eval()`, and then `Conditioned(model, cond)`.
    """
    if not isinstance(module, Module) or module.symbolic or is_switched(program, module):
        return None
    parts = {part for value in module.heap.values() for part in refs(value, Module)}
    visits = _in_eval_before(program, parts, event)
    switches = [state.last(Eval) for visit in visits.values() for state in visit.states]
    return switches[0] if parts and len(visits) == len(parts) and all(switches) else None


def put_back_on_purpose(program: Program, module: Obj, visit: Visit) -> bool:
    """Whether a forward finds a part of a model in train mode that was put back to it alone, with the model in eval mode and no training after it.

    So a decoder keeps the dropout of its pre-net where it synthesises: `model.eval()`, then `model.decoder.train()`.
    """
    switches = {state.last(Train) for state in visit.states}
    parts = [o for switch in switches if switch is not None for o in switch.subjects if o in set(module.lineage())]
    wholes = [[o for o in part.lineage() if o is not part] for part in parts]
    if None in switches or not wholes or not all(any(_in_eval_at(program, whole, visit.event) for whole in each) for each in wholes):
        return False
    trained = (v for v in program.run(MODE, module) if isinstance(v.event, Forward) and program.is_trained(v.event))
    return not any(state.last(Train) in switches for v in trained for state in v.states)


def layers_are_set(program: Program, module: Obj, event: Event) -> bool:
    """Whether what leads to a forward goes over layers of the model and puts these into eval mode for it: which of them are was chosen there.

    Those that are for a training in between, as frozen batch norm, choose nothing for what comes after it.
    """
    whole = set(module.lineage())
    trained = [e.index for e in program.of(Forward) if e.root == event.root and e.index < event.index and program.is_trained(e)]
    return any(
        e.calls == event.calls[: len(e.calls)]
        and e.root == event.root
        and e.index < event.index
        and not any(e.index < index for index in trained)
        and any(loop not in event.loops and not over_data(loop) for loop in e.loops)
        and any(o is not module and not whole.isdisjoint(o.lineage()) and o not in whole for o in e.subjects)
        for e in program.of(Eval)
    )


def _in_eval_at(program: Program, module: Obj, event: Event) -> bool:
    """Whether an event always finds a module in eval mode, be it one of the module or not."""
    return any(v.event is event and v.always("eval") for v in program.run_past(MODE, module, [event]))


def is_switched(program: Program, module: Obj) -> bool:
    """Whether the program sets the mode of a model, or of what it is a part of, anywhere: its author takes it for one whose modes differ."""
    return any(not e.subjects.isdisjoint(module.lineage()) for e in program.of(Eval, Train))


def has_no_mode(program: Program, module: Obj) -> bool:
    """Whether no layer of a module differs between the modes, as far as is known; what may be a method out of sight has none, but for one that gives the loss."""
    return mode_matters(module) is False or (program.may_be_a_method(module) and not names_a_loss(module.name.rpartition(".")[2]))


def parts_in_eval(program: Program, module: Obj, event: Forward) -> set[Obj]:
    """The parts of a module that are in eval mode at a forward on every path, whatever mode the module itself is in."""
    parts = {part for value in parts_of(module).values() for part in refs(value, Module)}
    return set(_in_eval_before(program, parts, event))


def _in_eval_before(program: Program, parts: Collection[Obj], event: Event) -> dict[Obj, Visit]:
    """Those of some modules that an event finds in eval mode on every path, as their own switches before it tell."""
    visits = ((part, visit) for part in parts for visit in program.run_past(MODE, part, [event]))
    return {part: visit for part, visit in visits if visit.event is event and visit.always("eval")}


def parts_without_train_mode(program: Program, module: Obj, event: Forward) -> Collection[Obj]:
    """The parts of a module in train mode that a forward finds in eval mode, or leaves out; what is switched later is in train mode there."""
    besides = program.kept_in_eval | bypassed(module, program.arguments_of(event)) | parts_in_eval(program, module, event)
    besides |= unread(module) if runs_its_forward(module, event) else frozenset()
    return besides - {module, *module.one_of}


def whose_modes(program: Program, module: Obj, name: str) -> str:
    """The name of what has the modes of a module of a name: what may be a method has those of its object."""
    whole = name.rpartition(".")[0]
    return whole if program.may_be_a_method(module) and whole not in ("", "self") else name


def whole_in_train_mode(program: Program, module: Obj, event: Event) -> Obj:
    """What one would switch for a forward of a module: the outermost that has it as a part from the constructor on, and has no part with a mode of its own."""
    whole = module
    for outer in built_with(module):
        visits = program.run_past(MODE, outer, [event])
        apart = any(outer in o.lineage() for e in program.of(Train, Eval, SetMode) for o in e.subjects if o is not outer)
        if apart or not any(v.event is event and v.always("train") for v in visits):
            break
        whole = outer
    return whole


def always_in_eval(visit: Visit) -> bool:
    """Whether a forward finds its model in eval mode on every path from the second iteration of some enclosing loop on."""
    return any(states and all(s.state == "eval" for s in states) for states in map(visit.steady, visit.event.loops))


def left_in_eval(program: Program, module: Obj, visit: Visit, loop: Loop) -> Event | None:
    """The `eval()` of an earlier iteration of a loop that is still in force at a forward on some path.

    One for a validation before the loop, as after resuming, is in force there too, and hides that: it was not meant for the training.
    So does one on some paths alone (a helper that loads a state under an option): on the others the model is in train mode until the validation.
    """
    states = [s for s in visit.sometimes("eval") if s.since is not None and s.since.kind == "eval" and loop in s.later]
    if states and is_gone_with_the_turn(program, module, visit.event, loop):
        return None  # each turn makes another
    switches = [s.since for s in states if s.since is not None and not _of_other_batches(s.since, visit.event, loop)]
    inside = next((e for e in switches if loop in e.loops), None)
    if inside is not None or not switches:
        return inside
    looks = all(for_a_look(program, e, loop, module) for e in switches)
    if not looks and not any(s.state == "train" for s in visit.states):
        return None
    before = _outside(program, loop)
    hidden = mode_states(program, module, visit.event, before) if before else None
    left = left_in_eval(program, module, hidden, loop) if hidden is not None else None
    return None if left is not None and not looks and any(_happens_only_with(left, e) for e in switches) else left


def _happens_only_with(switch: Event, other: Event) -> bool:
    """Whether the conditions that a switch stands under imply all those of another one."""
    held = Implications((g.meaning, g.held) for g in switch.guards)
    return all(held.outcome(g.meaning) is g.held for g in other.guards)


def _of_other_batches(switch: Event, event: Event, loop: Loop) -> bool:
    """Whether a switch is for batches without what the batches of an event have (`if labels is None:`): all batches of one loader are put together alike."""
    return any(
        g.test is h.test and g.held != h.held and g.frame == h.frame and _asks_what_is_there(g, loop)
        for g in switch.guards
        for h in event.guards
    )


def _asks_what_is_there(guard: Guard, loop: Loop) -> bool:
    """Whether a condition asks if what a turn of a loop takes, or hands to a function, is there at all."""
    match guard.test:
        case ir.Compare(left=ir.Name(id=name), ops=["is" | "is not"], rights=[ir.Const(value=None)]):
            return guard.frame is not loop.frame or name in loop.targets
    return False


def switched_both_ways(program: Program, switch: Event, module: Obj) -> bool:
    """Whether the same turn puts a module in train mode before it switches it to eval mode, and takes a forward of it in between."""
    trains = [e for e in program.of(Train) if e.certain and e.loops == switch.loops and e.index < switch.index]
    first = min((e.index for e in trains if program.touches(e, module) == "must" and set(e.guards) <= set(switch.guards)), default=None)
    whole = set(module.lineage())
    forwards = (e.index for e in program.of(Forward) if not whole.isdisjoint(e.subjects))
    return first is not None and any(first < index < switch.index for index in forwards)


def for_a_look(program: Program, switch: Event, loop: Loop, module: Obj) -> bool:
    """Whether eval mode is switched on before a loop for a validation there, or by the library that builds the model: it is not meant for the training."""
    if isinstance(switch, Eval) and switch.built:
        return True
    after = (e for e in program.of(Forward) if module in e.subjects and e.index > switch.index and loop not in e.loops)
    return any(not program.is_trained(e) and e.root == switch.root for e in after)


def built_in_eval(visit: Visit) -> Eval | None:
    """The construction of what a library builds in eval mode, where it is still in that on every path."""
    switch = next((s.last(Eval) for s in visit.states), None)
    return switch if switch is not None and switch.built and visit.always("eval") else None


def _outside(program: Program, loop: Loop) -> list[Event]:
    """The switches to eval mode that stand outside of a loop."""
    return [e for e in program.of(Eval) if loop not in e.loops]


def eval_is_chosen(program: Program, module: Obj, visit: Visit) -> bool:
    """Whether a module is last put in eval mode as one outcome of a condition of which `train()` is the other, and for no forward in that branch.

    So it is where options alone decide whether it is put in train mode in the loops around the forward: `if args.train_mode: model.train()`.
    """
    trains = [e for e in program.of(Train) if program.touches(e, module)]
    forwards = [e for e in program.of(Forward) if module in e.subjects]
    chosen = [e for e in dict.fromkeys(s.last(Eval) for s in visit.sometimes("eval")) if e is not None]
    again = [e for e in trains if e.loops and e.loops == visit.event.loops[: len(e.loops)]]
    if again and all(_is_an_option(program, train, (visit.event, *chosen)) for train in again):
        return True
    return any(
        any(exclude_each_other(e, train) for train in trains) and not any(set(e.guards) <= set(forward.guards) for forward in forwards)
        for e in chosen
    )


def _is_an_option(program: Program, train: Event, others: Sequence[Event]) -> bool:
    """Whether a `train()` in a loop depends on what is the same in all turns and is no condition of some other events."""
    decided = (g for g in train.guards if g.depth >= len(train.loops) and not any(program.varies(g, loop) for loop in train.loops))
    return any(not any(stands_under(e, [guard]) for e in others) for guard in decided)


def may_train_again(program: Program, module: Obj, switch: Event, loop: Loop) -> bool:
    """Whether a call in a loop may be a `train()` of a module after a switch to eval mode.

    That is a `train()` of an object that may be the module, or one under a condition that is not known to agree with that of the switch.
    """
    for event in program.of(Train):
        touched = program.touches(event, module) if loop in event.loops else None
        apart = (program.varies(g, loop) and not is_within(switch, g) for g in event.guards if g.depth >= loop.depth)
        if touched == "may" or (touched == "must" and any(apart)):
            return True
    return False


def is_for_training(switch: Event, trained: Event) -> bool:
    """Whether eval mode is switched on by a `train()` of the program's own that is called without arguments, and trains nothing itself: it is its mode."""
    call = switch.calls[-1] if switch.calls else None
    if call is None or call in trained.calls:
        return False
    match call.node:
        case cst.Call(func=cst.Attribute(attr=cst.Name(value="train")), args=[]):
            return True
    return False


def trains_a_part(program: Program, module: Obj, loop: Loop) -> bool:
    """Whether a loop puts a part of a module alone in train mode: what is to be trained was chosen, as a new head on a frozen encoder."""
    parts = (o for e in program.of(Train) if loop in e.loops and module not in e.subjects for o in e.subjects)
    model = set(refs(module.model, Module)) if isinstance(module, Engine) else set()
    return any(module in o.lineage() or not model.isdisjoint(o.lineage()) for o in parts)


def validation_before(program: Program, module: Obj, switch: Event, trained: Event, loop: Loop) -> Forward | None:
    """The forward of a module, its whole or a part, in a loop for which it was put into eval mode: not trained then, and before the next that is.

    What may be a method of a model out of sight runs the whole, as its other methods do.
    """
    for event in program.of(Forward):
        if loop not in event.loops or event.index <= switch.index:
            continue
        in_turn = program.is_trained(event)
        if in_turn and not validates_in_its_turn(program, module, switch, event):
            continue
        applied = next(
            (o for o in event.subjects if module in o.lineage() or o in module.lineage() or _are_of_one(program, o, module, switch)), None
        )
        ways = [mode_states(program, applied, event, without) for without in ((), _outside(program, loop))] if applied is not None else []
        between = in_turn or trained.index < switch.index or event.index < trained.index
        if between and any(s.since is switch for visit in ways if visit is not None for s in visit.sometimes("eval")):
            return event
    return None


def _are_of_one(program: Program, one: Obj, other: Obj, switch: Event) -> bool:
    """Whether two names may be methods of one model out of sight, which a switch puts into a mode: `model.score(batch)` runs what `model.loss(batch)` trains."""
    return one.parent is other.parent in switch.subjects and program.may_be_a_method(one) and program.may_be_a_method(other)


def saved_after(program: Program, module: Obj, switch: Event, trained: Event, loop: Loop) -> Event | None:
    """Where the state of a module, its whole or a part is taken as what it was put into eval mode for: under the same conditions, before it is trained on."""
    for event in program.of(Snapshot):
        owners = [o.owner for o in subjects(event, StateDict)]
        of_it = any(module in o.lineage() or o in module.lineage() for o in owners)
        between = switch.index < event.index and (trained.index < switch.index or event.index < trained.index)
        if of_it and between and loop in event.loops and event.loops == switch.loops and stands_under(event, switch.guards):
            return event
    return None


def eval_mode_of_use(program: Program, module: Obj) -> frozenset[Forward]:
    """The forwards of a module, its whole or a part, that train nothing and that eval mode is of use to, but for those that always find train mode."""
    found = []
    for event in program.of(Forward):
        applied = next((o for o in event.subjects if module in o.lineage() or o in module.lineage()), None)
        if applied is None or event.decides or program.is_trained(event) or program.feeds_training(event) or program.looks_again(event):
            continue
        visit = mode_states(program, applied, event)
        if visit is None or not visit.always("train"):
            found.append(event)
    return frozenset(found)


def forwards_finding(program: Program, module: Obj, event: Event) -> Iterator[Forward]:
    """The forwards that may come after an event with no switch of a module's mode in between: they find the mode that it leaves."""
    switches = [e for e in program.of(Train, Eval, SetMode) if program.touches(e, module) == "must"]
    ends = {e.index for e in switches}
    work, seen = [event.index], {event.index}
    while work:
        for edge in program.graph.nodes[work.pop()].succ:
            if edge.target in seen or edge.target in ends:
                continue
            seen.add(edge.target)
            work.append(edge.target)
            other = program.graph.nodes[edge.target].event
            if isinstance(other, Forward) and not any(_lies_before(e, other, event) for e in switches):
                yield other


def _lies_before(switch: Event, event: Event, start: Event) -> bool:
    """Whether a switch stands on the way to an event, of one turn and under no further condition, and the way from a start leads by it."""
    passes = start.index < switch.index or event.index < start.index
    around = event.loops[: len(switch.loops)] == switch.loops
    return passes and around and switch.root == event.root and switch.index < event.index and stands_under(event, switch.guards)


def is_for_one(program: Program, switch: Event, event: Event, module: Obj) -> bool:
    """Whether eval mode is switched on for a forward: before it, or before its loop, and for none in between but those of one training, of features too.

    Or for all of a function, which puts train mode back after the forward.
    """
    between = (
        e for e in program.of(Forward) if module in e.subjects and switch.index < e.index < event.index and not exclude_each_other(e, event)
    )
    around = event.loops[: len(switch.loops)] == switch.loops
    return (
        around
        and switch.index < event.index
        and stands_under(event, switch.guards)
        and (all(_belongs_to(program, e, event) for e in between) or _is_ended_behind(program, switch, event, module))
    )


def _is_ended_behind(program: Program, switch: Event, event: Event, module: Obj) -> bool:
    """Whether the function that switches eval mode on ends that after a forward, in the same turn: `if was_training: model.train()`."""
    return any(
        module in e.subjects and e.index > event.index and e.loops == switch.loops and e.chain[:-1] == switch.chain[:-1]
        for e in program.of(Train, SetMode)
    )


def _belongs_to(program: Program, forward: Forward, trained: Event) -> bool:
    """Whether a forward belongs to the training of another one: it is trained beside it, gives what that takes, or makes its target."""
    if program.is_trained(forward):
        return (forward.loops == trained.loops and forward.guards == trained.guards) or program.gives_inputs(forward)
    return program.feeds_training(forward)
