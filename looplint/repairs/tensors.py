"""Repairs of what is kept: numbers and detached tensors instead of tensors with their graphs."""

from __future__ import annotations

import re

import libcst as cst

from looplint.graph import Event
from looplint.repairs.draft import Draft, Infeasible
from looplint.repairs.layout import Layout
from looplint.repairs.numbers import takes_numbers
from looplint.repairs.places import place_at
from looplint.repairs.planner import Plan, Planner


def detach_argument(p: Planner, event: Event, scalar: bool) -> Plan:
    """What goes into the container: `.item()` on a scalar where everything that is done with it takes numbers, `.detach()` else."""
    layout = place_at(event, len(event.calls), p.layouts).layout
    node = event.site.node
    value = _stored(node)
    # A name or a call may stand for a structure as well, which has neither method.
    if value is None or not event.data["plain"] or isinstance(value, cst.List | cst.Tuple | cst.Dict | cst.GeneratorExp | cst.ListComp):
        raise Infeasible("the tensor is one of several values that are kept")
    if _of_a_sum(p, event, layout, value):
        raise Infeasible("it is computed from a sum that is to be repaired first")
    container = event.data["into"].name or ""
    numbers = scalar and container != "" and _takes_numbers(layout, container)
    return _with_suffix(layout, value, "item" if numbers else "detach")


def _of_a_sum(p: Planner, event: Event, layout: Layout, value: cst.BaseExpression) -> bool:
    """Whether a value is computed from what adds up tensors with their graphs: a sum that is repaired may be a number, which nothing detaches."""
    function, code = layout.function_of(place_at(event, len(event.calls), p.layouts).statement), layout.code(value)
    for added in p.program.of("accumulate"):
        if (
            added.site.module is not layout.info
            or added.data["value"].graph != "yes"
            or not re.search(rf"(?<![\w.]){re.escape(added.data['target'])}\b", code)
        ):
            continue
        if layout.function_of(place_at(added, len(added.calls), p.layouts).statement) is function:
            return True
    return False


def detach_added(p: Planner, event: Event, scalar: bool) -> Plan:
    """What is added to the sum."""
    layout = place_at(event, len(event.calls), p.layouts).layout
    node, target = event.site.node, event.data["target"]
    match node:
        case cst.AugAssign():
            value: cst.BaseExpression | None = node.value
        case cst.Assign(value=cst.BinaryOperation() as total):
            sides = [total.left, total.right]
            rest = [side for side in sides if layout.code(side) != target]
            value = rest[0] if len(rest) == 1 else None
        case _:
            value = None
    if value is None:
        raise Infeasible("what is added cannot be told from the sum")
    numbers = scalar and _starts_as_number(layout, target) and _takes_numbers(layout, target)
    return _with_suffix(layout, value, "item" if numbers else "detach")


def show_item(p: Planner, event: Event) -> Plan:
    """What becomes text: the number alone."""
    layout = place_at(event, len(event.calls), p.layouts).layout
    node = event.site.node
    assert isinstance(node, cst.BaseExpression)
    return _with_suffix(layout, node, "item", "Show")


def _stored(node: cst.CSTNode) -> cst.BaseExpression | None:
    """The expression that a statement or call puts into a container."""
    match node:
        case cst.Call(args=[*_, last]) if not last.star:
            return last.value
        case cst.Assign():
            return node.value
        case cst.AugAssign(value=cst.List(elements=[element])):
            return element.value
    return None


def _with_suffix(layout: Layout, value: cst.BaseExpression, method: str, verb: str = "Keep") -> Plan:
    draft = Draft(layout)
    code = layout.code(value)
    if value.lpar:
        draft.replace(value, f"({code}).{method}()")
    elif isinstance(value, cst.Name | cst.Attribute | cst.Call | cst.Subscript):
        draft.insert(layout.extent(value)[1], f".{method}()")
    else:
        draft.replace(value, f"({code}).{method}()")
    what = "its value" if method == "item" else "it without its graph"
    return Plan(f"{verb} {what}: .{method}()", "safe", [draft])


def _takes_numbers(layout: Layout, name: str) -> bool:
    assert layout.info.code is not None
    return takes_numbers(layout.info.code, name.partition("[")[0])


def _starts_as_number(layout: Layout, target: str) -> bool:
    """Whether every plain assignment to a name in the file gives it a number."""
    pattern = re.compile(rf"(?<![\w.]){re.escape(target)}\b[^=\n(\[]*?(?<![=!<>+\-*/%&|^@:])=(?!=)[ \t]*([^\n#;]*)")
    values = [m[1].split("=")[-1].strip() for m in pattern.finditer(layout.text)]
    values = [v for v in values if not re.search(rf"(?<![\w.]){re.escape(target)}\b", v)]
    return bool(values) and all(re.fullmatch(r"[-+]?[\d._]+(?:e-?\d+)?(?:\s*,\s*[-+]?[\d._]+)*|\w+ else 0(?:\.0*)?", v) for v in values)
