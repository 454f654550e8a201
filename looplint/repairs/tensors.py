"""Repairs of what is kept: numbers and detached tensors instead of tensors with their graphs."""

from __future__ import annotations

import re

import libcst as cst

from looplint.finding import Applicability
from looplint.flow.events import Accumulate, Backward, Event, Forward, Keep
from looplint.knowledge.tensor_members import TENSOR_MEMBERS
from looplint.repairs.draft import Draft, Infeasible
from looplint.repairs.layout import Layout
from looplint.repairs.names import dotted, reads, sets
from looplint.repairs.numbers import takes_numbers
from looplint.repairs.places import place_at
from looplint.repairs.planner import Planner
from looplint.repairs.repair import Plan, Repair
from looplint.syntax.nodes import walk

__all__ = ["DetachAdded", "DetachArgument", "ShowItem"]


class DetachArgument(Repair):
    """Detach what goes into a container: `.item()` on a scalar where everything that is done with it takes numbers, else `.detach()`.

    Attributes:
        event: what is kept.
        scalar: whether it has a single element.
    """

    event: Keep
    scalar: bool

    def plan(self, p: Planner) -> Plan:
        layout = place_at(self.event, len(self.event.calls), p.layouts).layout
        node = self.event.site.node
        value = _stored(node)
        # A name or a call may stand for a structure as well, which has neither method.
        if (
            value is None
            or self.event.nature == "mixed"
            or isinstance(value, cst.List | cst.Tuple | cst.Dict | cst.GeneratorExp | cst.ListComp)
        ):
            raise Infeasible("the tensor is one of several values that are kept")
        if _is_structure(layout, node, value):
            raise Infeasible("it holds the tensors, and is none itself: those that are kept of it are to be detached")
        if _of_a_sum(p, self.event, layout, value):
            raise Infeasible("it is computed from a sum that is to be repaired first")
        elsewhere = _where_handed_in(p, self.event, layout, value)
        if elsewhere is not None:
            return elsewhere
        container = self.event.into.name
        numbers = self.scalar and container != "" and _takes_numbers(layout, container)
        return _without_graph(layout, value, numbers, self.event, proved=self.event.nature == "tensor")


def _is_structure(layout: Layout, node: cst.CSTNode, value: cst.BaseExpression) -> bool:
    """Whether a function asks a name for what no tensor has: entries by a text, or attributes of another class."""
    statement = layout.statement_of(node)
    name = dotted(value)
    if statement is None or name is None:
        return False
    function = layout.function_of(statement)
    for each in walk(function.node if function is not None else layout.top.node):
        match each:
            case cst.Attribute(value=owner, attr=cst.Name(value=attr)) if attr not in TENSOR_MEMBERS and dotted(owner) == name:
                return True
            case cst.Subscript(value=owner, slice=[cst.SubscriptElement(slice=cst.Index(value=cst.SimpleString()))]) if (
                dotted(owner) == name
            ):
                return True
    return False


def _where_handed_in(p: Planner, event: Keep | Accumulate, layout: Layout, value: cst.BaseExpression) -> Plan | None:
    """What callers hand to the function that keeps it is detached by those that hand in a graph: another one's may be a number.

    Returns:
        None when the function makes itself what it keeps.
    """
    function = layout.function_of(place_at(event, len(event.calls), p.layouts).statement)
    if function is None or not isinstance(function.node, cst.FunctionDef) or not event.calls:
        return None
    if any(isinstance(e, Forward) and e.calls[: len(event.calls)] == event.calls for e in p.program.graph_of(event.value)):
        return None  # it runs the model whose graph that is
    own = frozenset(name for block in function.blocks for statement in block.statements for name in sets(statement.node))
    names = [q.name.value for q in (*function.node.params.posonly_params, *function.node.params.params)]
    if reads(value) & _items_of(function.node, names):
        raise Infeasible("it is among what callers pass in, and may be a number")
    given = [number for number, name in enumerate(names) if name in reads(value) - own]
    if _only_calls_itself(value):
        given = [number for number in given if names[number] != "self"]  # `self._reduce(value)`: what the method is given is what counts
    if not given or names[given[0]] == "self" or reads(value) & own:
        return None
    drafts: dict[int, Draft] = {}
    seen: set[int] = set()
    for other in p.program.of(type(event)):
        if other.site.node is not event.site.node or other.value.graph != "yes" or id(other.calls[-1].node) in seen:
            continue
        if other.nature in ("number", "mixed"):
            raise Infeasible("it is passed in by callers, and may be a number")
        caller = place_at(other, len(other.calls) - 1, p.layouts)
        seen.add(id(caller.site.node))
        tensor = _tensor_among(caller.site.node, names, given)
        if tensor is None:
            raise Infeasible("it is passed in by callers, and another caller may pass a number")
        draft = drafts.setdefault(id(caller.layout), Draft(caller.layout))
        _add_suffix(draft, tensor, "detach")
    return Plan("Pass it without its graph: .detach()", "safe", list(drafts.values()))


def _items_of(function: cst.FunctionDef, parameters: list[str]) -> frozenset[str]:
    """The names that loops of a function give to what is in its parameters: `for name, value in losses.items()`."""
    loops = (node for node in walk(function.body) if isinstance(node, cst.For))
    over = ((node, {path.partition(".")[0] for path in reads(node.iter)} - {"self"}) for node in loops)
    return frozenset().union(*(reads(node.target) for node, read in over if read & set(parameters)))


def _only_calls_itself(value: cst.BaseExpression) -> bool:
    """Whether an expression reads `self` for its methods alone, as in `self._reduce(value) * n`."""
    found = list(walk(value))
    read = sum(isinstance(node, cst.Name) and node.value == "self" for node in found)
    called = sum(
        isinstance(n, cst.Call)
        and isinstance(n.func, cst.Attribute)
        and isinstance(n.func.value, cst.Name)
        and n.func.value.value == "self"
        for n in found
    )
    return read == called


def _tensor_among(call: cst.CSTNode, names: list[str], given: list[int]) -> cst.BaseExpression | None:
    """The one argument that stands for some of a function's parameters and is no plain number."""
    if not isinstance(call, cst.Call) or any(arg.star for arg in call.args):
        return None
    first = 1 if names[0] == "self" else 0
    wanted = {names[number] for number in given}
    arguments = [
        arg.value
        for number, arg in enumerate(call.args)
        if (arg.keyword.value if arg.keyword else names[number + first] if number + first < len(names) else "") in wanted
    ]
    tensors = [each for each in arguments if not _is_count(each)]
    return tensors[0] if len(tensors) == 1 and isinstance(tensors[0], cst.Name | cst.Attribute | cst.Call | cst.Subscript) else None


def _is_count(node: cst.BaseExpression) -> bool:
    """Whether an argument is a number by its form or its name: how many examples a batch has."""
    match node:
        case cst.Integer() | cst.Float():
            return True
        case cst.Call(func=cst.Name(value="len")) | cst.Call(func=cst.Attribute(attr=cst.Name(value="size" | "numel" | "item"))):
            return True
        case cst.Subscript(value=cst.Attribute(attr=cst.Name(value="shape"))):
            return True
        case cst.Name(value=name) | cst.Attribute(attr=cst.Name(value=name)):
            return re.fullmatch(r"n|bs|bsz|b|count|.*batch_?size|num_\w+|n_\w+", name) is not None
    return False


def _of_a_sum(p: Planner, event: Event, layout: Layout, value: cst.BaseExpression) -> bool:
    """Whether a value is computed from what adds up tensors with their graphs: a sum that is repaired may be a number, which nothing detaches."""
    function, code = layout.function_of(place_at(event, len(event.calls), p.layouts).statement), layout.code(value)
    for added in p.program.of(Accumulate):
        if (
            added.site.module is not layout.info
            or added.value.graph != "yes"
            or not re.search(rf"(?<![\w.]){re.escape(added.target)}\b", code)
        ):
            continue
        if layout.function_of(place_at(added, len(added.calls), p.layouts).statement) is function:
            return True
    return False


class DetachAdded(Repair):
    """Detach what is added to a sum: `.item()` on a scalar where everything that is done with the sum takes numbers, else `.detach()`.

    Attributes:
        event: the addition.
    """

    event: Accumulate

    def plan(self, p: Planner) -> Plan:
        layout = place_at(self.event, len(self.event.calls), p.layouts).layout
        value = _added(layout, self.event)
        if value is None:
            raise Infeasible("the added value cannot be distinguished from the sum")
        elsewhere = _where_handed_in(p, self.event, layout, value)
        if elsewhere is not None:
            return elsewhere
        proved = self.event.nature == "tensor" or not _goes_backward_on_some_paths(p, self.event, value)
        proved = proved and not _is_read_from_outside(layout, self.event.target)
        plan = _without_graph(layout, value, _adds_numbers(layout, self.event), self.event, proved=proved)
        return _with_those_beside_it(p, layout, self.event, plan)


def _is_read_from_outside(layout: Layout, target: str) -> bool:
    """Whether a file reads an attribute of that name from another object than `self`: another program may send backward what it keeps."""
    owner, _, name = target.rpartition(".")
    return owner == "self" and re.search(rf"(?<!\bself)\.{re.escape(name)}\b(?!\()", layout.text) is not None


def _added(layout: Layout, event: Accumulate) -> cst.BaseExpression | None:
    """What is added to a sum; None where the text does not tell it from the sum."""
    match event.site.node:
        case cst.AugAssign(value=value):
            return value
        case cst.Assign(value=cst.BinaryOperation() as total):
            rest = [side for side in (total.left, total.right) if _unquoted(layout.code(side)) != _unquoted(event.target)]
            return rest[0] if len(rest) == 1 else None
    return None


def _adds_numbers(layout: Layout, event: Accumulate) -> bool:
    return event.value.scalar and _starts_as_number(layout, event.target) and _takes_numbers(layout, event.target)


def _with_those_beside_it(p: Planner, layout: Layout, event: Accumulate, plan: Plan) -> Plan:
    """The repair of a sum with that of those beside it which may keep the same graphs, and have no finding: without them memory grows as before."""
    left = []
    for other in _beside(p, event):
        value = _added(layout, other)
        if other.nature == "tensor" and value is not None and _is_made_here(p, layout, other, value):
            _add_suffix(plan.drafts[0], value, "item" if _adds_numbers(layout, other) else "detach")
        else:
            left.append(other.target)
    if not left:
        return plan
    return Plan(f"{plan.message}; a part, as {left[0]} may keep the same graphs", "unsafe", plan.drafts)


def _is_made_here(p: Planner, layout: Layout, event: Accumulate, value: cst.BaseExpression) -> bool:
    """Whether what is added comes from the function that adds it: what a caller hands in may be a number elsewhere."""
    try:
        return _where_handed_in(p, event, layout, value) is None
    except Infeasible:
        return False


def _beside(p: Planner, event: Accumulate) -> list[Accumulate]:
    """The sums in the loops of another one that have a graph of the same forwards on some path, and are not reported themselves."""
    alike = [e for e in p.program.of(Accumulate) if e.loops == event.loops and e.root == event.root and e.calls == event.calls]
    maybe = [e for e in alike if e.value.graph == "maybe" and not e.value.forwards.isdisjoint(event.value.forwards)]
    return [e for e in maybe if not p.program.carries_graph(e.value) and not p.program.goes_backward(e)]


class ShowItem(Repair):
    """Turn the number alone into text: `.item()`.

    Attributes:
        event: what becomes text.
    """

    event: Event

    def plan(self, p: Planner) -> Plan:
        layout = place_at(self.event, len(self.event.calls), p.layouts).layout
        node = self.event.site.node
        assert isinstance(node, cst.BaseExpression)
        return _with_suffix(layout, node, "item", "Show", "safe")


def _stored(node: cst.CSTNode) -> cst.BaseExpression | None:
    """The expression that a statement or call puts into a container."""
    match node:
        case cst.Call(args=[*_, last]) if not last.star:
            return last.value
        case cst.Assign(value=cst.BinaryOperation(operator=cst.Add(), right=cst.List(elements=[cst.Element(value=last)]))):
            return last
        case cst.Assign(value=cst.List(elements=[cst.StarredElement(), cst.Element(value=last)])):
            return last
        case cst.Assign(value=cst.BinaryOperation(right=cst.List()) | cst.List(elements=[cst.StarredElement(), *_])):
            return None
        case cst.Assign(targets=[cst.AssignTarget(target=target)], value=cst.BinaryOperation(left=left)) if target.deep_equals(left):
            return None  # what it is put together with is a list as well: `kept = kept + more`
        case cst.Assign():
            return node.value
        case cst.AugAssign(value=cst.List(elements=[element])):
            return element.value
    return None


def _unquoted(code: str) -> str:
    """The text of an expression whichever quotes it is written in."""
    return code.replace('"', "'")


def _goes_backward_on_some_paths(p: Planner, event: Accumulate, value: cst.BaseExpression) -> bool:
    """Whether what is added goes backward only under conditions under which it is not added: without them it may be a number, as `0.0` that a model puts out."""
    names = reads(value) - {"self"}
    backwards = [
        b for b in p.program.of(Backward) if b.root == event.root and isinstance(b.site.node, cst.Call) and reads(b.site.node) & names
    ]
    return bool(backwards) and not any(set(b.guards) <= set(event.guards) for b in backwards)


def _without_graph(layout: Layout, value: cst.BaseExpression, numbers: bool, event: Keep | Accumulate, *, proved: bool) -> Plan:
    """The repair that takes only the values of what is kept or added up; it is safe where that is proved to be a tensor."""
    if event.nature == "number" and numbers:
        draft = Draft(layout)
        draft.replace(value, f"float({layout.code(value)})")
        return Plan("Keep its value: float()", "safe", [draft])
    if event.nature in ("number", "mixed"):
        raise Infeasible("it is a tensor on some paths only")
    return _with_suffix(layout, value, "item" if numbers else "detach", "Keep", "safe" if proved else "unsafe")


def _with_suffix(layout: Layout, value: cst.BaseExpression, method: str, verb: str, applicability: Applicability) -> Plan:
    draft = Draft(layout)
    _add_suffix(draft, value, method)
    what = "its value" if method == "item" else "it without its graph"
    return Plan(f"{verb} {what}: .{method}()", applicability, [draft])


def _add_suffix(draft: Draft, value: cst.BaseExpression, method: str) -> None:
    layout = draft.layout
    if not value.lpar and isinstance(value, cst.Name | cst.Attribute | cst.Call | cst.Subscript):
        draft.insert(layout.extent(value)[1], f".{method}()")
    else:
        draft.replace(value, f"({layout.code(value)}).{method}()")


def _takes_numbers(layout: Layout, name: str) -> bool:
    assert layout.info.code is not None
    return takes_numbers(layout.info.code, name.partition("[")[0])


def _starts_as_number(layout: Layout, target: str) -> bool:
    """Whether every plain assignment to a name in the file gives it a number."""
    pattern = re.compile(rf"(?<![\w.]){re.escape(target)}\b[^=\n(\[]*?(?<![=!<>+\-*/%&|^@:])=(?!=)[ \t]*([^\n#;]*)")
    values = [m[1].split("=")[-1].strip() for m in pattern.finditer(layout.text)]
    values = [v for v in values if not re.search(rf"(?<![\w.]){re.escape(target)}\b", v)]
    return bool(values) and all(re.fullmatch(r"[-+]?[\d._]+(?:e-?\d+)?(?:\s*,\s*[-+]?[\d._]+)*|\w+ else 0(?:\.0*)?", v) for v in values)
