"""How an optimizer takes the parameters of a model: the statements that collect them for its construction."""

from __future__ import annotations

import libcst as cst

from looplint.flow.events import Move
from looplint.regex import regex
from looplint.repairs.draft import Infeasible
from looplint.repairs.layout import Layout, Statement
from looplint.repairs.names import Names, clause_names, dotted, reads, sets
from looplint.repairs.places import Place
from looplint.repairs.planner import common_block
from looplint.syntax.nodes import walk

_PARAMETERS = regex(r"\.(?:named_)?parameters\(")
# Methods by which a list, a set or a dict is given more to hold.
_ADDS = frozenset({"append", "extend", "insert", "add", "update", "setdefault"})


def taking(event: Place, construct: Place) -> list[Statement]:
    """The statements from the first that collects parameters of a model to the construction that is given them, in one block.

    Args:
        event: what happens to the model.
        construct: the construction of the optimizer.

    Raises:
        Infeasible: nothing of them collects any.
    """
    built = common_block(event.statement, construct.statement)[2]
    layout, model = construct.layout, _names(event)
    chain, first = [built], 1 if _collects(built, layout, model) else 0
    needed = _needs(built.node) - model
    for statement in reversed(built.block.statements[: built.index]):
        if isinstance(statement.node, cst.FunctionDef | cst.ClassDef | cst.Import | cst.ImportFrom):
            continue
        given = _gives(statement.node)
        if not given & needed:
            continue
        chain.append(statement)
        needed = (needed - _anew(statement.node)) | _needs(statement.node) - model
        if _collects(statement, layout, model - given):
            first = len(chain)
    if not first:
        raise Infeasible("the parameters are collected elsewhere")
    return chain[:first][::-1]


def _names(event: Place) -> Names:
    """What stands for the model where something happens to it: what it is moved by, or all that has a part in it."""
    node = event.site.node
    if event.direct and isinstance(event.event, Move) and isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        return frozenset({dotted(node.func.value) or ""}) - {""}
    return reads(event.statement.node)


def _collects(statement: Statement, layout: Layout, model: Names) -> bool:
    """Whether a statement reads the parameters of a model, or hands it to what may do so."""
    return bool(_PARAMETERS.search(layout.text, statement.start, statement.end) or reads(statement.node) & model)


def _needs(node: cst.CSTNode) -> Names:
    """The names of what a statement makes its values from."""
    made_of = node.value if isinstance(node, cst.Assign) else node
    return reads(made_of) - clause_names(made_of)


def _anew(node: cst.CSTNode) -> Names:
    """The names that an assignment gives a value whatever they held."""
    targets = (t.target for t in node.targets) if isinstance(node, cst.Assign) else ()
    return frozenset({dotted(t) or "" for t in targets})


def _gives(node: cst.CSTNode) -> Names:
    """The names that a statement gives a value or something to hold."""
    found = sets(node) - clause_names(node)
    for call in walk(node):
        match call:
            case cst.Call(func=cst.Attribute(value=holder, attr=cst.Name(value=method))) if method in _ADDS:
                found |= reads(holder)
    return found
