"""Repairs of constructors: what has to run before a module can take its parts."""

from __future__ import annotations

import libcst as cst

from looplint.flow.remarks import Unready, Unregistered
from looplint.repairs.draft import Change, Draft, Infeasible
from looplint.repairs.layout import Block, Layout, Statement
from looplint.repairs.names import depends, sets
from looplint.repairs.places import body_of, place_at
from looplint.repairs.planner import Planner
from looplint.repairs.repair import Plan, Repair
from looplint.syntax.nodes import walk

__all__ = ["CallSuperInit", "MoveBeforeRegistering"]


class MoveBeforeRegistering(Repair):
    """Move the tensor that a parameter is made of: `nn.Parameter(x).to(device)` becomes `nn.Parameter(x.to(device))`.

    Attributes:
        event: the assignment of the moved parameter.
    """

    event: Unregistered

    def plan(self, p: Planner) -> Plan:
        layout = place_at(self.event, len(self.event.calls), p.layouts).layout
        built, copy = self.event.built, self.event.copy.node
        if not (
            isinstance(built, cst.Call) and isinstance(copy, cst.Call) and isinstance(copy.func, cst.Attribute) and copy.func.value is built
        ):
            raise Infeasible("more than one method is called on the parameter")
        tensor = built.args[0] if built.args and not built.args[0].star else None
        if tensor is None or not isinstance(tensor.value, cst.Call | cst.BinaryOperation):
            raise Infeasible("the tensor that the parameter is made of is not written here")
        if _set_again(layout, place_at(self.event, len(self.event.calls), p.layouts).statement):
            raise Infeasible("the attribute is set again, which a parameter does not allow: its numbers are to be copied there")
        draft = Draft(layout)
        end, last = layout.extent(built)[1], layout.extent(copy)[1]
        moved = layout.text[end:last].strip()
        start, stop = layout.extent(tensor.value)
        code = layout.text[start:stop]
        draft.changes.append(Change(start, stop, f"({code}){moved}" if isinstance(tensor.value, cst.BinaryOperation) else f"{code}{moved}"))
        draft.changes.append(Change(end, last, ""))
        return Plan(f"Make a parameter of the tensor that {moved} gives", "unsafe", [draft])


def _set_again(layout: Layout, statement: Statement) -> bool:
    """Whether another statement of a class sets an attribute that one sets to a parameter, to what is written as none."""
    function = layout.function_of(statement)
    own = sets(statement.node)
    around = function.block.owner if function is not None else None
    others = [s for s in layout.by_node.values() if s is not statement and not s.blocks and any(a is around for a in s.ancestors())]
    return any(sets(s.node) & own and not _makes_a_parameter(s.node) for s in others)


def _makes_a_parameter(node: cst.CSTNode) -> bool:
    """Whether a statement changes a tensor in place, deletes it, or sets it to a new parameter or None."""
    match node:
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Subscript())]) | cst.AugAssign() | cst.Del():
            return True
        case cst.Assign(value=cst.Name(value="None")):
            return True
        case cst.Assign(value=value):
            return any(isinstance(n, cst.Name) and n.value == "Parameter" for n in walk(value))
    return False


class CallSuperInit(Repair):
    """Call `super().__init__()` before the module's first part: the call that stands too late goes up, or a new one is inserted.

    Attributes:
        event: the assignment of the first part.
    """

    event: Unready

    def plan(self, p: Planner) -> Plan:
        place = place_at(self.event, len(self.event.calls), p.layouts)
        layout = place.layout
        function = layout.function_of(place.statement)
        if function is None or function is not layout.by_node.get(self.event.constructor.node):
            raise Infeasible("the constructor cannot be found in the text")
        body = body_of(function)
        part = place.statement.within(body)
        assert part is not None
        draft = Draft(layout)
        uncalled = next((s for s in body.statements[: part.index] if _names_constructor(s)), None)
        if uncalled is not None:
            assert isinstance(uncalled.node, cst.Expr)
            draft.insert(layout.extent(uncalled.node.value)[1], "()")
            return Plan("Call the constructor of the base class, which is only named here", "safe", [draft])
        misspelt = next(filter(None, map(_misspelt_constructor, body.statements[: part.index])), None)
        if misspelt is not None:
            draft.replace(misspelt, "__init__")
            return Plan("Call the constructor of the base class by name", "safe", [draft])
        plain = self.event.plain
        late = next((s for s in body.statements[part.index :] if _calls_constructor(s)), None)
        if late is not None:
            target = _first(body) if plain else part
            if depends(late, body.statements[target.index : late.index]):
                raise Infeasible("the call of the base class's constructor depends on the statements above it")
            draft.move_before(late, target)
            return Plan("Call the constructor of the base class before the first submodule is assigned", "safe", [draft])
        if any(True for s in body.statements[part.index :] if "__init__" in layout.text[s.start : s.end]):
            raise Infeasible("the base class's constructor is called on some path further down")
        if not plain:
            raise Infeasible("the base class is not one of torch: its constructor may take arguments")
        draft.line_at_top(body, "super().__init__()")
        return Plan("Call super().__init__() first", "safe", [draft])


def _first(body: Block) -> Statement:
    """The first statement of a function that is no docstring."""
    first = body.statements[0]
    text = isinstance(first.node, cst.Expr) and isinstance(first.node.value, cst.SimpleString | cst.ConcatenatedString)
    return body.statements[1] if text else first


def _names_constructor(statement: Statement) -> bool:
    """`super().__init__` without the call."""
    node = statement.node
    return (
        isinstance(node, cst.Expr)
        and isinstance(node.value, cst.Attribute)
        and node.value.attr.value == "__init__"
        and _of_super(node.value)
    )


def _misspelt_constructor(statement: Statement) -> cst.Name | None:
    """The name in `super()._init_(...)`, where it has other underscores."""
    match statement.node:
        case cst.Expr(value=cst.Call(func=cst.Attribute(attr=cst.Name() as name) as method)) if _of_super(method):
            return name if name.value != "__init__" and name.value.strip("_") == "init" else None
    return None


def _calls_constructor(statement: Statement) -> bool:
    """`super().__init__(...)` or `nn.Module.__init__(self, ...)`."""
    node = statement.node
    call = node.value if isinstance(node, cst.Expr) else None
    return isinstance(call, cst.Call) and isinstance(call.func, cst.Attribute) and call.func.attr.value == "__init__"


def _of_super(node: cst.Attribute) -> bool:
    return isinstance(node.value, cst.Call) and isinstance(node.value.func, cst.Name) and node.value.func.value == "super"
