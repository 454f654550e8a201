"""What is differentiated by other things than an optimizer's parameters: by a model in its own forward, and by inputs in an attack."""

from __future__ import annotations

from looplint.domain.objects import Container, Engine, Module, Obj, Optimizer
from looplint.domain.values import Ref
from looplint.flow.events import Backward, Step
from looplint.queries.program import Program


def differentiates_within(module: Obj) -> bool:
    """Whether the forward of a module, or of any of its parts, differentiates something: forces of an energy, an optimization in a layer."""
    seen: set[Obj] = set()
    work = [module]
    while work:
        obj = work.pop()
        if obj in seen:
            continue
        seen.add(obj)
        if isinstance(obj, Module) and obj.differentiates:
            return True
        held = (a.obj for value in obj.heap.values() for a in value if isinstance(a, Ref))
        work.extend(o for o in (*held, *obj.one_of) if isinstance(o, Module | Container))
    return False


def backwards_for_inputs(program: Program, optimizer: Optimizer | Engine) -> frozenset[Backward]:
    """The backwards in loops that read the gradients of inputs and in which an optimizer does not step: an attack.

    What they leave in its parameters is no batch's gradient, and is rightly cleared. What is written into gradients there is for a step.
    """
    stepped = {loop for step in program.of(Step) if program.touches(step, optimizer) for loop in step.loops}
    attacks = program.gradients.read_of_tensors - stepped
    return frozenset(e for e in program.of(Backward) if e.loops and e.loops[-1] in attacks and not e.manual)
