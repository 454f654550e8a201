"""What one call may use of a root's budget, and what remains of it that is larger: a call of unknown code, in a program that is followed on.

Without this a tokenizer or the conversion of a checkpoint would use up what a training loop after it needs.
"""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from looplint.domain.call_string import CallString
from looplint.domain.objects import Container, Obj
from looplint.domain.values import (
    NOTHING,
    Arguments,
    ClassRef,
    Const,
    External,
    Func,
    Method,
    ModuleRef,
    Number,
    Ref,
    Tensor,
    Tuple,
    Unknown,
    Value,
)
from looplint.flow.events import Accumulate, Escape, Event, Keep
from looplint.interpreter.frames import Frame
from looplint.interpreter.interpreter import TRACKED, Interpreter, OutOfFuel
from looplint.interpreter.state import Path, Position
from looplint.syntax import ir
from looplint.syntax.project import ModuleInfo

# The part of what is left that a call may use: of code that may train, and of other code.
_TRAINING, _OTHER = 0.9, 0.5
# The same where a root has used up its budget before: what it does itself is followed, and less of what it calls.
_TRAINING_AGAIN, _OTHER_AGAIN = 0.35, 0.1
# What each call may use in any case, however many are around it.
_LEAST, _LEAST_AGAIN = 3_000, 600
# What all calls of a function may use together that only works on data: it reads files, tokenizes, filters, formats.
_DATA_WORK = 2_500
_POSITION = tuple(name for name in (*Path.__slots__, *Position.__slots__) if name != "graph")


def follow_within(interp: Interpreter, frame: Frame, follow: Callable[[], Value]) -> Value | None:
    """Follow a function's body as far as its part of the budget goes.

    Returns:
        What it returns, or None where it is larger: then everything stands as before the call but the heap, where what was written stays.
    """
    function = frame.function
    saved = [(name, getattr(interp, name)) for name in _POSITION]
    depths = [(stack, len(stack)) for stack in (interp.scopes, interp.active, interp.iterating)]
    nodes, noted, waiting, reached = len(interp.graph.nodes), len(interp.remarks), len(interp.agenda.values), interp.reached.mark()
    leading = [loose.source for loose in interp.at]
    floor = interp.floor
    fuel, occurred = interp.fuel, interp.occurred
    available = fuel - floor
    training, other, least = (_TRAINING_AGAIN, _OTHER_AGAIN, _LEAST_AGAIN) if interp.again else (_TRAINING, _OTHER, _LEAST)
    interp.training.look_after(function, frame.module, interp.project)
    trains = may_train(interp, function)
    allowed = max(int(available * (training if trains else other)), min(available, least))
    if not trains and allowed <= interp.spent.get(function, 0):
        return None  # more was not enough
    interp.floor = fuel - allowed
    try:
        found = follow()
        _note_data_work(interp, frame, nodes, fuel, occurred)
        if function not in interp.giving and not _is_data([found], out_of_sight=True):
            interp.giving.add(function)
        return found
    except OutOfFuel:
        if interp.fuel < floor:
            raise  # what is around it has used up its part as well
        _note_data_work(interp, frame, nodes, fuel, occurred)
        interp.complete = interp.complete and (interp.aside or not trains)
        interp.spent[function] = max(fuel - interp.fuel, interp.spent.get(function, 0))
        interp.graph.cut(nodes, leading)
        interp.forget_remarks(noted)
        interp.recordings.clear()
        interp.heads.clear()
        kept = [each for each in interp.reached.functions if not is_worth_a_root(interp, each, frame.module)]
        interp.reached.forget(reached)
        interp.reached.functions.update(dict.fromkeys(kept))
        del interp.agenda.values[waiting:]
        for name, value in saved:
            setattr(interp, name, value)
        for stack, depth in depths:
            del stack[depth:]
        return None
    finally:
        interp.floor = floor


def may_train(interp: Interpreter, function: ir.Function) -> bool:
    """Whether the text of a function goes backward or steps, or calls something of that name which does."""
    interp.training.update(interp.main, interp.project.modules)
    return function.name in interp.training.names or not interp.training.names.isdisjoint(_called(function))


def note_callees(interp: Interpreter, call: ir.Call, callee: Value) -> None:
    """Note whether a call by the name of a backward goes to functions of the program that call nothing which goes backward: `self.backward()` computes the loss."""
    only_called_so = bool(callee) and all(isinstance(a, Func) and not _calls_what_trains(interp, a) for a in callee)
    interp.reached.only_called_so[call] = only_called_so and interp.reached.only_called_so.get(call, True)


def _calls_what_trains(interp: Interpreter, func: Func) -> bool:
    interp.training.look_after(func.function, func.module, interp.project)
    interp.training.update(interp.main, interp.project.modules)
    return not interp.training.names.isdisjoint(_called(func.function))


def is_worth_a_root(interp: Interpreter, function: ir.Function, caller: ModuleInfo) -> bool:
    """Whether a function of which no call was followed to its end is to be followed by itself.

    It trains, or evaluates, or other code calls this one of the linted file, as a framework does: what it is for, it does by itself.
    """
    if may_train(interp, function):
        return True
    code = interp.main.code
    if caller is not interp.main and code is not None and function in code.functions:
        return True
    interp.evaluating.update(interp.main, interp.project.modules)
    return not interp.evaluating.names.isdisjoint({function.name, *_called(function)})


@ir.kept_with_code
def _called(function: ir.Function) -> set[str]:
    return function.called()


def _note_data_work(interp: Interpreter, frame: Frame, start: int, fuel: int, occurred: int) -> None:
    """Count what a call has used, if nothing of the loop occurred in it, nor in an earlier one, and nothing that it keeps is left of it."""
    function = frame.function
    used = interp.data_work.get(function, 0)
    events = interp.graph.nodes[start:]
    if used is not None and interp.occurred == occurred and not any(_outlives(node.event, frame) for node in events):
        interp.data_work[function] = used + fuel - interp.fuel
        lost = [obj for node in events if isinstance(node.event, Escape) and not node.event.output for obj in node.event.subjects]
        if lost:
            interp.data_lost.setdefault(function, set()).update(lost)
    else:
        interp.data_work[function] = None


def _outlives(event: Event | None, frame: Frame) -> bool:
    """Whether a tensor is kept in something, or added to something, that is there when the activation is over."""
    match event:
        case Keep(into=Obj(key=(CallString() as made, *_))):
            return frame.ctx not in made.outward()
        case Accumulate(target=target):
            name = target.partition("[")[0]  # its own names are gone with it, and what it adds to a part of what they hold
            return not name.isidentifier() or (name != target and any(name == p.name for p in frame.function.params))
        case Keep():
            return True
    return False


def has_worked_enough(interp: Interpreter, func: Func, args: Arguments, expr: ir.Expr) -> bool:
    """Whether a function only works on data, in all calls so far and by its text, and has used what such a function may: what it gives is not known.

    One that is called for its own sake, as one that draws or logs, may get more than data, if it got the like before and nothing came of it.
    """
    used = interp.data_work.get(func.function, 0)
    if used is None or func.closure is not None:
        return False
    values = [*args.values(), func.bound or NOTHING]
    before, kinds = interp.data_given.get(func.function), _kinds_of(values)
    if used >= _DATA_WORK and not may_train(interp, func.function):
        alike = before is not None and kinds <= before and _is_statement(interp, expr)
        if func.function not in interp.data_lost and (alike or _is_data(values)):
            return True
    interp.data_given[func.function] = kinds if before is None else before | kinds
    return False


def handed_on_again(interp: Interpreter, func: Func, args: Arguments) -> list[Obj] | None:
    """What a call of a function hands to code out of sight that has done nothing else so far but work on data, and has used what such a function may.

    None for other functions, for one that has given more than data, and for one that gets more than it got before.
    """
    function = func.function
    lost, used, before = interp.data_lost.get(function), interp.data_work.get(function), interp.data_given.get(function)
    if lost is None or used is None or used < _DATA_WORK or before is None or function in interp.giving or func.closure is not None:
        return None
    bound = func.bound or NOTHING
    if may_train(interp, function) or not _kinds_of([*args.values(), bound]) <= before:
        return None
    return list(dict.fromkeys([*interp.reachable(args.values()), *(obj for obj in interp.reachable([bound]) if obj in lost)]))


def _kinds_of(values: list[Value]) -> frozenset[object]:
    """What some values are that is more than data, also in lists, dicts and tuples: objects by their classes, tensors with graphs, functions."""
    found: set[object] = set()
    work, seen = list(values), set[Obj]()
    while work:
        for atom in work.pop():
            match atom:
                case Ref(Container() as obj):
                    if obj not in seen:
                        seen.add(obj)
                        work.extend(obj.heap.values())
                case Ref(obj):
                    found.add((type(obj), obj.cls, obj.qualname))
                case Tuple(items):
                    work.extend(items)
                case Tensor(graph=graph):
                    found.add(graph)
                case Unknown(deps):
                    found.add(bool(deps))
                case Method(owner) if not isinstance(owner, Ref):
                    work.append(frozenset({owner}))
                case Const() | Number() | External() | ModuleRef():
                    pass
                case _:
                    found.add(type(atom))
    return frozenset(found)


def _is_statement(interp: Interpreter, expr: ir.Expr) -> bool:
    """Whether the value of an expression that is being evaluated is not used."""
    return isinstance(interp.statement, cst.Expr) and interp.statement.value is expr.node


def _is_data(values: list[Value], *, out_of_sight: bool = False) -> bool:
    """Whether nothing of a loop is in some values: no model or loader, no tensor with a graph, no function; what code out of sight gives may be data."""
    work, seen = list(values), set[Obj]()
    while work:
        for atom in work.pop():
            match atom:
                case Const() | Number() | External() | ModuleRef() | ClassRef():
                    pass
                case Tensor(graph="no"):
                    pass
                case Unknown(deps) if out_of_sight or not deps:
                    pass
                case Method(owner):
                    work.append(frozenset({owner}))  # an attribute of a setting is a setting: `cfg.encoder.length`
                case Tuple(items):
                    work.extend(items)
                case Ref(obj) if not isinstance(obj, TRACKED):
                    if obj not in seen:
                        seen.add(obj)
                        work.extend(obj.heap.values())
                case _:
                    return False
    return True
