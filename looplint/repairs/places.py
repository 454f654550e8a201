"""Where events stand in the text: the statements that stand for them in a common function, and the names by which objects are known there."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

import libcst as cst

from looplint.domain.objects import Obj
from looplint.flow.events import Construct, Eval, Event, Step, Unscale
from looplint.flow.graph import Loop
from looplint.queries.naming import stepped_by
from looplint.queries.program import Program
from looplint.repairs.draft import Infeasible
from looplint.repairs.layout import Block, Layout, Statement
from looplint.repairs.names import clause_names, head_names, sets
from looplint.syntax.project import ModuleInfo
from looplint.syntax.site import Site


class Layouts:
    """The layouts of the files of one program, made when they are needed."""

    def __init__(self) -> None:
        self._made: dict[int, Layout] = {}

    def of(self, module: ModuleInfo) -> Layout:
        if id(module) not in self._made:
            self._made[id(module)] = Layout(module)
        return self._made[id(module)]


class Place(NamedTuple):
    """What stands for an event in one function: its own statement, or the call that leads to it."""

    event: Event
    site: Site
    statement: Statement
    layout: Layout
    direct: bool


def place_at(event: Event, depth: int, layouts: Layouts) -> Place:
    """What stands for an event in the function that its first `depth` calls lead into."""
    sites = event.chain
    site = sites[depth]
    layout = layouts.of(site.module)
    statement = layout.statement_of(site.node)
    if statement is None:
        raise Infeasible("its place cannot be found in the text")
    return Place(event, site, statement, layout, depth == len(sites) - 1)


def meet(first: Event, second: Event, layouts: Layouts) -> tuple[Place, Place]:
    """What stands for two events in the innermost function that holds both."""
    one, two = first.chain, second.chain
    depth = 0
    while depth < min(len(one), len(two)) - 1 and one[depth] == two[depth]:
        depth += 1
    left, right = place_at(first, depth, layouts), place_at(second, depth, layouts)
    if left.layout is not right.layout or left.layout.function_of(left.statement) is not right.layout.function_of(right.statement):
        raise Infeasible("the two places are in different functions")
    return left, right


def in_loop(event: Event, loop: Loop, layouts: Layouts) -> Place:
    """What stands for an event in the function whose loop it is in."""
    layout = layouts.of(loop.site.module)
    owner = layout.by_node.get(loop.site.node)
    for depth, site in enumerate(event.chain):
        if owner is not None and site.module is loop.site.module:
            statement = layout.statement_of(site.node)
            if statement is not None and any(s is owner for s in statement.ancestors()) and statement is not owner:
                return place_at(event, depth, layouts)
    raise Infeasible("the loop is in another function")


def loop_statement(loop: Loop, layouts: Layouts) -> Statement:
    found = layouts.of(loop.site.module).by_node.get(loop.site.node)
    if found is None:
        raise Infeasible("the loop is a comprehension")
    return found


def outermost_loop(statement: Statement) -> Statement:
    """The outermost loop around a statement in its function, or the statement itself."""
    found = statement
    for around in statement.ancestors():
        if isinstance(around.node, cst.FunctionDef | cst.ClassDef):
            break
        if isinstance(around.node, cst.For | cst.While):
            found = around
    return found


def body_of(statement: Statement) -> Block:
    return statement.blocks[0]


def only_does(program: Program, place: Place, *kinds: str) -> bool:
    """Whether the statement that stands for an event does nothing else with the objects of the loop."""
    start, end = place.statement.start, place.statement.end
    for event in program.events:
        if event.kind in kinds:
            continue
        for site in event.chain:
            if site.module is place.site.module and start <= place.layout.extent(site.node)[0] < end:
                return False
    return True


def receiver(event: Event, obj: Obj, layouts: Layouts) -> str | None:
    """The text by which an event's own call names an object: `opt` of `opt.step()` and of `scaler.step(opt)`."""
    node = event.site.node
    if not isinstance(node, cst.Call):
        return None
    layout = layouts.of(event.site.module)
    if isinstance(event, Step | Unscale) and event.scaler is not None and (given := stepped_by(node)) is not None:
        return layout.code(given)
    if isinstance(node.func, cst.Attribute) and obj in event.subjects:
        text = layout.code(node.func.value)
        return text if _plain(node.func.value) else None
    return None


def _assigned(statement: Statement, layout: Layout) -> str | None:
    """The one name that a statement assigns what it builds to."""
    node = statement.node
    if isinstance(node, cst.Assign) and len(node.targets) == 1 and _plain(node.targets[0].target):
        return layout.code(node.targets[0].target)
    return None


def _begins_with(statement: cst.CSTNode, call: cst.CSTNode) -> bool:
    """Whether what a statement assigns is a call, or methods called on what that gives."""
    value: cst.CSTNode | None = statement.value if isinstance(statement, cst.Assign) else None
    while value is not call and isinstance(value, cst.Call) and isinstance(value.func, cst.Attribute):
        value = value.func.value
    return value is call


def _plain(node: cst.BaseExpression) -> bool:
    """A name, an attribute of one, or a constant element: reading it twice gives the same object."""
    match node:
        case cst.Name():
            return True
        case cst.Attribute():
            return _plain(node.value)
        case cst.Subscript():
            return _plain(node.value) and all(
                isinstance(e.slice, cst.Index) and isinstance(e.slice.value, cst.Name | cst.Integer | cst.SimpleString) for e in node.slice
            )
    return False


def name_in(program: Program, obj: Obj, place: Place, layouts: Layouts, kinds: tuple[type[Event], ...]) -> str | None:
    """How the function of a place names an object there, read off the calls it makes on it."""
    return name_in_function(program, obj, place.layout, place.layout.function_of(place.statement), layouts, kinds, place.statement)


def name_in_function(
    program: Program,
    obj: Obj,
    layout: Layout,
    function: Statement | None,
    layouts: Layouts,
    kinds: tuple[type[Event], ...],
    at: Statement | None = None,
) -> str | None:
    """How a function names an object, read off the calls it makes on it; `at` a statement, where that is given."""
    module = layout.info
    for event in program.of(*kinds):
        if event.site.module is module and any(s in obj.lineage() for s in event.subjects):
            statement = layout.statement_of(event.site.node)
            if statement is None or layout.function_of(statement) is not function:
                continue
            subject = next(s for s in event.subjects if s in obj.lineage())
            if isinstance(event, Eval) and event.built:
                # Called on the class, not on the model: `model = AutoModel.from_pretrained(name).to(device)`.
                text = _assigned(statement, layout) if _begins_with(statement.node, event.site.node) else None
            else:
                text = _assigned(statement, layout) if isinstance(event, Construct) else receiver(event, subject, layouts)
            if text and (at is None or not (_bound_around(statement, at, text) or _bound_later(layout, function, at, text))):
                return text
    return None


def _bound_later(layout: Layout, function: Statement | None, at: Statement, text: str) -> bool:
    """Whether a function, or a module, gives a name of a text its value after a statement alone: it is not bound there yet."""
    root = re.split(r"\W", text, maxsplit=1)[0]
    if function is not None and is_handed_in(root, function):
        return False
    own = (s for s in layout.by_node.values() if layout.function_of(s) is function)
    bound = [s.start for s in own if root in (_set_by_head(s.node) if s.blocks else sets(s.node))]
    return bool(bound) and min(bound) >= at.start


def is_handed_in(name: str, function: Statement) -> bool:
    """Whether a dotted name begins with a parameter of a function."""
    node = function.node
    assert isinstance(node, cst.FunctionDef)
    return name.partition(".")[0] in {q.name.value for q in (*node.params.posonly_params, *node.params.params, *node.params.kwonly_params)}


def is_borrowed(name: str, function: Statement, nodes: Iterable[cst.CSTNode]) -> bool:
    """Whether a name begins with what a function gets from its callers, or with another name of a part of that; what an object keeps is its own.

    Args:
        name: the name.
        function: the function.
        nodes: what stands in it.
    """
    assert isinstance(function.node, cst.FunctionDef)
    params = function.node.params
    by_place = [q.name.value for q in (*params.posonly_params, *params.params)]
    of_class = function.block.owner is not None and isinstance(function.block.owner.node, cst.ClassDef)
    given = {*by_place[of_class:], *(q.name.value for q in params.kwonly_params)}
    roots = {name.partition(".")[0]}
    for node in nodes:
        match node:
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=set_here))], value=value) if set_here in roots:
                roots |= {_root(value)}
    return not roots.isdisjoint(given)


def _root(value: cst.BaseExpression) -> str:
    """The name that a part of something begins with, or what a method of it gives: `parts` of `parts[0].to(device)`; "" where it is none."""
    while True:
        match value:
            case cst.Attribute(value=inner) | cst.Subscript(value=inner) | cst.Call(func=cst.Attribute(value=inner)):
                value = inner
            case cst.Name(value=name):
                return name
            case _:
                return ""


def _set_by_head(owner: cst.CSTNode) -> frozenset[str]:
    """The names that a compound statement gives a value before one of its blocks runs: `for name in ...`, `if (name := ...)`."""
    tests = [owner.test] if isinstance(owner, cst.If | cst.While) else []
    return head_names(owner).union(*map(sets, tests))


def _bound_around(statement: Statement, at: Statement, text: str) -> bool:
    """Whether a loop or context around a statement, which is not around the other one, gives a name of a text its value."""
    outside = [owner for owner in statement.ancestors() if owner is not statement and not any(owner is a for a in at.ancestors())]
    root = re.split(r"\W", text, maxsplit=1)[0]
    return any(root in head_names(owner.node) for owner in outside) or root in clause_names(statement.node)


def called(optimizer: Obj) -> str:
    """What a message calls an optimizer."""
    return optimizer.name or "the optimizer"
