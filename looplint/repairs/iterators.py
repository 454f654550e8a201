"""Repairs of iterators that are gone through more than once: lists in their places."""

from __future__ import annotations

import libcst as cst

from looplint.domain.objects import ParameterIterator
from looplint.flow.events import Escape, Event, Exhaust, Freeze, LoadState, MakeIterator, Replace, Thaw
from looplint.repairs.draft import Draft, Infeasible
from looplint.repairs.layout import Layout
from looplint.repairs.names import dotted
from looplint.repairs.places import place_at
from looplint.repairs.planner import Planner
from looplint.repairs.repair import Plan, Repair

__all__ = ["MakeList"]


class MakeList(Repair):
    """Make a list of an iterator over parameters where it is made: `params = net.parameters()` becomes `params = list(net.parameters())`.

    Attributes:
        iterator: the iterator.
        made: where it is made.
        used: what goes through it first.
    """

    iterator: ParameterIterator
    made: MakeIterator
    used: Exhaust

    def plan(self, p: Planner) -> Plan:
        place = place_at(self.made, len(self.made.calls), p.layouts)
        layout, value, name = place.layout, self.made.site.node, self.iterator.name
        if isinstance(place.statement.node, cst.AnnAssign):
            raise Infeasible("an annotation says what it is")
        draft = Draft(layout)
        start, end = layout.extent(value)
        if isinstance(value, cst.GeneratorExp) and layout.text[start - 1 : start] == "(":
            draft.insert(start - 1, "list")
        else:
            draft.insert(start, "list(")
            draft.insert(end, ")")
        safe = not self._may_change(p) and not _is_asked_for_items(p, layout, name)
        return Plan(f"Make {name} a list", "safe" if safe else "unsafe", [draft])

    def _may_change(self, p: Planner) -> bool:
        """Whether what it gives may be other parameters where it is gone through than where it is made."""
        if self.used.root != self.made.root or self.used.index < self.made.index:
            return True
        between = (e for e in p.program.of(Escape, Freeze, Thaw, Replace, LoadState) if self.made.index < e.index < self.used.index)
        return any(_changes_what_there_is(e, self.iterator) for e in between)


def _changes_what_there_is(event: Event, iterator: ParameterIterator) -> bool:
    """Whether an event may add parameters to a model, take some out, or let others be chosen."""
    if isinstance(event, Escape):
        return not event.output
    return isinstance(event, Replace) or iterator.chooses


def _is_asked_for_items(p: Planner, layout: Layout, name: str) -> bool:
    """Whether a file takes single items of an iterator, as no list gives them: `next(params)`."""
    for node in p.nodes_in(layout.top.node):
        match node:
            case cst.Call(func=cst.Name("next"), args=[given, *_]) if dotted(given.value) == name:
                return True
            case cst.Attribute(value=owner, attr=cst.Name("__next__" | "send" | "close")) if dotted(owner) == name:
                return True
    return False
