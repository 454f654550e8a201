"""The repair of a load that says onto no device what was saved."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

import libcst as cst

from looplint.flow.events import LoadState, ReadFile
from looplint.regex import regex
from looplint.repairs.draft import Draft, Infeasible
from looplint.repairs.layout import Layout, Statement
from looplint.repairs.names import dotted
from looplint.repairs.places import place_at
from looplint.repairs.planner import Planner
from looplint.repairs.repair import Plan, Repair
from looplint.syntax.nodes import children, walk

__all__ = ["MapLocation"]

# Functions and methods that keep no tensor they are given; the generators' states have to lie on the CPU.
_HARMLESS = frozenset({
    "print", "len", "int", "float", "str", "repr", "max", "min", "isinstance", "range", "sorted", "format", "info", "debug", "warning",
    "keys", "items", "values", "get", "pop", "set_rng_state", "set_rng_state_all",
})  # fmt: skip
# Functions that give random number generators their states, torch's own and others'.
_OF_GENERATORS = regex(r"rng|random|generator", re.IGNORECASE)
# Methods that set the state of what they belong to, whatever that is.
_SETTING = frozenset({"set_state", "setstate"})
# The methods that move a module to where the program is to run.
_MOVING = frozenset({"to", "cuda", "xpu", "npu"})
# Words of what a checkpoint holds besides tensors.
_NO_TENSORS = regex(r"epoch|iter|step|best|args|config|opt$|seed|name|version|arch", re.IGNORECASE)


class MapLocation(Repair):
    """Pass `map_location`: the device of the program, by the one name that it has in reach, or else the CPU.

    On the CPU, tensors are safe that are copied from there: those in the states of torch's own objects. The states of random number generators, those of a GPU
    as well, are taken from there alone: a file that holds them is loaded there.

    Attributes:
        event: the load.
        restored: the events that give what is loaded to objects of torch.
    """

    event: ReadFile
    restored: list[LoadState]

    def plan(self, p: Planner) -> Plan:
        place = place_at(self.event, len(self.event.calls), p.layouts)
        layout, node = place.layout, self.event.site.node
        if not isinstance(node, cst.Call) or any(a.star for a in node.args):
            raise Infeasible("the call cannot take another argument")
        names = _devices_at(place.statement, layout) or _devices_above(place.statement, layout)
        copying = {e.site.node for e in self.restored}
        loads = [node, *_same_loads(node, place.statement, layout)]
        given = [c for load in loads for c in _handed_to(load, layout.statement_of(load) or place.statement, layout) if c not in copying]
        calls = [c for c in given if isinstance(c, cst.Call)]
        of_generators = {c for c in calls if _is_of_a_generator(c)}
        value = names.pop() if len(names) == 1 and not of_generators else '"cpu"'
        if value == '"cpu"' and self.event.file.holds_module and not self.restored and not _is_moved(node, place.statement, layout):
            raise Infeasible("the module that is loaded would stay on the CPU")
        harmless = len(calls) == len(given) and all(_is_harmless(c) for c in calls)
        safe = bool(self.restored) and harmless if value == '"cpu"' else True
        applicability: Literal["safe", "unsafe"] = "safe" if safe else "unsafe"
        draft = Draft(layout)
        for load in loads:
            draft.add_argument(load, f"map_location={value}")
        return Plan(f"Pass map_location={value}", applicability, [draft])


def _is_of_a_generator(call: cst.Call) -> bool:
    """Whether a call gives something to a random number generator, by its name, or by any name in it if it sets a state: `generator.set_state(state)`."""
    words = [n.value for n in walk(call) if isinstance(n, cst.Name | cst.SimpleString)] if _name_of(call) in _SETTING else [_name_of(call)]
    return any(map(_OF_GENERATORS.search, words))


def _is_harmless(call: cst.Call) -> bool:
    return _name_of(call) in _HARMLESS or (_name_of(call) in _SETTING and _is_of_a_generator(call))


def _same_loads(node: cst.Call, place: Statement, layout: Layout) -> list[cst.Call]:
    """The other loads of the same file behind a load, in its function, such as that of an `except` after it: one without the other repairs nothing."""
    function, text = layout.function_of(place), layout.code(node)
    later = [s for s in layout.by_node.values() if s.start > place.start and layout.function_of(s) is function and not s.blocks]
    return [call for s in later for call in walk(s.node) if isinstance(call, cst.Call) and layout.code(call) == text]


def _devices_at(place: Statement, layout: Layout) -> set[str]:
    """The names that are given a device by what the machine has, and that a place can use."""
    function = layout.function_of(place)
    found = set()
    for statement in layout.by_node.values():
        node = statement.node
        if (
            isinstance(node, cst.Assign)
            and len(node.targets) == 1
            and isinstance(node.targets[0].target, cst.Name)
            and not isinstance(node.value, cst.Comparison | cst.BooleanOperation | cst.UnaryOperation)
            and "is_available()" in layout.code(node.value)
        ):
            owner = layout.function_of(statement)
            above = statement.start < place.start and (owner is function or owner is None)
            if above and ("cpu" in layout.code(node.value)):
                found.add(node.targets[0].target.value)
    return found


def _devices_above(place: Statement, layout: Layout) -> set[str]:
    """The names and attributes of devices that statements have used in any case before a place: `model.to(self.device)`."""
    found: set[str] = set()
    for around in place.ancestors():
        if isinstance(around.node, cst.FunctionDef | cst.ClassDef):
            break
        for statement in around.block.statements[: around.index]:
            for call in (n for n in walk(statement.node) if not statement.blocks and isinstance(n, cst.Call)):
                moved = call.args[:1] if _name_of(call) == "to" else [a for a in call.args if a.keyword and a.keyword.value == "device"]
                paths = [dotted(a.value) or "" for a in moved]
                found.update(path for path in paths if "device" in path.rpartition(".")[2].lower())
    return found


def _handed_to(load: cst.Call, place: Statement, layout: Layout) -> Iterator[cst.CSTNode]:
    """The calls that what is loaded, or an entry of it, is an argument of, in the function of the load; what keeps it otherwise, too."""
    function = layout.function_of(place)
    block = function.node if function is not None else layout.info.code.tree if layout.info.code is not None else place.node
    nodes = [node for node in walk(block) if isinstance(node, cst.Call | cst.Assign | cst.For | cst.CompFor | cst.Return)]
    names: set[str] = set()
    found: dict[cst.CSTNode, None] = {}
    known = -1
    while known < len(names):
        known = len(names)
        found = {}
        for node in nodes:
            match node:
                case cst.Call():
                    given = [a.value for a in node.args]
                    if any(_is_entry(value, load, names) for value in given):
                        found[node] = None
                case cst.Assign(targets=targets, value=value) if node is place.node or _mentions(value, load, names):
                    for target in (t.target for t in targets):
                        _keep(target, value, load, names, found)
                case cst.For(target=target, iter=value) | cst.CompFor(target=target, iter=value) if _mentions(value, load, names):
                    names |= {n.value for n in walk(target) if isinstance(n, cst.Name)}
                case cst.Return(value=cst.BaseExpression() as value) if any(_is_entry(each, load, names) for each in _parts(value)):
                    found[node] = None
    yield from found


def _parts(value: cst.BaseExpression) -> list[cst.BaseExpression]:
    """The values that a return gives: those of a tuple, or the one."""
    return [element.value for element in value.elements] if isinstance(value, cst.Tuple) else [value]


def _is_moved(load: cst.Call, place: Statement, layout: Layout) -> bool:
    """Whether the function of a load moves what is loaded, or what it keeps of that: `self.net = file["net"]`, and then `self.net.to(device)`."""
    function = layout.function_of(place)
    block = function.node if function is not None else layout.info.code.tree if layout.info.code is not None else place.node
    nodes = [node for node in walk(block) if isinstance(node, cst.Assign | cst.Call)]
    kept: set[str] = set()
    known = -1
    while known < len(kept):
        known = len(kept)
        for node in nodes:
            if isinstance(node, cst.Assign) and _comes_from(node.value, load, kept):
                kept |= {dotted(each.target) or "" for each in node.targets} - {""}
    moves = (
        node.func.value
        for node in nodes
        if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and _name_of(node) in _MOVING
    )
    return any(_comes_from(moved, load, kept) for moved in moves)


def _comes_from(node: cst.BaseExpression, load: cst.Call, kept: set[str]) -> bool:
    """Whether an expression has in it what is loaded, or what is kept of it."""
    return any(part is load or (isinstance(part, cst.Name | cst.Attribute) and dotted(part) in kept) for part in walk(node))


def _keep(target: cst.BaseExpression, value: cst.BaseExpression, load: cst.Call, names: set[str], found: dict[cst.CSTNode, None]) -> None:
    """Note what an assignment keeps of what is loaded: under further names, or in attributes."""
    base = target
    while isinstance(base, cst.Subscript):
        base = base.value
    match base:
        case cst.Name() if not _NO_TENSORS.search(base.value):
            names.add(base.value)
        case cst.Tuple():
            names |= {e.value.value for e in base.elements if isinstance(e.value, cst.Name)}
        case cst.Attribute() if _is_entry(value, load, names) and not _NO_TENSORS.search(base.attr.value):
            found[base] = None


def _is_entry(node: cst.BaseExpression, load: cst.Call, names: set[str]) -> bool:
    """Whether an expression is what is loaded or an entry of it, and no number among them by its key."""
    while True:
        match node:
            case cst.Subscript(value=inner) if not _is_number(node):
                node = inner
            case cst.Call(func=cst.Attribute(value=inner, attr=cst.Name("get" | "pop" | "items" | "values"))):
                node = inner
            case _:
                return node is load or (isinstance(node, cst.Name) and node.value in names)


def _mentions(node: cst.CSTNode, load: cst.Call, names: set[str]) -> bool:
    """Whether an expression has in it what is loaded, or an entry of it that may be a tensor."""
    if node is load or (isinstance(node, cst.Name) and node.value in names):
        return True
    return not _is_number(node) and any(_mentions(child, load, names) for child in children(node))


def _is_number(node: cst.CSTNode) -> bool:
    """Whether an expression is an entry that is no tensor by its key: `checkpoint["epoch"]`."""
    match node:
        case cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Index(value=cst.SimpleString() as key))]):
            return _NO_TENSORS.search(key.raw_value) is not None
    return False


def _name_of(call: cst.Call) -> str:
    """The last word of what is called."""
    match call.func:
        case cst.Name(value=name) | cst.Attribute(attr=cst.Name(value=name)):
            return name
    return ""
