"""Repairs of what a run is given: settings, loaders, samplers and checkpoints."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import libcst as cst

from looplint.flow.events import Event, Forward
from looplint.flow.graph import Loop
from looplint.regex import regex
from looplint.repairs.draft import Draft, Infeasible
from looplint.repairs.imports import named
from looplint.repairs.layout import Layout, Statement
from looplint.repairs.names import depends, dotted, reads, sets
from looplint.repairs.places import Place, body_of, loop_statement, meet, place_at
from looplint.repairs.planner import Planner, common_block
from looplint.repairs.repair import Plan, Repair
from looplint.syntax.nodes import walk

__all__ = ["CopyValue", "MoveSeed", "SetEpoch", "SetValue", "ShareSeed"]

# What is done for reproducible runs, and what is told of it.
_SETS_UP = regex(r"(?i)seed|determin|benchmark|\bprint$|\blog|\bwarn")


class SetValue(Repair):
    """Set a setting to another value where it is set.

    Attributes:
        event: what sets it.
        value: the new value, as code.
        other: what makes the new value the right one, where that happens.
        tells: the setting beside this one that tells later whether it has happened.
    """

    event: Event
    value: str
    other: Event
    tells: str

    def plan(self, p: Planner) -> Plan:
        place = place_at(self.event, len(self.event.calls), p.layouts)
        node = place.statement.node
        if not isinstance(node, cst.Assign) or len(node.targets) != 1 or node.targets[0].target is not self.event.site.node:
            raise Infeasible("the statement sets other things too")
        draft = Draft(place.layout)
        target = node.targets[0].target
        # A run in which the other thing does not happen keeps the old value.
        always = self.other.calls == self.event.calls and set(self.other.guards) <= set(self.event.guards)
        safe, value = always, self.value
        if not always and self.other.index < self.event.index and isinstance(target, cst.Attribute):
            told = f"not {place.layout.code(target.value)}.{self.tells}"
            safe, value = True, told if _is_true(node.value) else f"{_operand(place.layout, node.value)} and {told}"
        draft.replace(node.value, value)
        return Plan(f"Set {place.layout.code(target)} to {value}", "safe" if safe else "unsafe", [draft])


def _is_true(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Name) and node.value == "True"


def _operand(layout: Layout, node: cst.BaseExpression) -> str:
    """The text of what somebody else decides, such as a parameter: it stands before `and`."""
    code = layout.code(node)
    return code if isinstance(node, cst.Name | cst.Attribute | cst.Call | cst.Subscript) else f"({code})"


class CopyValue(Repair):
    """Copy a state where it is taken: `copy.deepcopy(...)`, with the import.

    Attributes:
        event: what takes the state.
        alone: whether it is loaded after the training with no state of the training in its place.
    """

    event: Event
    alone: bool

    def plan(self, p: Planner) -> Plan:
        place = place_at(self.event, len(self.event.calls), p.layouts)
        layout, node = place.layout, self.event.site.node
        draft = Draft(layout)
        copy = named(draft, layout, "copy", "deepcopy")
        start, end = layout.extent(node)
        draft.insert(start, f"{copy}(")
        draft.insert(end, ")")
        return Plan("Keep a copy of the state", "unsafe" if self.alone else "safe", [draft])


class SetEpoch(Repair):
    """Tell a sampler the epoch at the top of the epoch loop.

    Attributes:
        sampler: the construction of the sampler.
        loader: the construction of its loader.
        epochs: the loop that counts epochs.
        batches: the loop over the loader.
        path: where the loader keeps the sampler.
        others: the constructions of the loaders that a run may have in the place of this one.
        unless: what the sampler may be instead: nothing else, None, or a sampler of another kind.
    """

    sampler: Event
    loader: Event
    epochs: Loop
    batches: Loop
    path: str
    others: tuple[Event, ...]
    unless: Literal["", "None", "another"]

    def plan(self, p: Planner) -> Plan:
        statement = loop_statement(self.epochs, p.layouts)
        layout = p.layouts.of(self.epochs.site.module)
        node = statement.node
        if not isinstance(node, cst.For) or not isinstance(node.target, cst.Name) or not self.epochs.iterates.startswith("range("):
            raise Infeasible("the loop does not count its epochs")
        name = _known_in(p, self.sampler, statement, layout) if not self.others else self._kept(p, statement, layout)
        if name is None:
            loader_name = _known_in(p, self.loader, statement, layout) or _iterated_in(p, self.batches, statement, layout)
            if loader_name is None or self.unless:
                raise Infeasible("neither the sampler nor its loader has a name where the epochs are counted")
            name = f"{loader_name}.{self.path}"
        code = f"{name}.set_epoch({node.target.value})"
        body = body_of(statement)
        if self.unless or self.others:
            indent = layout.indent(body.statements[0])
            none = self.unless == "None" and not self.others
            test = f"{name} is not None" if none else f"isinstance({name}, {_class_of(self.sampler, layout)})"
            code = f"if {test}:{layout.newline}{indent}{indent.removeprefix(layout.indent(statement))}{code}"
        draft = Draft(layout)
        draft.line_at_top(body, code)
        return Plan(f"Call {name}.set_epoch()", "safe", [draft])

    def _kept(self, p: Planner, statement: Statement, layout: Layout) -> str:
        """The sampler of whichever loader there is: where another one is built, nothing may have the name of the sampler."""
        names = {_known_in(p, each, statement, layout) for each in (self.loader, *self.others)}
        (name,) = names if len(names) == 1 else (None,)
        if name is None or self.sampler.site.module is not layout.info or self.path != "sampler":
            raise Infeasible("the loaders of which there is one have no name in common, or one of them may keep no such sampler")
        return f"{name}.{self.path}"


def _class_of(built: Event, layout: Layout) -> str:
    """The class that a call builds an object of, as its file names it."""
    node = built.site.node
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Name | cst.Attribute):
        raise Infeasible("the class of the sampler has no name")
    return layout.code(node.func)


def _known_in(p: Planner, event: Event, place: Statement, layout: Layout) -> str | None:
    """The name that what an event builds is given, where a place in the same file can use it."""
    if event.site.module is not layout.info:
        return None
    built = layout.statement_of(event.site.node)
    if (
        built is None
        or not isinstance(built.node, cst.Assign)
        or len(built.node.targets) != 1
        or not _is_given(built.node.value, event.site.node)
    ):
        return None
    target = built.node.targets[0].target
    here, there = layout.function_of(place), layout.function_of(built)
    match target:
        case cst.Name():
            return target.value if there is None or here is there else None
        case cst.Attribute(value=cst.Name(value="self")):
            return layout.code(target) if here is not None and there is not None and here.block.owner is there.block.owner else None
    return None


def _is_given(value: cst.BaseExpression, node: cst.CSTNode) -> bool:
    """Whether a value is what a node builds, in all cases or in some; a call around it may give something else."""
    if isinstance(value, cst.IfExp):
        return _is_given(value.body, node) or _is_given(value.orelse, node)
    return value is node


def _iterated_in(p: Planner, loop: Loop, place: Statement, layout: Layout) -> str | None:
    """The name of what a loop inside a place goes over: `loader` of `for i, batch in enumerate(tqdm(loader))`."""
    inner = loop_statement(loop, p.layouts)
    if loop.site.module is not layout.info or not isinstance(inner.node, cst.For) or not any(s is place for s in inner.ancestors()):
        return None
    node = inner.node.iter
    while isinstance(node, cst.Call) and node.args and layout.code(node.func).rpartition(".")[2] in ("enumerate", "tqdm"):
        node = node.args[0].value
    return node.value if isinstance(node, cst.Name) else None


class MoveSeed(Repair):
    """Move a seed above the statement that draws the weights of the model.

    Attributes:
        seed: the seed that is set too late.
        draw: the construction of the model, or the first forward of one whose layers are lazy.
    """

    seed: Event
    draw: Event

    def plan(self, p: Planner) -> Plan:
        mine, theirs = meet(self.seed, self.draw, p.layouts)
        block, unit, target = common_block(mine.statement, theirs.statement)
        _check_goes_along(mine, unit)
        passed = block.statements[target.index : unit.index]
        if depends(unit, passed) or _is_filled_in(unit, passed, mine.layout):
            raise Infeasible("it uses names that are assigned in between")
        if any(e.kind in ("backward", "step") for s in passed for e in p.events_in(s, mine.layout)):
            raise Infeasible("something is trained in between, and what follows starts from this seed")
        draft = Draft(mine.layout)
        draft.move_before(unit, target)
        return Plan(f"Set the seed before the model is {'run' if isinstance(self.draw, Forward) else 'built'}", "safe", [draft])


def _check_goes_along(place: Place, unit: Statement) -> None:
    """Raise where a seed cannot be moved with all conditions under which it is set: what it is made of may only be there where they hold."""
    inside = [s for s in place.layout.by_node.values() if any(a is unit for a in s.ancestors())]
    for statement in inside:
        match statement.node:
            case cst.If():
                continue
            case cst.Expr(value=cst.Call(func=func)) if statement is place.statement or _SETS_UP.search(place.layout.code(func)):
                continue
            case cst.Expr(value=cst.BaseString()) | cst.Pass():
                continue
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Attribute() as target)]) if _SETS_UP.search(place.layout.code(target)):
                continue
        raise Infeasible("other things happen where it is set")


def _is_filled_in(unit: Statement, passed: Iterable[Statement], layout: Layout) -> bool:
    """Whether a method is called for what it does on an object that a statement uses: `config.setdefault("seed", 0)`."""
    imported = frozenset(n for s in layout.by_node.values() if isinstance(s.node, cst.Import | cst.ImportFrom) for n in sets(s.node))
    used = {name for name in reads(unit.node) if name.partition(".")[0] not in imported}
    calls = [n.value for s in passed for n in walk(s.node) if isinstance(n, cst.Expr)]
    return any(isinstance(c, cst.Call) and isinstance(c.func, cst.Attribute) and dotted(c.func.value) in used for c in calls)


class ShareSeed(Repair):
    """Take the rank out of the seed of a sampler: `seed=args.seed + rank`.

    Attributes:
        sampler: the call that builds the sampler.
    """

    sampler: Event

    def plan(self, p: Planner) -> Plan:
        layout = place_at(self.sampler, len(self.sampler.calls), p.layouts).layout
        node = self.sampler.site.node
        given = [a.value for a in node.args if a.keyword is not None and a.keyword.value == "seed"] if isinstance(node, cst.Call) else []
        match given:
            case [cst.BinaryOperation(left=left, operator=cst.Add(), right=right) as seed]:
                kept = [
                    side
                    for side, other in ((left, right), (right, left))
                    if "rank" in layout.code(other) and "rank" not in layout.code(side)
                ]
            case _:
                kept = []
        if len(kept) != 1:
            raise Infeasible("the rank is no summand of the seed in this call")
        draft = Draft(layout)
        draft.replace(seed, layout.code(kept[0]))
        return Plan(f"Pass seed={layout.code(kept[0])} in every process", "unsafe", [draft])
