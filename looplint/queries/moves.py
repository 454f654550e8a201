"""Moves and conversions of models: what they change, and whether they matter to an optimizer."""

from __future__ import annotations

import libcst as cst

from looplint.domain.objects import Engine, Loss, Module, Obj, Optimizer, TorchModule
from looplint.domain.values import constant_of, refs
from looplint.flow.events import Event, Forward, LoadState, Move, Step
from looplint.flow.remarks import Discard
from looplint.queries.program import Program
from looplint.queries.registration import with_parameters
from looplint.queries.relations import exclude_each_other, may_follow, related, rule_each_other_out, subjects

_CONVERSIONS = ("half", "double", "bfloat16", "float")


def converts(event: Move) -> str:
    """What a move changes: the device, or the type it converts to."""
    if event.method in _CONVERSIONS:
        return event.method
    first = constant_of(event.args.positional[0]) if event.args.positional else None
    to_a_type = event.method == "to" and first is None and "dtype" in event.args.keywords
    return "type" if event.method == "type" or to_a_type else "device"


def moved_already(program: Program, event: Move, construct: Event) -> bool:
    """Whether a move of the same kind stood before an optimizer was built, an earlier move or an accelerator took the model there, or it was built there."""
    # `from_pretrained(name, device_map="auto")` builds a model on its devices.
    if any(m.arguments is not None and "device_map" in m.arguments.keywords for m in subjects(event, Module)):
        return True
    if converts(event) == "device" and any(m.prepared for m in subjects(event, Module)):
        return True
    alike = [e for e in program.of(Move) if converts(e) == converts(event)]
    if any(e.subjects & event.subjects and (e.index < construct.index or _goes_there(e, event)) for e in alike):
        return True
    before = frozenset().union(*(e.subjects for e in alike if e.index < construct.index))
    modules = subjects(event, TorchModule)
    return bool(modules) and all(_is_moved(module, before) for module in modules)


def _is_moved(module: TorchModule, moved: frozenset[Obj], depth: int = 4) -> bool:
    """Whether a module was moved, or what it is a part of, or all parts that are known of it: `Wrapper(net.to(device))`.

    One of several was moved where each was; a loss has nothing to be moved.
    """
    if isinstance(module, Loss) or not moved.isdisjoint(module.lineage()):
        return True
    if module.one_of:
        return depth > 0 and all(isinstance(each, TorchModule) and _is_moved(each, moved, depth - 1) for each in module.one_of)
    parts = [part for value in module.heap.values() for part in refs(value, TorchModule)]
    return bool(parts) and depth > 0 and all(_is_moved(part, moved, depth - 1) for part in parts)


def leaves_models_behind(program: Program, event: Discard) -> bool:
    """Whether a tensor that goes to a device may leave behind a model that its function applies: nothing takes that one there, as far as one can see.

    A model from out of sight is there where the function takes something else there, and keeps it.
    """
    if event.changes != "device" or event.method in ("cpu", "pin_memory"):
        return False
    here = len(event.calls)
    applied = {m for e in program.of(Forward) if e.root == event.root and e.calls[:here] == event.calls for m in subjects(e, Module)}
    taken = [e for e in program.of(Move) if converts(e) == "device" and e.device != "cpu" and (e.device is not None or not e.dtype)]
    moved = frozenset().union(*(e.subjects for e in taken))
    return any(with_parameters(m) and not (event.beside if _may_begin_elsewhere(m) else _is_moved(m, moved)) for m in applied)


def built_since(event: Move) -> bool:
    """Whether what is moved is built in the same expression, when an optimizer before it had its parameters: it holds none of these."""
    call = event.site.node
    made = call.func.value if isinstance(call, cst.Call) and isinstance(call.func, cst.Attribute) else None
    return made is not None and all(obj.node is made for obj in event.subjects)


def _goes_there(earlier: Move, event: Move) -> bool:
    """Whether a move has already taken a model where another one would."""
    return earlier.index < event.index and earlier.certain and earlier.args == event.args


def stays_on_cpu(program: Program, event: Move) -> bool:
    """Whether a move takes to the CPU what was built there, and nothing on its way may have taken it to another device."""
    built = subjects(event, TorchModule)
    if (
        event.method == "to_empty"
        or event.device != "cpu"
        or converts(event) != "device"
        or not built
        or any(_may_begin_elsewhere(m) for m in built)
    ):
        return False
    others = [e for e in program.of(Move) if e.device != "cpu" and related(e.subjects, built) and may_follow(event, e)]
    return all(exclude_each_other(e, event) for e in others)


def _may_begin_elsewhere(module: TorchModule) -> bool:
    """Whether a module may have been on another device when the program got it: it comes from outside, or is told where to be built."""
    told = module.arguments is not None and "device" in module.arguments.keywords if isinstance(module, Module | Loss) else False
    return module.symbolic or told or (isinstance(module, Module) and module.prepared)


def built_for_others(program: Program, event: Event, construct: Event, optimizer: Optimizer) -> bool:
    """Whether an optimizer comes with what a call of the file that an event stands in builds in another one, and the program never steps it."""
    here = event.site.module
    return construct.site.module is not here and any(call.module is here for call in construct.calls) and not is_used(program, optimizer)


def never_steps_after(program: Program, event: Event, optimizer: Optimizer | Engine) -> bool:
    """Whether the way on which an event happens is one on which an optimizer that steps elsewhere does not."""
    steps = [e for e in program.of(Step) if optimizer in e.subjects]
    after = [e for e in steps if may_follow(e, event) and not exclude_each_other(e, event)]
    return bool(steps) and not after and not program.escapes(optimizer)


def held_under_the_opposite(event: Move) -> bool:
    """Whether the parameters of what is moved are only requested under conditions that rule out those of the move."""
    conditions = [guards for module in subjects(event, Module) for guards in module.parameters_read_under]
    return bool(conditions) and all(rule_each_other_out(event.guards, guards) for guards in conditions)


def is_used(program: Program, optimizer: Optimizer) -> bool:
    """Whether an optimizer steps, or may do so in code that is not followed."""
    return program.escapes(optimizer) or any(optimizer in e.subjects for e in program.of(Step))


def state_loaded(program: Program, optimizer: Optimizer, construct: Event, move: Event) -> Event | None:
    """Where an optimizer is given a state between its construction and a move, unless the program moves that state itself, or gives it one once more.

    A state that is loaded goes to where the parameters are: `opt.load_state_dict(opt.state_dict())` takes it behind a model.
    """
    loads = [e for e in program.of(LoadState) if optimizer in e.subjects and e.index > construct.index and not exclude_each_other(e, move)]
    given = [e for e in loads if e.index < move.index and e.certain]
    taken_along = optimizer.state_asked or any(e.index > move.index for e in loads)
    return given[0] if given and not taken_along else None
