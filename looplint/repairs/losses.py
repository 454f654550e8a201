"""Repairs of losses: divided by the number of batches, and changed to those that take what they are given."""

from __future__ import annotations

import re

import libcst as cst

from looplint.flow.events import Backward, Event, Step
from looplint.flow.remarks import Score
from looplint.repairs.draft import Draft, Infeasible
from looplint.repairs.places import meet, place_at
from looplint.repairs.planner import Planner
from looplint.repairs.repair import Plan, Repair

__all__ = ["ChooseLoss", "DivideLoss", "TakeLogits"]


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


def _same_class(p: Planner, one: Event, two: Event) -> bool:
    """Whether two events stand in methods of one class."""
    places = [place_at(e, len(e.calls), p.layouts) for e in (one, two)]
    functions = [place.layout.function_of(place.statement) for place in places]
    classes = {f.block.owner for f in functions if f is not None}
    return None not in functions and None not in classes and len(classes) == 1


def _operand(code: str, node: cst.BaseExpression) -> str:
    return code if isinstance(node, cst.Name | cst.Attribute | cst.Call | cst.Subscript) or node.lpar else f"({code})"
