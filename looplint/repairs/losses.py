"""Repairs of losses: divided by the number of batches, and given logits where they expect logits."""

from __future__ import annotations

import re

import libcst as cst

from looplint.domain.values import Outcome
from looplint.flow.events import Backward, Event, Step
from looplint.flow.remarks import Score
from looplint.queries.predictions import prediction
from looplint.repairs.draft import Draft, Infeasible
from looplint.repairs.layout import Layout, Statement, walk
from looplint.repairs.names import reads, sets
from looplint.repairs.places import meet, place_at
from looplint.repairs.planner import Planner
from looplint.repairs.repair import Plan, Repair

__all__ = ["ChooseLoss", "DivideLoss", "DropActivation", "TakeLogits"]


class DivideLoss(Repair):
    """Divide the loss where it goes backward; what is logged of it stays as it is.

    Attributes:
        backward: the backward of the loss.
        every: by what it is divided, as the code writes it.
        step: the step that is made once in so many batches.
    """

    backward: Backward
    every: str
    step: Step

    def plan(self, p: Planner) -> Plan:
        place, guarded = meet(self.backward, self.step, p.layouts)
        node = self.backward.site.node
        if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
            raise Infeasible("its loss cannot be found in the text")
        if (
            not (place.direct and guarded.direct)
            and not (self.every.startswith("self.") and _same_class(p, self.backward, self.step))
            and not self.every.isdigit()
        ):
            raise Infeasible(f"{self.every} is not known where the backward is")
        layout = p.layouts.of(self.backward.site.module)
        draft = Draft(layout)
        factor = self.every if re.fullmatch(r"[\w.]+|len\(.*\)", self.every) else f"({self.every})"
        loss: cst.BaseExpression = node.func.value
        outside = node.func.attr.value != "backward" or bool(node.args and node.args[0].keyword is None)
        if outside and node.args:  # accelerator.backward(loss), torch.autograd.backward(loss)
            draft.replace(node.args[0].value, f"{_operand(layout.code(node.args[0].value), node.args[0].value)} / {factor}")
        elif isinstance(loss, cst.Call) and isinstance(loss.func, cst.Attribute) and loss.func.attr.value == "scale" and loss.args:
            inner = loss.args[0].value
            draft.replace(inner, f"{_operand(layout.code(inner), inner)} / {factor}")
        elif loss.lpar:
            draft.replace(loss, f"({layout.code(loss)}) / {factor}")
        else:
            draft.replace(loss, f"({layout.code(loss)} / {factor})")
        return Plan(f"Divide the loss by {self.every}", "unsafe", [draft])


class ChooseLoss(Repair):
    """No change: the activation is one too many, or another loss is meant, and the program does not tell which.

    Attributes:
        activation: what the prediction came out of: "softmax" or "sigmoid".
    """

    activation: str

    def plan(self, p: Planner) -> Plan:
        raise Infeasible(f"either the {self.activation} is one too many, or another loss is meant")


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
            raise Infeasible("the activation is not in a statement")
        if outcome.module is not None and node is outcome.module.node:
            call, index = _argument_of(statement, node)
            draft.remove_argument(call, index)
            return Plan(f"Remove {layout.code(node)}", "unsafe", [draft])
        inner = _inner(outcome, node)
        name = layout.code(inner)
        here = layout is place.layout and layout.function_of(statement) is layout.function_of(place.statement)
        if here and _contains(self.event.site.node, node):
            draft.replace(node, name)
            return Plan(f"Pass {name} itself to the loss", "safe", [draft])
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
            return Plan(f"Pass {name}, from which {target} is computed, to the loss", "safe", [draft])
        if target == name:
            draft.remove(statement)
        else:
            draft.replace(node, name)
        alone = named and target is not None and _uses(layout, statement, target) == 1
        return Plan(f"Remove the activation of {name}", "safe" if alone else "unsafe", [draft])


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
                raise Infeasible("the construction of the loss was not found")
            call, layout = kind.node, p.layouts.of(kind.source)
        if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute):
            raise Infeasible("the loss has been imported by its own name")
        old = call.func.attr.value
        new = {"BCELoss": "BCEWithLogitsLoss", "binary_cross_entropy": "binary_cross_entropy_with_logits"}.get(old)
        if new is None or any(a.keyword is None and n > 1 for n, a in enumerate(call.args)):
            raise Infeasible("the construction of the loss has another form")
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
        raise Infeasible("the input of the activation has no name")
    return first


def _argument_of(statement: Statement, node: cst.CSTNode) -> tuple[cst.Call, int]:
    for each in walk(statement.node):
        if isinstance(each, cst.Call):
            for index, arg in enumerate(each.args):
                if arg.value is node:
                    return each, index
    raise Infeasible("the activation is not an argument of the container")


def _contains(outer: cst.CSTNode, inner: cst.CSTNode) -> bool:
    return any(each is inner for each in walk(outer))


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


def _same_class(p: Planner, one: Event, two: Event) -> bool:
    """Whether two events stand in methods of one class."""
    places = [place_at(e, len(e.calls), p.layouts) for e in (one, two)]
    functions = [place.layout.function_of(place.statement) for place in places]
    classes = {f.block.owner for f in functions if f is not None}
    return None not in functions and None not in classes and len(classes) == 1


def _operand(code: str, node: cst.BaseExpression) -> str:
    return code if isinstance(node, cst.Name | cst.Attribute | cst.Call | cst.Subscript) or node.lpar else f"({code})"
