"""Repairs of states that are kept and not given back: the best one of a model, those of schedulers and scalers in a checkpoint."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from looplint.domain.objects import Obj
from looplint.flow.events import Construct, Event, LoadState, Save, Snapshot
from looplint.flow.graph import Loop
from looplint.queries.saved_entries import UnsavedEntry
from looplint.repairs.draft import Draft, Infeasible
from looplint.repairs.imports import named
from looplint.repairs.layout import Layout, Statement
from looplint.repairs.names import dotted, reads, sets
from looplint.repairs.places import loop_statement, name_in_function, place_at
from looplint.repairs.planner import Planner
from looplint.repairs.repair import Plan, Repair
from looplint.syntax.nodes import children, walk

__all__ = ["ReadSavedEntry", "RestoreBest", "RestoreState"]


class RestoreBest(Repair):
    """Load the best state that a loop has kept into its model after the loop.

    Attributes:
        snapshot: what takes the state.
        loop: the loop that keeps it.
        name: the name under which it is kept.
    """

    snapshot: Snapshot
    loop: Loop
    name: str

    def plan(self, p: Planner) -> Plan:
        place = place_at(self.snapshot, len(self.snapshot.calls), p.layouts)
        layout, call = place.layout, self.snapshot.site.node
        loop = loop_statement(self.loop, p.layouts)
        if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute) or dotted(call.func.value) is None:
            raise Infeasible("the model has no name where its state is kept")
        if layout is not p.layouts.of(self.loop.site.module) or layout.function_of(place.statement) is not layout.function_of(loop):
            raise Infeasible("the state is taken in another function than that of the loop")
        loop = _whole(loop, place.statement)
        if _returns(loop.node):
            raise Infeasible("the function may end within the loop")
        draft = Draft(layout)
        match _kept(place.statement.node, self.name, call):
            case "bare":
                copy = named(draft, layout, "copy", "deepcopy")
                start, end = layout.extent(call)
                draft.insert(start, f"{copy}(")
                draft.insert(end, ")")
            case "more":
                raise Infeasible("more than the state is kept")
        model = layout.code(call.func.value)
        draft.line_after(loop, f"{model}.load_state_dict({self.name})")
        return Plan(f"Load the best state into {model} after the loop", "unsafe", [draft])


def _whole(loop: Statement, keeps: Statement) -> Statement:
    """The outermost loop over which the best value is remembered: none around it sets what the branch compares anew."""
    compared = {n for a in keeps.ancestors() if isinstance(a.node, cst.If) for n in reads(a.node.test)}
    for around in list(loop.ancestors())[1:]:
        if isinstance(around.node, cst.FunctionDef | cst.ClassDef):
            break
        if isinstance(around.node, cst.For | cst.While):
            others = (s for block in around.blocks for s in block.statements if not any(s is a for a in loop.ancestors()))
            if any(compared & sets(s.node) for s in others):
                break
            loop = around
    return loop


def _kept(statement: cst.CSTNode, name: str, call: cst.Call) -> str:
    """How a statement keeps what a call gives: as it is ("bare"), copied ("copied"), or with other things ("more")."""
    for target, value in _assigned(statement):
        if not isinstance(target, cst.Name) or target.value != name:
            continue
        match value:
            case cst.Call() if value is call:
                return "bare"
            case cst.Call(func=cst.Name(value="deepcopy") | cst.Attribute(attr=cst.Name(value="deepcopy")), args=[cst.Arg(value=copied)]):
                return "copied" if copied is call else "more"
            case cst.DictComp(for_in=cst.CompFor(iter=cst.Call(func=cst.Attribute(value=states, attr=cst.Name(value="items"))))):
                return "copied" if states is call else "more"
    return "more"


def _assigned(statement: cst.CSTNode) -> list[tuple[cst.BaseExpression, cst.BaseExpression]]:
    """Each target of an assignment with the expression that it gets."""
    found: list[tuple[cst.BaseExpression, cst.BaseExpression]] = []
    if isinstance(statement, cst.Assign):
        for target in statement.targets:
            match target.target, statement.value:
                case cst.Tuple(elements=targets), cst.Tuple(elements=values) if len(targets) == len(values):
                    found += [(t.value, v.value) for t, v in zip(targets, values)]
                case one, value:
                    found.append((one, value))
    return found


def _returns(node: cst.CSTNode) -> bool:
    """Whether a function may end in a piece of its code."""
    work = [node]
    while work:
        item = work.pop()
        if isinstance(item, cst.Return):
            return True
        if not isinstance(item, cst.FunctionDef | cst.Lambda | cst.ClassDef):
            work += children(item)
    return False


class RestoreState(Repair):
    """Restore schedulers and scalers together with an optimizer; what writes the checkpoint saves their states where it does not yet.

    Attributes:
        restored: what gives the optimizer its state.
        objects: whose states are missing.
        save: what writes the optimizer's state.
    """

    restored: LoadState
    objects: Sequence[Obj]
    save: Save | None

    def plan(self, p: Planner) -> Plan:
        place = place_at(self.restored, len(self.restored.calls), p.layouts)
        layout, call = place.layout, self.restored.site.node
        if not isinstance(place.statement.node, cst.Expr) or place.statement.node.value is not call:
            raise Infeasible("the optimizer is restored within a larger statement")
        match call:
            case cst.Call(args=[cst.Arg(value=cst.Subscript(value=cst.Name(value=checkpoint)))]):
                pass
            case _:
                raise Infeasible("the checkpoint has no name where the optimizer is restored")
        if self.save is None:
            raise Infeasible("it is not known where the checkpoint is written")
        drafts = {id(layout): Draft(layout)}
        names = []
        for obj in self.objects:
            name = _built_before(p, obj, layout, place.statement)
            key = self._saved(p, obj, name, drafts)
            drafts[id(layout)].line_after(place.statement, f"{name}.load_state_dict({checkpoint}[{key}])")
            names.append(name)
        return Plan(f"Save and restore the state of {' and '.join(names)}", "unsafe", list(drafts.values()))

    def _saved(self, p: Planner, obj: Obj, name: str, drafts: dict[int, Draft]) -> str:
        """The key under which the checkpoint holds the state of an object, which is added to it where it is missing."""
        assert self.save is not None
        own: list[Snapshot] = []
        others: list[Snapshot] = []
        for event in p.program.of(Snapshot):
            owners = {s.owner for s in self.save.states if s in event.subjects}
            if owners:
                (own if obj in owners else others).append(event)
        for event in own:
            _, element = _element(p, event)
            return p.layouts.of(event.site.module).code(element.key)
        for event in others:
            if not any(s.owner in self.restored.subjects for s in self.save.states if s in event.subjects):
                continue
            statement, element = _element(p, event)
            layout = p.layouts.of(event.site.module)
            if layout.function_of(statement) is not layout.function_of(_statement(p, self.restored, layout)):
                raise Infeasible("the checkpoint is written in another function")
            quote = layout.code(element.key)[:1]
            key = f"{quote}{name.rpartition('.')[2]}{quote}"
            draft = drafts.setdefault(id(layout), Draft(layout))
            draft.insert(layout.extent(element.value)[1], f", {key}: {name}.state_dict()")
            return key
        raise Infeasible("the checkpoint is not written as a dict of states")


def _statement(p: Planner, event: Event, layout: Layout) -> Statement:
    found = layout.statement_of(event.site.node) if event.site.module is layout.info else None
    if found is None:
        raise Infeasible("the checkpoint is written in another file")
    return found


def _element(p: Planner, event: Snapshot) -> tuple[Statement, cst.DictElement]:
    """The entry of a dict that is written out, as which a state is taken."""
    place = place_at(event, len(event.calls), p.layouts)
    for item in walk(place.statement.node):
        if isinstance(item, cst.DictElement) and item.value is event.site.node and isinstance(item.key, cst.SimpleString):
            return place.statement, item
    raise Infeasible("the checkpoint is not written as a dict of states")


def _built_before(p: Planner, obj: Obj, layout: Layout, at: Statement) -> str:
    """The name that an object got in the function of a statement, above it."""
    function = layout.function_of(at)
    built = next((e for e in p.program.of(Construct) if obj in e.subjects and e.site.module is layout.info), None)
    where = layout.statement_of(built.site.node) if built is not None else None
    if where is None or layout.function_of(where) is not function or where.start > at.start:
        raise Infeasible("what is to be restored is built in another function, or later")
    if where.block not in {s.block for s in at.ancestors()}:
        raise Infeasible("what is to be restored is built under a condition")
    name = name_in_function(p.program, obj, layout, function, p.layouts, (Construct,))
    if name is None:
        raise Infeasible("what is to be restored has no name")
    return name


class ReadSavedEntry(Repair):
    """Read the entry of a checkpoint under the key that it is saved under.

    Attributes:
        unsaved: the entry, with the places where it is read.
    """

    unsaved: UnsavedEntry

    def plan(self, p: Planner) -> Plan:
        key = self.unsaved.instead
        if self.unsaved.restored is None:
            raise Infeasible(f"{key} may hold something else" if key else "nothing of the kind is saved")
        drafts: dict[int, Draft] = {}
        for read in self.unsaved.reads:
            layout = place_at(read, len(read.calls), p.layouts).layout
            match read.site.node:
                case cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Index(value=cst.SimpleString(value=written) as index))]):
                    quote = written[-1]
                    drafts.setdefault(id(layout), Draft(layout)).replace(index, f"{quote}{key}{quote}")
                case _:
                    raise Infeasible("the key is not written where it is read")
        return Plan(f"Read {key}, as it is saved", "safe", list(drafts.values()))
