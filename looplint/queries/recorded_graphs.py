"""The graphs of forwards: which are recorded, for all that is known, and which torch refuses to turn into arrays."""

from __future__ import annotations

from looplint.domain.objects import Module
from looplint.flow.events import Forward
from looplint.flow.remarks import Export
from looplint.queries.program import Program
from looplint.queries.relations import only_in_train_mode, related


def records_a_graph(program: Program, event: Forward) -> bool:
    """Whether a forward records its graph, and nothing says that the program wants it."""
    if event.grad is not True:
        return False  # a decorator, a context or a caller that disables gradients
    if event.enabled or only_in_train_mode(event):
        return False  # a context that enables gradients, which are wanted then, or the branch of `if model.training:`
    if event.key in program.uses.differentiated or program.for_input_gradient(event):
        return False  # a forward that is differentiated by its inputs
    if event.frozen or event.bare:
        return False  # a model that is frozen, or a module without parameters
    if event.volatile:
        return False  # an input that is volatile, of which torch itself says that it has no effect
    trained = related(program.stepped_modules, event.subjects)
    return trained or event.key not in program.uses.graphless or not _is_made_out_of_sight(event)


def refusal(program: Program, event: Forward) -> Export | None:
    """Where the result of a forward that records its graph becomes an array as it is, if the program trains its model, which is not frozen then."""
    if not related(program.stepped_modules, event.subjects):
        return None
    return next((e for e in program.of(Export) if event.key in e.forwards and e.certain), None)


def _is_made_out_of_sight(event: Forward) -> bool:
    """Whether a model may be frozen where it is made, or have a method that disables gradients: it is handed in, or comes out of a file."""
    return any(isinstance(o, Module) and (o.symbolic or o.unpickled) for each in event.subjects for o in each.lineage())
