"""Letting go of an analysis that is done.

Frames, objects and functions of the abstract program refer to each other in circles, and to the syntax trees of all modules that were read. The linter
has Python look for such circles rarely, since a search costs what all living objects cost; opened here, they are freed at once.
"""

from __future__ import annotations

from looplint.interpreter.interpreter import Interpreter


def release(interp: Interpreter) -> None:
    """Open the circles of an analysis of which nothing is asked any more. Neither it nor its project can be used afterwards."""
    for module in (interp.main, *interp.project.modules):
        if module.frame is not None:
            module.frame.locals.clear()
        module.frame = module.code = None
    for frame in interp.enclosing:
        for kept in (frame.locals, frame.returns, frame.pauses, frame.endless):
            kept.clear()
    for obj in interp.heap.objects.values():
        obj.heap.clear()
    for node in interp.graph.nodes:
        node.succ.clear()
        node.event = None
    vars(interp).clear()
