"""Repairs of what a validation reads and how it averages."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from looplint.flow.graph import Loop
from looplint.flow.remarks import Average
from looplint.repairs.draft import Draft, Infeasible
from looplint.repairs.layout import Layout, Statement
from looplint.repairs.places import loop_statement, place_at
from looplint.repairs.planner import Planner
from looplint.repairs.repair import Plan, Repair
from looplint.syntax.nodes import children
from looplint.syntax.site import Site

__all__ = ["AverageBatches", "ReadOwnBatch"]


class ReadOwnBatch(Repair):
    """Read the parts of a loop's own batches in place of those that another loop has left.

    Attributes:
        loop: the loop that reads them.
        other: where the other loop stands.
        stale: the names that are read.
        unread: the names of the own batches that are not.
    """

    loop: Loop
    other: Site
    stale: tuple[str, ...]
    unread: tuple[str, ...]

    def plan(self, p: Planner) -> Plan:
        layout = p.layouts.of(self.loop.site.module)
        loop, other = loop_statement(self.loop, p.layouts).node, self.other.node
        if not isinstance(loop, cst.For) or not isinstance(other, cst.For):
            raise Infeasible("the loops are comprehensions")
        mine, theirs = list(_parts(loop)), list(_parts(other))
        own = dict(zip(theirs, mine))
        if len(mine) != len(theirs) or any(own.get(name) not in self.unread for name in self.stale):
            raise Infeasible("the batches of the two loops have other parts")
        draft = Draft(layout)
        for name in _names(loop.body):
            if name.value in self.stale:
                draft.replace(name, own[name.value])
        read = " and ".join(own[name] for name in self.stale)
        return Plan(f"Read {read} in this loop", "unsafe", [draft])


def _parts(loop: cst.For) -> Iterator[str]:
    """The names that a loop gives the parts of a batch, in their order, without a counter."""
    target: cst.BaseExpression = loop.target
    match loop.iter, target:
        case cst.Call(func=cst.Name(value="enumerate")), cst.Tuple(elements=[_, batch]):
            target = batch.value
    work = [target]
    while work:
        item = work.pop(0)
        match item:
            case cst.Name():
                yield item.value
            case cst.Tuple() | cst.List():
                work[:0] = [element.value for element in item.elements]
            case _:
                yield ""


def _names(node: cst.CSTNode) -> Iterator[cst.Name]:
    """The names that a piece of code reads: no attributes, and no keywords of arguments."""
    work = [node]
    while work:
        item = work.pop()
        match item:
            case cst.Name():
                yield item
            case cst.Attribute():
                work.append(item.value)
            case cst.Arg():
                work.append(item.value)
            case _:
                work += children(item)


class AverageBatches(Repair):
    """Weight each mean with the number of items that the loop counts, or divide the sum by the number of batches.

    Attributes:
        average: the division.
    """

    average: Average

    def plan(self, p: Planner) -> Plan:
        if self.average.again:
            raise Infeasible("the division can be left out")
        if self.average.loader is not None:
            raise Infeasible("the last batch can be dropped, or each mean weighted with its size")
        place = place_at(self.average, len(self.average.calls), p.layouts)
        layout, node = place.layout, self.average.site.node
        divisor = node.right if isinstance(node, cst.BinaryOperation) else node.value if isinstance(node, cst.AugAssign) else None
        if divisor is None:
            raise Infeasible("the division is not written out")
        sums = list(_added(layout, layout.function_of(place.statement), self.average.total))
        if len(sums) != 1:
            raise Infeasible("the losses are added up at several places")
        loop, value = sums[0]
        draft = Draft(layout)
        match divisor:
            case cst.Name():
                counts = [v for around, v in _added(layout, layout.function_of(place.statement), divisor.value) if around is loop]
                if len(counts) != 1 or not isinstance(value, cst.Call | cst.Name):
                    raise Infeasible("it is not seen what counts the items")
                draft.insert(layout.extent(value)[1], f" * {layout.code(counts[0])}")
                return Plan("Weight each mean with the number of its items", "unsafe", [draft])
            case cst.Call(func=cst.Name(value="len"), args=[cst.Arg(value=cst.Attribute(value=loader, attr=cst.Name(value="dataset")))]):
                if not isinstance(loop.node, cst.For) or layout.code(loader) not in _iterated(layout, loop.node):
                    raise Infeasible("the dataset is not that of the loop's loader")
                draft.replace(divisor, f"len({layout.code(loader)})")
                return Plan("Divide by the number of batches", "unsafe", [draft])
        raise Infeasible("the number of items is computed elsewhere")


def _added(layout: Layout, function: Statement | None, target: str) -> Iterator[tuple[Statement, cst.BaseExpression]]:
    """What a function adds in place to a name or an attribute, with the loop around each."""
    for node, statement in layout.by_node.items():
        if isinstance(node, cst.AugAssign) and isinstance(node.operator, cst.AddAssign) and layout.code(node.target) == target:
            loop = next((a for a in statement.ancestors() if isinstance(a.node, cst.For)), None)
            if loop is not None and layout.function_of(statement) is function:
                yield loop, node.value


def _iterated(layout: Layout, loop: cst.For) -> Iterator[str]:
    """The texts of what a loop goes over, without the calls around it (`enumerate`, a progress bar)."""
    expression: cst.BaseExpression = loop.iter
    yield layout.code(expression)
    while isinstance(expression, cst.Call) and expression.args:
        expression = expression.args[0].value
        yield layout.code(expression)
