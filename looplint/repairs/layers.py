"""Repairs inside and around modules: how they are called, built and kept."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from looplint.flow.events import Event
from looplint.flow.remarks import Discard
from looplint.repairs.draft import Change, Draft, Infeasible
from looplint.repairs.layout import Layout, Statement
from looplint.repairs.names import head_names, reads, sets
from looplint.repairs.places import place_at
from looplint.repairs.planner import Planner
from looplint.repairs.repair import Plan, Repair
from looplint.syntax.nodes import walk

__all__ = ["AssignResult", "CallModule", "WrapModules"]

# What hands something to another process: pools, queues, pipes, and processes themselves.
_TO_PROCESSES = frozenset({
    "submit", "put", "put_nowait", "send", "apply_async", "map_async", "starmap", "starmap_async", "imap", "imap_unordered", "Process",
})  # fmt: skip
_POOLS = frozenset({"Pool", "ProcessPoolExecutor"})


class CallModule(Repair):
    """Call the module: `model.forward(x)` becomes `model(x)`.

    Attributes:
        event: the call of `forward`.
    """

    event: Event

    def plan(self, p: Planner) -> Plan:
        layout = place_at(self.event, len(self.event.calls), p.layouts).layout
        node = self.event.site.node
        if not (isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value == "forward"):
            raise Infeasible("the forward is called by another name")
        module = node.func.value
        code = f"({layout.code(module)})" if module.lpar else layout.code(module)
        draft = Draft(layout)
        draft.replace(node.func, code)
        return Plan(f"Call the module: {code}(...)", "safe", [draft])


class AssignResult(Repair):
    """Assign the result of a call to what it was called on: `x.to(device)` becomes `x = x.to(device)`.

    Attributes:
        event: the call whose result is discarded.
        left_behind: whether a model that gets the result, or a tensor that meets it, may be on another device.
    """

    event: Event
    left_behind: bool = False

    def plan(self, p: Planner) -> Plan:
        if isinstance(self.event, Discard) and self.event.of_parameter:
            raise Infeasible("a module takes no plain tensor in the place of its parameter")
        place = place_at(self.event, len(self.event.calls), p.layouts)
        layout, statement = place.layout, place.statement
        value = statement.node.value if isinstance(statement.node, cst.Expr) else None
        calls = [e.value for e in value.elements] if isinstance(value, cst.Tuple) else [value]
        receivers = []
        for call in calls:
            if not (isinstance(call, cst.Call) and isinstance(call.func, cst.Attribute) and _assignable(call.func.value)):
                raise Infeasible("the call is part of a larger expression")
            receivers.append(call.func.value)
        for receiver in receivers:
            if isinstance(receiver, cst.Name):
                _check_name(layout, statement, receiver.value)
        targets = ", ".join(layout.code(r) for r in receivers)
        draft = Draft(layout)
        draft.insert(statement.start, f"{targets} = ")
        # What goes to a device at last may be read there as an array is read on the processor.
        function = layout.function_of(statement)
        code = layout.code(function.node) if function is not None else layout.text
        on_host = any(".cpu()" not in line for line in code.splitlines() if ".numpy()" in line)
        moves = isinstance(self.event, Discard) and self.event.changes == "device"
        apart = moves and (on_host or _hands_to_processes(layout))
        # `view()` refuses tensors that are laid out otherwise.
        apart = apart or any(
            a.keyword is not None and a.keyword.value == "memory_format" for c in calls for a in cst.ensure_type(c, cst.Call).args
        )
        return Plan(f"Assign the result to {targets}", "unsafe" if apart or self.left_behind else "safe", [draft])


def _hands_to_processes(layout: Layout) -> bool:
    """Whether a file gives something to another process: what is computed of a moved tensor may be in it, and what was forked cannot take that."""
    assert layout.info.code is not None
    called = [node.func for node in walk(layout.info.code.tree) if isinstance(node, cst.Call)]
    names = {
        func.attr.value if isinstance(func, cst.Attribute) else func.value for func in called if isinstance(func, cst.Attribute | cst.Name)
    }
    return not names.isdisjoint(_TO_PROCESSES) or ("map" in names and not names.isdisjoint(_POOLS))


def _assignable(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Name | cst.Attribute | cst.Subscript) and not node.lpar and not _picks_rows(node)


def _picks_rows(node: cst.BaseExpression) -> bool:
    """Whether an index is computed, as that of rows of a tensor is, which take a copy of them back to where the tensor is: `x[ids(g)] = x[ids(g)].to(d)`."""
    match node:
        case cst.Subscript(
            slice=[cst.SubscriptElement(slice=cst.Index(value=cst.SimpleString() | cst.Integer() | cst.Name() | cst.Attribute()))]
        ):
            return False
    return isinstance(node, cst.Subscript)


def _check_name(layout: Layout, statement: Statement, name: str) -> None:
    """Raise where giving a name a new value would not reach those who read it."""
    function = layout.function_of(statement)
    if function is not None:
        assert isinstance(function.node, cst.FunctionDef)
        params = function.node.params
        given = {q.name.value for q in (*params.posonly_params, *params.params, *params.kwonly_params)}
        if name not in given and name not in sets(function.node.body):
            raise Infeasible(f"{name} is not a name of this function")
    inner = statement
    of_a_turn = any(name in head_names(around.node) for around in statement.ancestors() if isinstance(around.node, cst.For))
    for around in statement.ancestors():
        if around is function:
            break
        rest = around.block.statements[around.index + 1 :]
        if any(name in reads(s.node) and not isinstance(s.node, cst.Del) and not (of_a_turn and _is_done_to(s.node, name)) for s in rest):
            return
        if isinstance(around.node, cst.For | cst.While) and _read_in_next_turn(around.node, inner.block.statements[: inner.index], name):
            return
        inner = around
    raise Infeasible(f"nothing reads {name} afterwards")


def _is_done_to(node: cst.CSTNode, name: str) -> bool:
    """Whether a statement is a call of a method of a name for its own sake: what a turn takes by the name is meant, and no tensor of the turn alone."""
    match node:
        case cst.Expr(value=cst.Call(func=cst.Attribute(value=cst.Name(value=owner)), args=args)):
            return owner == name and not any(name in reads(arg) for arg in args)
    return False


def _read_in_next_turn(loop: cst.For | cst.While, above: Sequence[Statement], name: str) -> bool:
    """Whether a turn of a loop may read what the turn before has made of a name: above the place where that happens, before it sets the name itself."""
    if isinstance(loop, cst.For) and name in reads(loop.target):
        return False
    if isinstance(loop, cst.While) and name in reads(loop.test):
        return True
    for statement in above:
        node = statement.node
        if name in reads(node.value if isinstance(node, cst.Assign) else node):
            return True
        if isinstance(node, cst.Assign) and name in sets(node):
            return False
    return False


class WrapModules(Repair):
    """Register the modules of a container: `[...]` becomes `nn.ModuleList([...])`, and a dict a `ModuleDict`; parameters likewise.

    Attributes:
        event: the assignment of the container.
        wrapper: `ModuleList`, `ModuleDict`, `ParameterList` or `ParameterDict`; None where none can hold what the container does.
    """

    event: Event
    wrapper: str | None

    def plan(self, p: Planner) -> Plan:
        place = place_at(self.event, len(self.event.calls), p.layouts)
        layout, node = place.layout, place.statement.node
        value = node.value if isinstance(node, cst.Assign | cst.AnnAssign) else None
        if value is None or (isinstance(node, cst.Assign) and len(node.targets) > 1):
            raise Infeasible("the container is not assigned by a plain statement")
        if self.wrapper is None:
            raise Infeasible("the container holds something other than modules, or keys that are not strings")
        code = "" if isinstance(value, cst.List) and not value.elements else layout.code(value)
        start, end = layout.extent(value)
        for _ in value.lpar:
            start, end = layout.text.rindex("(", 0, start), layout.text.index(")", end) + 1
        draft = Draft(layout)
        name = f"{_nn(layout)}.{self.wrapper}"
        draft.changes.append(Change(start, end, f"{name}([{code}])" if isinstance(value, cst.Tuple) else f"{name}({code})"))
        if self.wrapper.startswith("Parameter"):
            # It takes no plain tensor in the place of a parameter: `self.gates[i] = self.gates[i].to(device)`.
            return Plan(f"Register the parameters: {name}", "unsafe", [draft])
        return Plan(f"Register the modules: {name}", "safe", [draft])


def _nn(layout: Layout) -> str:
    """How the file names torch.nn."""
    found = []
    for statement in layout.by_node.values():
        match statement.node:
            case cst.Import(names=names):
                found += [a.evaluated_alias or "torch.nn" for a in names if a.evaluated_name == "torch.nn"]
                found += [f"{a.evaluated_alias or 'torch'}.nn" for a in names if a.evaluated_name == "torch"]
            case cst.ImportFrom(module=cst.Name(value="torch"), names=[*names]):
                found += [a.evaluated_alias or "nn" for a in names if a.evaluated_name == "nn"]
    if not found:
        raise Infeasible("the file does not name torch.nn")
    return min(found, key=len)
