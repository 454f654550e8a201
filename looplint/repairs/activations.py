"""Repairs of what a loss is given: logits where it expects logits, and probabilities as before for all others."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from looplint.domain.objects import Obj
from looplint.domain.values import Outcome
from looplint.flow.events import Event
from looplint.queries.predictions import prediction
from looplint.repairs.draft import Draft, Infeasible
from looplint.repairs.layout import Layout, Statement
from looplint.repairs.names import dotted, reads, sets
from looplint.repairs.outputs import taken_elsewhere
from looplint.repairs.places import place_at
from looplint.repairs.planner import Planner
from looplint.repairs.repair import Plan, Repair
from looplint.syntax.nodes import children, walk

__all__ = ["DropActivation"]


class DropActivation(Repair):
    """Give the loss the prediction as it came out of the last layer; what others are given of it stays as it is.

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
            self._refuse_if_taken(p, layout, statement, outcome)
            if (activation := _given_activation(node)) is not None:
                draft.remove_argument(node, activation)
                return Plan(f"Remove {layout.code(node.args[activation])}", "unsafe", [draft])
            call, index = _argument_of(statement, node)
            draft.remove_argument(call, index)
            return Plan(f"Remove {layout.code(node)}", "unsafe", [draft])
        inner = _inner(outcome, node)
        name = layout.code(inner)
        here = layout is place.layout and layout.function_of(statement) is layout.function_of(place.statement)
        if here and _contains(self.event.site.node, node):
            draft.replace(node, name)
            return Plan(f"Pass {name} itself to the loss", "safe", [draft])
        held = _held(statement, layout)
        given = prediction(self.event.site.node) if here else None
        others = _others(layout, statement, held, given) if held is not None else 0
        # In a function of its own one other use is the way to the loss.
        shared = others > (0 if here else 1)
        target = held if isinstance(statement.node, cst.Assign) and statement.node.value is node else None
        passed = _named(given, target) if given is not None and _keeps(layout, statement, place.statement, target or "") else []
        if passed and isinstance(inner, cst.Name) and target != name and _keeps(layout, statement, place.statement, name):
            for each in passed:
                draft.replace(each, name)
            return Plan(f"Pass {name}, from which {target} is computed, to the loss", "safe", [draft])
        if shared:
            if not passed:
                raise Infeasible(f"{held} is used elsewhere too")
            logits = _new_name(layout, statement, "logits")
            draft.line_before(statement, f"{logits} = " + (f"({name})" if "\n" in name else name))
            for each in (inner, *passed):
                draft.replace(each, logits)
            return Plan(f"Pass what {target} is computed from to the loss", "safe", [draft])
        if not here:
            self._refuse_if_taken(p, layout, statement, outcome)
        if not here and any(_is_handed_out(module, layout, statement) for module in p.program.modules):
            raise Infeasible("code that cannot be followed gets the probabilities too")
        if target == name:
            draft.remove(statement)
        else:
            draft.replace(node, name)
        alone = here and target is not None and given is not None and layout.code(given) == target
        return Plan(f"Remove the activation of {name}", "safe" if alone else "unsafe", [draft])

    def _refuse_if_taken(self, p: Planner, layout: Layout, statement: Statement, outcome: Outcome) -> None:
        """Leave the activation where something besides the loss gets the output of a model of the class that a statement stands in."""
        around = _class_around(layout, statement)
        applied = next((m for m in p.program.modules if m.cls is not None and m.cls.cls.node is around), None)
        taker = taken_elsewhere(p.program, self.event, applied, p.layouts, measured=outcome.op == "softmax")
        if taker is not None:
            raise Infeasible(f"{taker} gets the probabilities too")


def _class_around(layout: Layout, statement: Statement) -> cst.CSTNode | None:
    function = layout.function_of(statement)
    owner = function.block.owner if function is not None else None
    return owner.node if owner is not None else None


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


def _is_handed_out(module: Obj, layout: Layout, statement: Statement) -> bool:
    """Whether code that is not followed gets a module of the class that a statement stands in."""
    return module.lost and module.cls is not None and module.cls.cls.node is _class_around(layout, statement)


def _given_activation(node: cst.Call) -> int | None:
    """Which argument of the construction of a module of a library is the activation of its output."""
    return next((n for n, a in enumerate(node.args) if a.keyword is not None and a.keyword.value == "activation"), None)


def _argument_of(statement: Statement, node: cst.CSTNode) -> tuple[cst.Call, int]:
    for each in walk(statement.node):
        if isinstance(each, cst.Call):
            for index, arg in enumerate(each.args):
                if arg.value is node:
                    return each, index
    raise Infeasible("the activation is not an argument of the container")


def _contains(outer: cst.CSTNode, inner: cst.CSTNode) -> bool:
    return any(each is inner for each in walk(outer))


def _held(statement: Statement, layout: Layout) -> str | None:
    """The one name that a statement gives its value."""
    assigned = statement.node
    if isinstance(assigned, cst.Assign) and len(assigned.targets) == 1 and dotted(assigned.targets[0].target):
        return layout.code(assigned.targets[0].target)
    return None


def _keeps(layout: Layout, first: Statement, last: Statement, name: str) -> bool:
    """Whether no statement between two of one function gives a name a new value."""
    between = [s for s in layout.by_node.values() if first.start < s.start < last.start and not s.blocks]
    return not any(name in sets(s.node) for s in between)


def _named(given: cst.CSTNode, name: str | None) -> list[cst.BaseExpression]:
    """Where an expression has a name in it."""
    return [n for n in walk(given) if isinstance(n, cst.Name | cst.Attribute) and name is not None and dotted(n) == name]


def _others(layout: Layout, statement: Statement, name: str, given: cst.CSTNode | None) -> int:
    """How often the function of a statement reads the name that it sets further down, besides what a loss is given."""
    function = layout.function_of(statement)
    scope = function.node if function is not None else layout.top.node
    besides = set(walk(given)) if given is not None else set()
    return sum(n not in besides and layout.extent(n)[0] >= statement.end for n in _read(scope, name))


def _read(scope: cst.CSTNode, name: str) -> Iterator[cst.CSTNode]:
    """Where a piece of code reads a name."""
    work = [scope]
    while work:
        item = work.pop()
        match item:
            case cst.AssignTarget(target=cst.Name() | cst.Attribute()) | cst.Param():
                continue
            case cst.Arg():
                work.append(item.value)
            case cst.Name() | cst.Attribute() if dotted(item) == name:
                yield item
            case cst.Attribute():
                work.append(item.value)
            case _:
                work += children(item)


def _new_name(layout: Layout, statement: Statement, name: str) -> str:
    """A name that the function of a statement does not use yet."""
    function = layout.function_of(statement)
    scope = function.node if function is not None else layout.top.node
    used = reads(scope) | sets(scope)
    while name in used:
        name += "_"
    return name
