"""Iterators over parameters: where they are made, and what goes through them."""

from __future__ import annotations

from looplint.domain.objects import ParameterIterator
from looplint.flow.events import Exhaust, MakeIterator
from looplint.queries.program import Program


def making_of(program: Program, iterator: ParameterIterator) -> MakeIterator | None:
    """Where an iterator is made; None where no event of the graph tells."""
    return next((e for e in program.of(MakeIterator) if iterator in e.subjects), None)


def used_where_made(program: Program, iterator: ParameterIterator) -> Exhaust | None:
    """What goes through an iterator as soon as it is made, whatever runs there: what meets it after that function meets it used up.

    As a constructor makes it for an attribute, builds an optimizer from it, and leaves it to the other methods.
    """
    made = making_of(program, iterator)
    if made is None:
        return None
    uses = (e for e in program.of(Exhaust) if iterator in e.subjects and e.certain and e.root == made.root and e.index > made.index)
    return next((e for e in uses if (e.guards, e.loops) == (made.guards, made.loops)), None)
