"""Repairs of what losses are given: logits where they expect logits."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from looplint.domain.values import Outcome
from looplint.flow.events import Event
from looplint.flow.remarks import Score
from looplint.queries.predictions import prediction
from looplint.repairs.draft import Draft, Infeasible
from looplint.repairs.layout import Layout, Statement
from looplint.repairs.names import reads, sets
from looplint.repairs.places import place_at
from looplint.repairs.planner import Planner
from looplint.repairs.repair import Plan, Repair


class DropActivation(Repair):
    """Give the loss the prediction as it came out of the last layer.

    Attributes:
        event: the loss.
        outcomes: the activations whose results it is given.
    """

    event: Event
    outcomes: tuple[Outcome, ...]

    def plan(self, p: Planner) -> Plan:
        sites = {id(o.site.node): o for o in self.outcomes}
        if len(sites) > 1:
            raise Infeasible("the activation is applied in more than one place")
        (outcome,) = sites.values()
        layout = p.layouts.of(outcome.site.module)
        place = place_at(self.event, len(self.event.calls), p.layouts)
        draft, node = Draft(layout), outcome.site.node
        if not isinstance(node, cst.Call):
            raise Infeasible("the activation is not called where it is applied")
        statement = layout.statement_of(node)
        if statement is None:
            raise Infeasible("the activation does not stand in a statement")
        if outcome.module is not None and node is outcome.module.node:
            call, index = _argument_of(statement, node)
            draft.remove_argument(call, index)
            return Plan(f"Drop {layout.code(node)}", "unsafe", [draft])
        inner = _inner(outcome, node)
        name = layout.code(inner)
        here = layout is place.layout and layout.function_of(statement) is layout.function_of(place.statement)
        if here and _contains(self.event.site.node, node):
            draft.replace(node, name)
            return Plan(f"Give the loss {name} itself", "safe", [draft])
        target = _target(statement, node, layout)
        given = prediction(self.event.site.node)
        named = here and target is not None and given is not None and layout.code(given) == target
        if (
            named
            and given is not None
            and target != name
            and isinstance(inner, cst.Name)
            and _keeps(layout, statement, place.statement, name)
        ):
            draft.replace(given, name)
            return Plan(f"Give the loss {name}, which {target} is made of", "safe", [draft])
        if target == name:
            draft.remove(statement)
        else:
            draft.replace(node, name)
        alone = named and target is not None and _uses(layout, statement, target) == 1
        return Plan(f"Drop the activation of {name}", "safe" if alone else "unsafe", [draft])


class TakeLogits(Repair):
    """Use the loss that takes logits.

    Attributes:
        event: the loss.
    """

    event: Event

    def plan(self, p: Planner) -> Plan:
        call, kind = self.event.site.node, next(iter(self.event.subjects), None)
        layout = p.layouts.of(self.event.site.module)
        if kind is not None:
            fed = [e.outcomes for e in p.program.of(Score) if kind in e.subjects]
            if any(not outcomes or any(o.op != "linear" for o in outcomes) for outcomes in fed):
                raise Infeasible("other predictions go through the same loss")
            if kind.source is None or not isinstance(kind.node, cst.Call):
                raise Infeasible("the loss is not built in the code that was read")
            call, layout = kind.node, p.layouts.of(kind.source)
        if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute):
            raise Infeasible("the loss has been imported by its own name")
        old = call.func.attr.value
        new = {"BCELoss": "BCEWithLogitsLoss", "binary_cross_entropy": "binary_cross_entropy_with_logits"}.get(old)
        if new is None or any(a.keyword is None and n > 1 for n, a in enumerate(call.args)):
            raise Infeasible("the loss is built in another way")
        draft = Draft(layout)
        draft.replace(call.func.attr, new)
        return Plan(f"Use {new}, which takes logits", "safe", [draft])


def _inner(outcome: Outcome, node: cst.Call) -> cst.BaseExpression:
    """What the activation is applied to."""
    if outcome.own and isinstance(node.func, cst.Attribute):
        return node.func.value
    first = next(
        (a.value for a in node.args if a.keyword is None and not a.star or a.keyword is not None and a.keyword.value == "input"), None
    )
    if first is None:
        raise Infeasible("what the activation is applied to has no name")
    return first


def _argument_of(statement: Statement, node: cst.CSTNode) -> tuple[cst.Call, int]:
    for each in _walk(statement.node):
        if isinstance(each, cst.Call):
            for index, arg in enumerate(each.args):
                if arg.value is node:
                    return each, index
    raise Infeasible("the activation is not an argument of the container")


def _walk(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    work = [node]
    while work:
        item = work.pop()
        yield item
        work.extend(item.children)


def _contains(outer: cst.CSTNode, inner: cst.CSTNode) -> bool:
    return any(each is inner for each in _walk(outer))


def _target(statement: Statement, node: cst.CSTNode, layout: Layout) -> str | None:
    """The name that gets the result of a call, if nothing else is done with it."""
    assigned = statement.node
    if isinstance(assigned, cst.Assign) and assigned.value is node and len(assigned.targets) == 1:
        return layout.code(assigned.targets[0].target)
    return None


def _keeps(layout: Layout, first: Statement, last: Statement, name: str) -> bool:
    """Whether no statement between two of one function gives a name a new value."""
    between = [s for s in layout.by_node.values() if first.start < s.start < last.start and not s.blocks]
    return not any(name in sets(s.node) for s in between)


def _uses(layout: Layout, statement: Statement, name: str) -> int:
    """How many statements of the same function, besides the one that sets it, use a name."""
    function = layout.function_of(statement)
    own = [s for s in layout.by_node.values() if layout.function_of(s) is function and not s.blocks and s is not statement]
    return sum(name in reads(s.node) for s in own)
