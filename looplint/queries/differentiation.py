"""What is differentiated by other things than an optimizer's parameters: by a model in its own forward, and by inputs in an attack."""

from __future__ import annotations

from collections.abc import Iterable, Set

from looplint.domain.objects import Container, Engine, Module, Obj, Optimizer
from looplint.domain.values import Ref
from looplint.flow.events import Backward, Clear, Forward, Step
from looplint.flow.graph import Loop
from looplint.flow.remarks import Differentiate
from looplint.queries.program import Program


def differentiating_forwards(program: Program) -> list[Forward]:
    """The forwards of modules that differentiate something in them, or any part of which does: forces of an energy, an optimization in a layer.

    Of a module that is one of several, those count that it may be there.
    """
    known: dict[tuple[Obj, ...], bool] = {}
    found = []
    for event in program.of(Forward):
        modules = _applied(event)
        if modules not in known:
            known[modules] = _differentiate_within(modules)
        if known[modules]:
            found.append(event)
    return found


def needs_its_graph(event: Forward) -> bool:
    """Whether a forward is one of these that finds its gradients enabled, and does not enable them itself."""
    return _differentiate_within(_applied(event), but_where_they_enable=True)


def _applied(event: Forward) -> tuple[Obj, ...]:
    return event.one_of or tuple(event.subjects)


def _differentiate_within(modules: Iterable[Obj], *, but_where_they_enable: bool = False) -> bool:
    seen: set[Obj] = set()
    work = [*modules]
    while work:
        obj = work.pop()
        if obj in seen:
            continue
        seen.add(obj)
        if isinstance(obj, Module) and obj.differentiates and not (but_where_they_enable and obj.enables_gradients):
            return True
        held = (a.obj for value in obj.heap.values() for a in value if isinstance(a, Ref))
        work.extend(o for o in (*held, *obj.one_of) if isinstance(o, Module | Container))
    return False


def may_be_differentiated_again(program: Program, backward: Backward) -> bool:
    """Whether derivatives may be asked for that go through the graph of a backward once more: not those that it is computed from, in the same turn."""
    forwards = backward.forwards & program.uses.differentiated
    if not forwards.isdisjoint(program.uses.differentiated_elsewhere):
        return True
    asked = [(e, shared) for e in program.of(Differentiate) if (shared := e.forwards & forwards)]
    return not forwards <= {key for _, shared in asked for key in shared} or not all(
        _stand_before(backward, event, program.forwards_of(shared)) for event, shared in asked
    )


def _stand_before(backward: Backward, asked: Differentiate, forwards: list[Forward]) -> bool:
    """Whether derivatives are asked for between some forwards and a backward, in each turn of its loop."""
    loop = backward.loops[-1] if backward.loops else None
    in_turn = loop is not None and loop in asked.loops and asked.root == backward.root
    return (
        in_turn and not asked.again and asked.index <= backward.index and all(loop in e.loops and e.index < asked.index for e in forwards)
    )


def backwards_not_for(program: Program, optimizer: Optimizer | Engine) -> frozenset[Backward]:
    """The backwards whose gradients are not those that an optimizer is to step on, though they are its parameters': they are rightly cleared."""
    return _for_inputs(program, optimizer) | _for_others(program, optimizer)


def _for_inputs(program: Program, optimizer: Optimizer | Engine) -> frozenset[Backward]:
    """The backwards in loops that read the gradients of inputs, or fit an input, and in which an optimizer does not step: an attack.

    What they leave in its parameters is no batch's gradient, and is rightly cleared. What is written into gradients there is for a step.
    """
    read = program.gradients.read_of_tensors
    fitting = [(o, e.loops[-1]) for e in program.of(Step) if e.loops for o in e.subjects if isinstance(o, Optimizer) and _has_inputs(o)]
    if not read and not fitting:
        return frozenset()
    stepped = {loop for step in program.of(Step) if program.touches(step, optimizer) for loop in step.loops}
    cleared = {loop for e in program.of(Clear) if optimizer in e.subjects for loop in e.loops}
    found = frozenset(e for e in program.of(Backward) if e.loops and e.loops[-1] in read - stepped and not e.manual)
    return found | _for_fitted_inputs(program, fitting, stepped | cleared)


def _for_others(program: Program, optimizer: Optimizer | Engine) -> frozenset[Backward]:
    """The backwards on which another optimizer steps before this one's gradients are cleared for its own: what they leave in shared parameters is wiped rightly."""
    clears = [e for e in program.of(Clear) if e.loops and optimizer in e.subjects and program.touches(e, optimizer) == "must"]
    cleared = {e.loops[-1] for e in clears}
    steps = [e for e in program.of(Step) if e.loops and e.loops[-1] in cleared]
    backwards = [e for e in program.of(Backward) if e.loops and e.loops[-1] in cleared and program.touches(e, optimizer)]
    found: set[Backward] = set()
    for event in backwards:
        loop = event.loops[-1]
        last = max(e.index for e in backwards if e.loops[-1] is loop)
        behind = [e for e in steps if e.loops[-1] is loop and e.index > event.index]
        end = min((e.index for e in behind if optimizer in e.subjects), default=last)
        others = [e for e in behind if optimizer not in e.subjects and any(program.touches(event, o) == "must" for o in e.subjects)]
        start = min((e.index for e in others), default=last)
        if any(e.loops[-1] is loop and start < e.index < min(end, last) for e in clears):
            found.add(event)
    return frozenset(found)


def _for_fitted_inputs(program: Program, fitting: Iterable[tuple[Optimizer, Loop]], own: Set[Loop]) -> frozenset[Backward]:
    """The backwards in other loops than some that fit an input: `mask = nn.Parameter(...)`, `optim.Adam([mask])`, and a step on it in each turn."""
    return frozenset(
        e
        for e in program.of(Backward)
        if e.loops
        and e.loops[-1] not in own
        and any(loop is e.loops[-1] and (program.touches(e, o) == "must" or o.of_tensors) for o, loop in fitting)
    )


def _has_inputs(optimizer: Optimizer) -> bool:
    """Whether all that an optimizer holds are tensors, or parameters that are no part of a module."""
    if not optimizer.holds:
        return optimizer.of_tensors
    return all(isinstance(o, Module) and o.parameter and o.parent is None for o in optimizer.holds)
