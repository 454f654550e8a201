"""Forwards whose graph ends in a new tensor on the way to the loss: the parameters behind them get no gradients."""

from __future__ import annotations

from looplint.domain.objects import Module, Optimizer
from looplint.flow.events import Forward, Step
from looplint.queries.program import Program
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
