"""Where the output of a model goes besides a loss: whoever gets it there counts on what it is."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from looplint.domain.objects import Module, Obj
from looplint.flow.events import Event, Forward
from looplint.flow.remarks import Score
from looplint.knowledge import naming
from looplint.queries.predictions import prediction
from looplint.queries.program import Program
from looplint.repairs.layout import Layout, Statement
from looplint.repairs.names import dotted
from looplint.repairs.places import Layouts
from looplint.syntax.nodes import children
from looplint.syntax.site import Site

# What is the same of probabilities and of the values before them: which is the largest, and what belongs to the tensor itself.
_BY_RANK = frozenset({"argmax", "max", "topk", "argsort", "size", "dim", "numel", "len"})
_OF_TENSORS = frozenset({"shape", "device", "dtype", "ndim"})


def taken_elsewhere(program: Program, event: Event, applied: Obj | None, layouts: Layouts, *, measured: bool) -> str | None:
    """What besides a loss gets the output of a module, by the text; `measured` says that metrics may get it as well."""
    alike = [e for e in program.of(Score) if isinstance(event, Score) and e.function == event.function]
    losses = {id(site.node) for e in alike for site in e.chain}  # with the calls that lead to them
    for layout, statement, name in (*_on_the_way(event, layouts), *_outputs(program, applied, layouts)):
        function = layout.function_of(statement)
        for call in _takers(function.node if function is not None else layout.top.node, name, losses, measured):
            return layout.code(call)
    return None


def _on_the_way(event: Event, layouts: Layouts) -> Iterator[tuple[Layout, Statement, str]]:
    """The name of a prediction in the function of its loss, and in those that hand it down to that one."""
    given = prediction(event.site.node)
    name = _base(given) if given is not None else None
    for site, caller in zip(reversed(event.chain), (*reversed(event.calls), None), strict=True):
        layout = layouts.of(site.module)
        statement = layout.statement_of(site.node)
        if name is None or statement is None:
            return
        yield layout, statement, name
        function = layout.function_of(statement)
        name = _handed(function.node, name, caller) if function is not None and caller is not None else None


def _handed(function: cst.CSTNode, name: str, caller: Site | None) -> str | None:
    """The name under which a caller hands over what a parameter of a function holds."""
    call = caller.node if caller is not None else None
    if not isinstance(call, cst.Call) or not isinstance(function, cst.FunctionDef):
        return None
    params = [param.name.value for param in function.params.params]
    if params[:1] in (["self"], ["cls"]):
        params = params[1:]
    for index, arg in enumerate(call.args):
        named = arg.keyword.value if arg.keyword is not None else params[index] if index < len(params) and not arg.star else None
        if named == name:
            return _base(arg.value)
    return None


def _base(given: cst.BaseExpression) -> str | None:
    """The name that an expression starts with: `logits` of `logits.view(-1, 2)`."""
    while isinstance(given, cst.Call) and isinstance(given.func, cst.Attribute):
        given = given.func.value
    return dotted(given)


def _outputs(program: Program, applied: Obj | None, layouts: Layouts) -> Iterator[tuple[Layout, Statement, str]]:
    """The names that take the output of a module, or of what it is part of, wherever that is called."""
    for event in program.of(Forward):
        if not any(_is_of_class(part, applied) for part in event.subjects):
            continue
        layout = layouts.of(event.site.module)
        statement = layout.statement_of(event.site.node)
        assigned = statement.node if statement is not None else None
        if statement is not None and isinstance(assigned, cst.Assign) and assigned.value is event.site.node:
            name = dotted(assigned.targets[0].target)
            if name is not None:
                yield layout, statement, name


def _is_of_class(obj: Obj, applied: Obj | None) -> bool:
    return isinstance(obj, Module) and applied is not None and obj.cls is not None and obj.cls == applied.cls


def _takers(scope: cst.CSTNode, name: str, losses: set[int], measured: bool) -> Iterator[cst.CSTNode]:
    """The calls and operations that get what a name holds, but for losses, for what asks which is the largest, and for metrics where these may."""
    work = [(scope, scope)]
    while work:
        node, taker = work.pop()
        match node:
            case cst.Call() if id(node) in losses or _asks_no_value(node, measured):
                continue
            case cst.Attribute(attr=cst.Name(value=attr)) if attr in _OF_TENSORS:
                continue
            case cst.Param() | cst.Del() | cst.AssignTarget(target=cst.Name() | cst.Attribute() | cst.Tuple()):
                continue
            case cst.Arg():
                work.append((node.value, taker))
            case cst.Name() | cst.Attribute() if dotted(node) == name:
                yield taker
            case cst.Attribute():
                work.append((node.value, taker))
            case cst.Call() | cst.BinaryOperation() | cst.Comparison() | cst.Return() | cst.Subscript():
                work += [(child, node) for child in children(node)]
            case _:
                work += [(child, taker) for child in children(node)]


def _asks_no_value(call: cst.Call, measured: bool) -> bool:
    called = call.func.attr if isinstance(call.func, cst.Attribute) else call.func
    leaf = called.value if isinstance(called, cst.Name) else ""
    return leaf in _BY_RANK or (measured and naming.measures(leaf))
