"""Functions of the program: a body is followed in a frame of its own, with the caller's objects."""

from __future__ import annotations

from functools import partial
from itertools import takewhile

import libcst as cst

from looplint.domain.call_string import CallString
from looplint.domain.membership import ready
from looplint.domain.objects import Dict, Generator, Loss, Module, Obj, Optimizer, TorchModule
from looplint.domain.values import NONE, NOTHING, UNKNOWN, Arguments, Func, Number, Ref, Tensor, Tuple, Unknown, Value, ref, refs
from looplint.flow.graph import Loose
from looplint.interpreter import (
    allowances,
    choices,
    classes,
    endings,
    handed_down,
    handed_out,
    hooks,
    recursion,
    replay,
    set_by_methods,
    shared,
    signatures,
    spread,
    summaries,
    unfollowed,
    unseen_methods,
)
from looplint.interpreter.frames import Constants, Frame, Snapshot, merge
from looplint.interpreter.interpreter import DEPTH, Interpreter
from looplint.syntax import ir
from looplint.syntax.site import Site

# What stands in a body that does nothing, besides `pass`.
_SAYING_NOTHING = (cst.SimpleString, cst.ConcatenatedString, cst.Ellipsis)
# Annotations of what counts. That of a loss is often said to be a float, and is a tensor.
_COUNTS = frozenset({"int", "bool"})


def call_function(interp: Interpreter, func: Func, args: Arguments, expr: ir.Expr) -> Value:
    """Follow a project function with the caller's objects."""
    function = func.function
    reached = function in interp.reached.functions
    if not interp.aside:
        interp.reached.functions.setdefault(function)
    if function.is_generator and interp.alive:
        return _generator(interp, func, args, expr)
    note_followed(interp, func, interp.context(interp.frame.ctx, id(expr.node)))
    if not interp.alive:
        return UNKNOWN
    if function in interp.active and (so_far := _returned_so_far(interp, function)) and not interp.reachable(args.values()):
        return so_far
    if function in interp.active and recursion.only_looks(function):
        return recursion.looked_at(interp, args)
    again = interp.active.count(function)
    if again > recursion.LEVELS and recursion.is_given_the_same(interp, function, args):
        return unfollowed.quiet(interp, args)
    deeper = again and (recursion.is_of_outputs(interp, args) or recursion.takes_another_branch(interp, func, args))
    if interp.frame.depth >= DEPTH or (again and again > (recursion.LEVELS if deeper else 0)):
        return _left(interp, func, args, expr, reached)
    if (lost := allowances.handed_on_again(interp, func, args)) is not None:
        _forget_settings(interp, func, args)
        handed_out.note_lent(interp, [func.bound or NOTHING, *args.values()])
        return unfollowed.lose(interp, lost, expr)
    if allowances.has_worked_enough(interp, func, args, expr):
        return _left(interp, func, args, expr, reached)
    frame = enter(interp, func, expr)
    bind_parameters(interp, frame, func, args)
    if isinstance(expr, ir.Call):
        arguments = _written_arguments(func, expr)
        frame.given = _given(interp, {name: value for name, value in arguments.items() if name in function.tested})
        if _is_called_by_name(func, args, expr):
            frame.written = arguments
            frame.handed = handed_down.handed(function, arguments)
            frame.entries = handed_down.entries(function, arguments)
            for name, given in frame.handed.items():
                shared.note_taken(interp, frame, name, frame.locals.get(name, NOTHING), given)
    before, grad, constants = interp.at, interp.grad, interp.constants
    follow = partial(allowances.follow_within, interp, frame, partial(run_frame, interp, frame))
    found = summaries.summarized(interp, func, frame, partial(replay.replayed, interp, func, frame, follow))
    if found is None:
        name = _name_elsewhere(func)
        if interp.grad is not False and interp.reached.elsewhere.get(name) is frame.ctx:
            del interp.reached.elsewhere[name]  # where it is analysed by itself, more is known of it
        return _left(interp, func, args, expr, reached)
    if interp.frame.module is not interp.main:
        interp.reached.entered.setdefault(expr.node)
    result = found
    if not interp.alive:
        result = _not_returned(interp, frame, before, grad, constants, args, expr)
    elif func.bound is not None and _is_left_to_subclasses(function) and not (isinstance(expr, ir.Call) and expr.dropped):
        result = UNKNOWN
    if _is_own_update(func):
        unfollowed.unknown_call(interp, func, Arguments([func.bound] if func.bound else []), expr)
    return result


def _is_left_to_subclasses(function: ir.Function) -> bool:
    """Whether a method says at most what it is for: what a caller takes its result of does something."""
    return all(isinstance(stmt, ir.ExprStmt) and isinstance(stmt.value.node, _SAYING_NOTHING) for stmt in function.body)


def _left(interp: Interpreter, func: Func, args: Arguments, expr: ir.Expr, reached: bool) -> Value:
    """A call that is not followed; a function that trains or evaluates, and that no other call has led to, is then followed by itself later."""
    if allowances.is_worth_a_root(interp, func.function, interp.frame.module):
        if not reached:
            interp.reached.functions.pop(func.function, None)
        if interp.grad is not False and not interp.aside and interp.frame.module is not interp.main:
            interp.reached.left[expr.node] = Site(interp.frame.module, expr.node)
    return _unfollowed(interp, func, args, expr)


def _unfollowed(interp: Interpreter, func: Func, args: Arguments, expr: ir.Expr) -> Value:
    """A call of a function of the program that is too deep or too large to be followed."""
    if func.function.name == "__init__":  # of a base class as well: `Base.__init__(self, n)`
        ready(func.bound if func.bound is not None else args.get(0, "self") or NOTHING)
    _forget_settings(interp, func, args)
    return unfollowed.unknown_call(interp, func, args, expr)


def _forget_settings(interp: Interpreter, func: Func, args: Arguments) -> None:
    """What is not followed may set any attribute of what it gets; a method sets those of its object that its text tells."""
    for obj in refs(func.bound, Obj):
        set_by_methods.forget_settings(interp, func, obj)
    for value in args.values():
        for obj in refs(value, Obj):
            interp.drop_constants(obj)


def _not_returned(
    interp: Interpreter, frame: Frame, before: list[Loose], grad: bool | None, constants: Constants, args: Arguments, expr: ir.Expr
) -> Value:
    """What a call gives of which no path comes back, with the path that goes on after it.

    An endless loop is left in some way that cannot be seen. A method that is not implemented is so elsewhere, and what a caller takes the
    result of returns. Only a call for its own sake that ends in a `raise`, as in a guard, and one that fails end the caller's path.
    """
    if frame.endless:
        end = merge(frame.endless)
        interp.at, interp.grad, interp.constants = list(end.at), grad, end.constants
    elif frame.abstract or not (frame.fails or (isinstance(expr, ir.Call) and expr.dropped)):
        interp.at, interp.grad, interp.constants = before, grad, constants
    else:
        endings.note_not_returned(interp, frame.function, expr)
    deps = (o for o in interp.reachable([frame.instance, *args.values()]) if o.kind in ("module", "engine"))
    return frozenset({Unknown(frozenset(deps))})


def _returned_so_far(interp: Interpreter, function: ir.Function) -> Value:
    """What the running call of a function has returned on paths that have ended: a recursion ends in one of them."""
    frame = next((frame for frame in interp.frame.outward() if frame.function is function), None)
    return frozenset().union(*(value for _, value in frame.returns)) if frame is not None else frozenset()


def note_followed(interp: Interpreter, func: Func, call: CallString | None = None) -> None:
    """A function of another file is followed, in a call: with the objects it gets here, it is judged here."""
    if not (interp.aside or func.module is interp.main or func.module.path is None):
        calls = interp.reached.elsewhere
        calls[_name_elsewhere(func)] = call if calls.get(_name_elsewhere(func), call) is call else None


def _name_elsewhere(func: Func) -> str:
    return f"{func.module.filename}::{func.function.qualname}"


def _generator(interp: Interpreter, func: Func, args: Arguments, expr: ir.Expr) -> Value:
    """The iterator that a call of a generator function makes: its body has not begun to run."""
    frame = enter(interp, func, expr)
    bind_parameters(interp, frame, func, args)
    obj = interp.create(Generator, expr.node, slot=func.function)
    interp.write(obj, "()", frozenset({func}))
    for name, value in frame.locals.items():
        interp.write(obj, f"={name}", value)
    if not interp.aside:
        interp.agenda.generators[obj] = func
    return ref(obj)


def _is_own_update(func: Func) -> bool:
    """Whether a method belongs to an optimizer of the project: what it does to the parameters is its own affair."""
    bound = func.bound or ()
    return not func.function.name.startswith(("_", "get_")) and any(
        isinstance(a, Ref) and isinstance(a.obj, Optimizer) and a.obj.cls is not None and not a.obj.steps_by_inner for a in bound
    )


def _written_arguments(func: Func, call: ir.Call) -> dict[str, ir.Expr]:
    """The arguments of a call as they are written, by the parameters that get them."""
    plain = [p.name for p in func.function.params if p.kind == "plain"][1 if func.bound is not None else 0 :]
    positional = takewhile(lambda a: not a.star, (a for a in call.args if a.keyword is None))
    arguments = [
        *zip(plain, (a.value for a in positional), strict=False),
        *((a.keyword, a.value) for a in call.args if a.keyword is not None),
    ]
    return dict(arguments)


def _is_called_by_name(func: Func, args: Arguments, call: ir.Call) -> bool:
    """Whether a call is one of this function with the arguments that stand there, and not one of a function that calls it."""
    called = ir.called_name(call)
    given = [a for a in call.args if a.keyword is None]
    name = func.function.name
    return (called == name or name in ("__init__", "__call__", "forward")) and len(given) == len(args.positional)


def _given(interp: Interpreter, arguments: dict[str, ir.Expr]) -> dict[str, frozenset[str]]:
    """For some parameters: the names behind their arguments, here and in the callers."""
    found = {}
    for name, value in arguments.items():
        names = ir.paths_in(value)
        found[name] = frozenset(names).union(*(interp.frame.given.get(n, ()) for n in names))
    return found


def enter(interp: Interpreter, func: Func, expr: ir.Expr) -> Frame:
    frame = Frame(func.function, func.module, func.closure, interp.context(interp.frame.ctx, id(expr.node)), interp.frame.depth + 1)
    frame.owner = func.owner
    frame.entered = interp.loops
    frame.call = Site(interp.frame.module, expr.node)
    frame.calls = (*interp.frame.calls, frame.call)
    frame.outside = interp.frame.outside if func.owner is not None and _is_model(func) else len(frame.calls)
    return frame


def enter_alone(interp: Interpreter, func: Func) -> Frame:
    """A frame for a function that no call of the program leads to here."""
    frame = enter(interp, func, ir.Name(func.function.node, func.function.name))
    frame.calls, frame.outside = (), 0
    return frame


def _is_model(func: Func) -> bool:
    """Whether a function is the method of a module that does not train itself."""
    modules = [o for o in refs(func.bound, TorchModule) if isinstance(o, Module | Loss)]
    return bool(modules) and func.owner is not None and not func.owner.cls.trains_itself


def run_frame(interp: Interpreter, frame: Frame) -> Value:
    """Run a function's body in a frame that has its arguments, and come back."""
    caller, grad, statement = interp.frame, interp.grad, interp.statement
    guards, scopes = interp.guards, interp.scopes
    frame.caller = caller if caller is not frame else None  # what is followed by itself has its arguments evaluated in its own frame
    interp.frame, interp.scopes = frame, []
    interp.active.append(frame.function)
    assembles = _assembles(frame)
    interp.assembling += assembles
    autocast = interp.autocast
    switched = hooks.decorated.run(interp, frame)
    interp.run_block(frame.function.body)
    interp.autocast = autocast
    ends = [s for s, _ in frame.returns]
    values = [value for _, value in frame.returns]
    if interp.alive:
        ends.append(interp.save())
        values.append(NONE)
    if not ends and frame.pauses:
        # Whoever takes the items of a generator that never ends, or ends in an error, goes on from where it yields.
        ends = frame.pauses
        switched = True
    end = merge(ends) if ends else Snapshot([], {}, grad, guards)
    frame.locals = end.locals
    interp.active.pop()
    interp.assembling -= assembles
    interp.frame, interp.scopes, interp.statement = caller, scopes, statement
    interp.at = list(end.at)
    interp.guards = guards
    interp.constants = end.constants
    if frame.shared:
        shared.forget(interp, frame)
    interp.grad = grad if switched else end.grad
    result = choices.returned(interp, frame, values) or UNKNOWN
    handed_out.note_returned(interp, frame, result)
    if unseen_methods.trains_in_some_subclass(interp, frame.owner, frame.function):
        interp.applications.left_to_some_that_train.add(frame.ctx)
    return result


def _assembles(frame: Frame) -> bool:
    """Whether a frame is that of a module's constructor."""
    return frame.function.name == "__init__" and bool(refs(frame.instance, TorchModule))


def _as_annotated(param: ir.Param, value: Value) -> Value:
    """What a parameter gets, where its annotation says that it counts: an entry of what a model gives need be no tensor."""
    if not isinstance(param.annotation, ir.Name) or param.annotation.id not in _COUNTS:
        return value
    if not any(isinstance(a, Tensor) and not a.made for a in value):
        return value
    return frozenset(a for a in value if not isinstance(a, Tensor) or a.made) | {Number()}


def bind_parameters(interp: Interpreter, frame: Frame, func: Func, args: Arguments) -> None:
    """Give every parameter its argument, its default, or the unknown."""
    positional = list(args.positional)
    if func.bound is not None:
        positional.insert(0, func.bound)
        frame.instance = func.bound
    keywords = dict(args.keywords)
    for param in func.function.params:
        match param.kind:
            case "*":
                frame.locals[param.name] = frozenset({Tuple(tuple(positional))})
                positional = []
                continue
            case "**":
                rest = interp.create(Dict, func.function.node, slot=frame.ctx)
                rest.exact = not args.starred
                rest.of_callers = args.of_callers
                rest.of_call = True
                for name, value in keywords.items():
                    interp.write(rest, f"={name}", value)
                    interp.write(rest, "[]", value)
                if args.spread:
                    interp.write(rest, "[]", args.spread)
                frame.locals[param.name] = ref(rest)
                keywords = {}
                continue
        if param.name in keywords:
            value = keywords.pop(param.name)
        elif positional and param.kind == "plain":
            value = positional.pop(0)
        elif param.default is not None and not args.starred:
            value = classes.static_value(interp, param.default, func.module)
            if func.function.decorators and signatures.may_be_filled_in(func.function):
                value |= hooks.left_to_callers.run(interp, func, param)
        elif param.default is None and args.of_callers and not args.spread:
            value = hooks.left_to_callers.run(interp, func, param)
        else:
            value = spread.given(interp, args, optional=param.default is not None)
        frame.locals[param.name] = _as_annotated(param, value)
