"""Functions that are handed to code out of sight: it may call them, and differentiate what they return, as a library does that explains a model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from looplint.domain.objects import Container, Instance, Obj
from looplint.domain.tensors import tensors_in
from looplint.domain.values import NOTHING, ClassRef, EventKey, Func, Ref, Tensor, Tuple, Value
from looplint.interpreter import classes
from looplint.interpreter.frames import Frame
from looplint.interpreter.interpreter import Interpreter
from looplint.syntax import ir


def hand_out(interp: Interpreter, func: Func) -> None:
    """Code out of sight gets a function, which it may call later; one that a lambda calls serves it as well."""
    interp.agenda.values.append(frozenset({func}))
    if func.function in interp.agenda.handed_out:
        return
    interp.agenda.handed_out[func.function] = None
    if func.function.is_lambda:
        for name in sorted(func.function.called()):
            for atom in named(func.closure or func.module.frame, name):
                if isinstance(atom, Func):
                    hand_out(interp, atom)


def hand_out_callables(interp: Interpreter, values: Iterable[Value]) -> None:
    """Code out of sight gets some values: the functions among them, and objects that can be called as a function."""
    for value in values:
        for atom in value:
            match atom:
                case Func():
                    hand_out(interp, atom)
                case Ref(Instance(cls=ClassRef() as cls)) if (found := classes.find_member(interp, cls, "__call__")) is not None:
                    if isinstance(found[0], ir.Function):
                        interp.agenda.handed_out[found[0]] = None


def leave_to_callers(interp: Interpreter, value: Value) -> None:
    """Callers that are not in sight get what one that nobody calls has returned: the functions that it has made are theirs to call."""
    work, seen = [value], set[Obj]()
    while work:
        for atom in work.pop():
            match atom:
                case Func(closure=Frame()):
                    interp.agenda.values.append(frozenset({atom}))
                case Tuple(items):
                    work.extend(items)
                case Ref(Container() as obj) if obj not in seen:
                    seen.add(obj)
                    work.extend(obj.heap.values())


def named(frame: Frame | None, name: str) -> Value:
    """What a name holds in a frame, or in those around it."""
    while frame is not None and name not in frame.locals:
        frame = frame.closure or (frame.module.frame if frame is not frame.module.frame else None)
    return frame.locals[name] if frame is not None else NOTHING


def note_returned(interp: Interpreter, frame: Frame, value: Value) -> None:
    """Remember from which forwards a function returns what has a graph."""
    made = interp.applications
    if any(isinstance(a, Tensor | Tuple) for a in value):
        made.returned.setdefault(frame.function, set()).update(*graphs_in([value]))
    made.returned_by_call.setdefault(frame.ctx, set()).update(*graphs_in([value]))


def graphs_in(values: Iterable[Value]) -> Iterator[frozenset[EventKey]]:
    """The forwards behind what some values hold with a graph."""
    return (t.forwards for t in tensors_in(values) if t.graph != "no")


def note_left(interp: Interpreter, values: Iterable[Value]) -> None:
    """Remember from which forwards something with a graph lies where callers that are not in sight get at it: in what they are given, or have given."""
    work = list(values)
    interp.uses.handed_on.update(*graphs_in(work), _held_within(work))


def note_lent(interp: Interpreter, values: Iterable[Value]) -> set[EventKey]:
    """Remember from which forwards something with a graph lies in the objects that code out of sight is given."""
    lent = _held_within(values)
    interp.uses.lent |= lent
    return lent


def _held_within(values: Iterable[Value]) -> set[EventKey]:
    """The forwards behind what lies with a graph in the objects among some values, however deep."""
    found, work, seen = set[EventKey](), [(value, False) for value in values], set[Obj]()
    while work:
        value, within = work.pop()
        for atom in value:
            match atom:
                case Tensor(graph=graph) if within and graph != "no":
                    found |= atom.forwards
                case Tuple():
                    work.extend((item, within) for item in atom.items)
                case Ref() if atom.obj not in seen:
                    seen.add(atom.obj)
                    work.extend((held, True) for held in atom.obj.heap.values())
    return found


def note_uses(interp: Interpreter) -> None:
    """Count the results of functions that were handed out as differentiated."""
    for function in interp.agenda.handed_out:
        returned = interp.applications.returned.get(function, set())
        interp.uses.differentiated |= returned
        interp.uses.differentiated_elsewhere |= returned
