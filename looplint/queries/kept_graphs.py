"""Graphs that a module keeps: what its first forward computes once, and each later one goes through."""

from __future__ import annotations

from collections.abc import Iterator

from looplint.domain.objects import Obj
from looplint.domain.tags import is_built_around
from looplint.domain.tensors import is_rooted
from looplint.domain.values import ClassRef, EventKey
from looplint.flow.events import Backward, Escape, Event, Forward
from looplint.flow.remarks import Differentiate
from looplint.queries.program import Program
from looplint.syntax import ir

_DEPTH = 3
_CACHING = frozenset({"cache", "lru_cache", "cached_property", "cached"})
# What a value without a graph ends with.
_CUT = frozenset({"detach", "detach_", "item", "tolist", "Parameter", "numpy"})


def may_keep_a_graph(program: Program, obj: Obj) -> bool:
    """Whether a forward of a module, or of what its class builds, sets an attribute once that it computes, and reads it in every call.

    One whose class is not known may be of any that the program has.
    """
    if obj.cls is not None:
        return _keeps(obj.cls, _DEPTH)
    if not obj.symbolic:
        return False
    codes = (info.lowered() for info in program.modules_read if "def forward(" in info.source.text)
    forwards = (cls.methods.get("forward") for code in codes if code is not None for cls in code.classes)
    return any(_sets_once(forward) for forward in forwards if forward is not None)


def goes_through_what_is_older(program: Program, event: Backward) -> bool:
    """Whether a part of what a backward goes through was computed from leaves outside of its loop: `scale = torch.exp(self.raw)` before that."""
    inputs = (forward.inputs for forward in program.forwards_of(event.forwards))
    return event.reaches_out or any(given is not None and is_built_around(given.tags, len(event.loops)) for given in inputs)


def is_rooted_in_the_turn(program: Program, event: Backward) -> bool:
    """Whether what goes backward is computed in the turn from parameters or other leaves alone, through no forward, and nothing else may go through its graph.

    It is known of forwards alone which other calls go through them. So the parameters may not go backward elsewhere, nor to code that is not followed.
    """
    if (
        event.forwards
        or not event.of_parameters
        or event.loops[-1].carries_roots is not False
        or not all(map(is_rooted, event.of_parameters))
    ):
        return False
    leaves = set(event.subjects)
    others: list[Event] = [
        e for e in program.of(Backward, Escape) if e is not event and (event.loops[-1] in e.loops or not leaves.isdisjoint(e.subjects))
    ]
    return not others and not any(e.root == event.root for e in program.of(Differentiate)) and not _keeps_results(program)


def reaches_into_the_turn_before(program: Program, event: Backward) -> bool:
    """Whether the graph of a backward may reach back into the turn before: a forward takes in what it or a later one has put out."""
    for forward in program.forwards_of(event.forwards):
        given = forward.inputs.forwards if forward.inputs is not None else ()
        back = {k for k in given if k == forward.key or (k in program.forwards and program.forwards[k].index > forward.index)}
        if back and not _is_taken_on_within(event, forward, back):
            return True
    return False


def _is_taken_on_within(event: Backward, forward: Forward, back: set[EventKey]) -> bool:
    """Whether a loop inside the turn takes the output of some forwards on, and no turn begins with it: a hidden state that begins with zeros for each batch."""
    loop = event.loops[-1]
    inside = loop in forward.loops and len(forward.loops) > len(event.loops) and forward.calls == event.calls
    return inside and loop.carried is not None and back.isdisjoint(loop.carried)


def _keeps_results(program: Program) -> bool:
    """Whether the program has a function whose results are kept for the next call with the same arguments, and their graphs with them."""
    codes = (info.lowered() for info in program.modules_read if "cache" in info.source.text)
    return any(_is_cached(function) for code in codes if code is not None for function in code.functions)


def _is_cached(function: ir.Function) -> bool:
    return any(ir.decorator_name(each) in _CACHING for each in function.decorators)


def _keeps(cls: ClassRef, depth: int) -> bool:
    forward = cls.cls.methods.get("forward")
    if forward is not None and _sets_once(forward):
        return True
    return depth > 0 and any(_keeps(each, depth - 1) for each in _built_by(cls) if each.cls is not cls.cls)


def _built_by(cls: ClassRef) -> Iterator[ClassRef]:
    """The classes that a constructor names, and the bases of a class, as far as they were read."""
    constructor = cls.cls.methods.get("__init__")
    names = sorted(constructor.called()) if constructor is not None else []
    names += [ir.path_of(base) or "" for base in cls.cls.bases]
    for name in names:
        values = cls.module.frame.locals.get(name, ()) if cls.module.frame is not None else ()
        yield from (atom for atom in values if isinstance(atom, ClassRef))


@ir.kept_with_code
def _sets_once(forward: ir.Function) -> bool:
    """Whether a forward computes an attribute of its object under a test of another, or of itself: `if self.scale is None: self.scale = x.max()`."""
    if not forward.params:
        return False
    own = f"{forward.params[0].name}."
    for stmt in ir.statements(forward.body):
        if isinstance(stmt, ir.If) and any(path.startswith(own) for path in ir.paths_in(stmt.test)):
            for inner in ir.statements(stmt.body):
                if isinstance(inner, ir.Assign) and _computes(inner, own, forward):
                    return True
    return False


def _computes(stmt: ir.Assign, own: str, forward: ir.Function) -> bool:
    """Whether an assignment gives an attribute what is computed of the inputs, with its graph."""
    inputs = {p.name for p in forward.params[1:]}
    targets = [part for to in stmt.targets for part in ir.walk(to)]
    calls = [e.func for e in ir.walk(stmt.value) if isinstance(e, ir.Call)]
    called = {func.attr if isinstance(func, ir.Attr) else func.id for func in calls if isinstance(func, ir.Attr | ir.Name)}
    of_inputs = any(path.partition(".")[0] in inputs for path in ir.paths_in(stmt.value))
    return any((ir.path_of(t) or "").startswith(own) for t in targets) and bool(called) and of_inputs and not called & _CUT


def is_dropped_at_the_return(event: Backward) -> bool:
    """Whether a backward stands in a function that each turn of its loop calls, which neither keeps nor returns what goes backward: its graph ends with the call."""
    return _is_called_in_a_turn(event) and _handed_out(event) is False


def goes_to_callers(program: Program, event: Backward) -> bool:
    """Whether a function that each turn calls gives back what it has sent backward, and so does the function with which the analysis began: to callers out of sight."""
    return (
        bool(event.root)
        and _is_called_in_a_turn(event)
        and _handed_out(event) is True
        and not event.forwards.isdisjoint(program.uses.handed_on)
    )


def _is_called_in_a_turn(event: Backward) -> bool:
    """Whether each turn of a loop calls the function of a backward, and no loop in that function comes to it again."""
    own = [loop for loop in event.loops if loop.frame is event.key[0]]
    return len(own) < len(event.loops) and not any(loop.repeats for loop in own)


def _handed_out(event: Backward) -> bool | None:
    """Whether a function returns what goes backward in it; None where its caller has it anyway, or it is kept."""
    code = event.site.module.lowered()
    found = next((each for each in code.gradient_calls if each.call.node is event.site.node), None) if code is not None else None
    if found is None or found.function.is_generator:
        return None
    parts = set[str]().union(*map(ir.paths_in, ir.children(found.call)))
    given = {param.name for param in found.function.params}
    if not parts.isdisjoint(given) or any(source in parts for source, _ in found.function.aliases):
        return None
    returned = (stmt.value for stmt in ir.statements(found.function.body) if isinstance(stmt, ir.Return) and stmt.value is not None)
    return any(_hands_out(value, parts) for value in returned)


def _hands_out(expr: ir.Expr, names: set[str]) -> bool:
    """Whether an expression gives some names as they are, or in a collection or computed of them; `loss.item()` gives a number."""
    match expr:
        case ir.Name(id=named):
            return named in names
        case ir.Call(func=ir.Attr(attr=attr)) if attr in _CUT:
            return False
    return any(_hands_out(part, names) for part in ir.children(expr))
