"""Why no gradients reach what an optimizer holds: the graph ends in a new tensor, another model than its own is trained, or nothing goes backward."""

from __future__ import annotations

from looplint.domain.objects import Module, Obj, Optimizer
from looplint.domain.values import refs
from looplint.flow.events import Backward, Clear, Construct, Forward, Step
from looplint.flow.graph import Loop
from looplint.flow.remarks import Objective
from looplint.queries.program import Program
from looplint.queries.registration import with_parameters
from looplint.queries.relations import related


def cut_off(program: Program, optimizer: Optimizer, step: Step) -> Forward | None:
    """A forward in the loop of a step whose values go backward without its graph, and of whose module no forward in the program is trained.

    Only a graph that ends by accident counts: a `Variable`, or a new tensor that asks for gradients. What is detached is so on purpose.
    """
    loop = step.loops[-1]
    uses = program.uses
    reached = uses.trained | uses.attacked | uses.differentiated
    forwards = program.of(Forward)
    for event in forwards:
        if loop not in event.loops or not event.grad or not event.certain or event.frozen or len(event.subjects) != 1:
            continue
        if event.key not in uses.cut_off or event.key not in uses.supervising or event.key in reached:
            continue
        (module,) = event.subjects
        if not isinstance(module, Module) or module.symbolic or module.escaped or not related(optimizer.holds, {module}):
            continue
        if not any(e.key in reached and related(e.subjects, {module}) for e in forwards):
            return event
    return None


def may_be_of_any(program: Program, event: Backward) -> bool:
    """Whether a backward that is no known optimizer's may be that of any: what goes backward is not known, or came out of modules that have no parameters.

    A layer that solves or renders has a graph because of what it was given, in whichever way it got that; so has a model whose parameters were replaced.
    """
    if program.flags.replaces_parameters:
        return True
    if any(program.touches(event, optimizer) for optimizer in program.optimizers):
        return False
    return not event.known or (bool(event.subjects) and not any(isinstance(o, Module) and with_parameters(o) for o in event.subjects))


def is_meant_for(program: Program, event: Backward, step: Step) -> bool:
    """Whether a function is given a loss, sends it backward and steps, with no step beside that it would fill: `optimize(loss)` means its own optimizer.

    Where such a step seems to have no gradients, the way of the loss to the parameters is not understood.
    """
    here = event.root, event.calls
    if not event.calls or (step.root, step.calls) != here or event.loops != step.loops or event.index > step.index:
        return False
    if any(e.root == event.root and e.calls[: len(event.calls)] == event.calls for e in program.of(Forward)):
        return False  # the function computes the loss itself
    beside = [e for e in program.of(Step) if e is not step and (e.root, e.calls) == here]
    return not any(program.touches(event, optimizer) for each in beside for optimizer in each.subjects)


def trains_its_successor(program: Program, optimizer: Optimizer, event: Forward) -> bool:
    """Whether a forward trains a model that took the name of the one that an optimizer holds, and no optimizer holds it."""
    (module,) = event.subjects
    if not isinstance(module, Module) or module.symbolic or related(program.held_modules, {module}):
        return False
    before = any(h.name and h.name == module.name and not h.symbolic for h in optimizer.holds)
    built = {obj: n for n, e in enumerate(program.of(Construct)) for obj in e.subjects}
    later = built.get(module, -1) > built.get(optimizer, len(built))
    return before and later and program.is_trained(event) and event.certain


def trains_a_copy(program: Program, optimizer: Optimizer, event: Forward) -> bool:
    """Whether a forward trains a copy of what an optimizer holds, and no optimizer holds the copy."""
    (module,) = event.subjects
    original = module.original if isinstance(module, Module) else None
    copied = original is not None and program.is_trained(event) and event.certain and related(optimizer.holds, {original})
    return copied and not related(program.held_modules, {module})


def trains_another(program: Program, optimizer: Optimizer, event: Forward) -> bool:
    """Whether a forward trains a model that no optimizer holds, in place of what an optimizer holds and nothing differentiates: all of them are known."""
    trained = (
        holds_known_models(optimizer) and program.is_trained(event) and event.certain and not event.frozen and len(event.subjects) == 1
    )
    return trained and all(map(is_whole_model, event.subjects)) and not related(program.held_modules, event.subjects)


def holds_known_models(optimizer: Obj) -> bool:
    """Whether all that an optimizer holds are the parameters of models that are known."""
    return isinstance(optimizer, Optimizer) and optimizer.exact and bool(optimizer.holds) and all(map(is_whole_model, optimizer.holds))


def is_whole_model(obj: Obj) -> bool:
    """Whether an object is a model that is built in sight, with parameters of its own that nothing else has: no code out of sight has got it."""
    if not isinstance(obj, Module) or obj.escaped or obj.parameter or not with_parameters(obj):
        return False
    parts = _parts_of(obj)
    known = not any(part.symbolic or part.many or part.one_of for part in (obj, *parts))
    return known and {*parts, *obj.lineage()}.issuperset(each for part in parts for each in part.lineage())


def _parts_of(module: Module) -> set[Module]:
    """The modules that a module holds, and those in them."""
    found: set[Module] = set()
    work: list[Module] = [module]
    while work:
        more = {part for value in work.pop().heap.values() for part in refs(value, Module)} - found
        found |= more
        work += more
    return found


def objective_of(program: Program, optimizer: Optimizer, loop: Loop) -> Objective | None:
    """A loss of the parameters themselves that an optimizer holds, in a loop in which nothing goes backward, nor fills gradients of tensors by hand."""
    by_hand = loop in program.gradients.read_of_tensors or any(loop in e.loops and e.of_inputs for e in program.of(Clear))
    if by_hand or any(loop in e.loops for e in program.of(Backward)):
        return None
    losses = (e for e in program.of(Objective) if loop in e.loops)
    return next((e for e in losses if (related(optimizer.holds, e.subjects) if e.subjects else optimizer.of_tensors)), None)
