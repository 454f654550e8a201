"""States of a model that each turn of a loop adds to a container, and out of which the program takes one: `states.append(net.state_dict())`, `states[best]`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from looplint.domain.objects import Container, Dict, List, Obj, StateDict
from looplint.domain.values import Ref, Tuple, Value, constant_of, refs
from looplint.interpreter.interpreter import Interpreter
from looplint.syntax import ir
from looplint.syntax.ranges import given_to_name

_DEPTH = 3


def picked_states(interp: Interpreter, states: frozenset[StateDict], call: ir.Call) -> frozenset[tuple[StateDict, Container]]:
    """Those of some states that a call is given out of a container with one for each turn of a loop, each with that, by a key that is no constant."""
    if not states:
        return frozenset()
    found: set[tuple[StateDict, Container]] = set()
    for given in (given_to_name(arg.value, interp.frame.function) for arg in call.args):
        for part in ir.walk(given):
            if isinstance(part, ir.Subscript):
                with interp.looking():
                    whole, key = interp.evaluate(part.value), interp.evaluate(part.index)
                if constant_of(key) is None:
                    found.update((s, c) for c in refs(whole, Container) for s in states if _adds_each_turn(interp, c, s, part.index))
    return frozenset(found)


def _adds_each_turn(interp: Interpreter, container: Container, state: StateDict, key: ir.Expr) -> bool:
    """Whether a container outlives a loop in which a state of one model is taken, and a key of it is none of the number of this turn."""
    if container.loops is None or state.loops is None or not isinstance(container, List | Dict):
        return False
    further = state.loops[len(container.loops) :]
    if not further or state.loops[: len(container.loops)] != container.loops or not set(further).isdisjoint(state.owned_since):
        return False
    of_this_turn = {name for loop in interp.loops if loop in state.loops for name in loop.targets}
    return ir.paths_in(key).isdisjoint(of_this_turn) and state in _states_of([container.heap.get("[]", frozenset())], _DEPTH)


def _states_of(values: Iterable[Value], depth: int) -> Iterator[Obj]:
    """The states among the items of a container, and in what these hold."""
    for value in values:
        for atom in value:
            match atom:
                case Ref(obj=StateDict() as state):
                    yield state
                case Ref(obj=Dict() | List() as inner) if depth:
                    yield from _states_of(inner.heap.values(), depth - 1)
                case Tuple(items) if depth:
                    yield from _states_of(items, depth - 1)
