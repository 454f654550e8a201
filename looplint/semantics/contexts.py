"""Context managers: what runs inside them, with gradients on or off, in mixed precision, around a generator's yield."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import libcst as cst

from looplint.domain.autocast import Autocast, region_of
from looplint.domain.objects import FrameworkModule, Generator, Instance
from looplint.domain.values import (
    NONE,
    NOTHING,
    UNKNOWN,
    Arguments,
    Context,
    Func,
    Method,
    Ref,
    Value,
    constant_of,
    join,
)  # fmt: skip
from looplint.flow.graph import Loose
from looplint.interpreter import classes, functions, generators, hooks, objects
from looplint.interpreter.frames import Snapshot
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.transfers import transfer
from looplint.semantics.decorators import may_switch_gradients
from looplint.syntax import ir

if TYPE_CHECKING:
    from looplint.interpreter.transfers import Transfer


@hooks.entered
def enter(interp: Interpreter, expr: ir.Expr, inside: Callable[[Value], None]) -> None:
    """Run `inside` in the context that the expression makes, with what the context manager yields."""
    value = UNKNOWN if isinstance(expr, ir.Call) and _is_of_base_class(interp, expr) else interp.evaluate(expr)
    name = ir.called_name(expr) if isinstance(expr, ir.Call) else ""
    if name in _RAISING:
        _expect_error(interp, inside)
        return
    if name == "suppress":
        _suppress_error(interp, inside)
        return
    manager = _manager(value)
    if manager is not None:
        _in_generator(interp, *manager, inside)
        return
    contexts = [a for a in value if isinstance(a, Context)]
    if not contexts:
        before, entered = interp.grad, _entered(interp, value)
        inner = None if interp.grad and may_switch_gradients(value, expr) else interp.grad
        interp.grad = before  # what its `__enter__` switches, its `__exit__` switches back
        leave = _exit_of(interp, value)
        _until_left(interp, lambda: [leave] if leave else [], lambda: _under(interp, inner, lambda: inside(entered)))
        return
    if contexts[0].effect == "exit-stack":
        # What is entered later lasts as long as the stack, which leaves the last first.
        first = len(interp.entered)
        run = partial(_in_autocast, interp, interp.autocast, partial(_under, interp, interp.grad, lambda: inside(value), entered=True))
        _until_left(interp, lambda: [*dict.fromkeys(reversed(interp.entered[first:]))], run)
        del interp.entered[first:]
        return
    given = [v for context in contexts if context.effect == "scaled-loss" for v in context.args]
    yielded = frozenset().union(*given) if given else UNKNOWN
    grads = {_grad_in(interp, context) for context in contexts} | ({interp.grad} if len(contexts) < len(value) else set())
    enabled = any(c.effect == "enable-grad" for c in contexts) or _switches_on(contexts, expr)
    enabled_by = interp.enabled_by
    match expr:
        case ir.Call(args=[ir.Arg(value=condition)]) if all(c.effect == "set-grad" for c in contexts):
            interp.enabled_by = interp.frame, condition
    interp.enabling += enabled
    _in_autocast(
        interp,
        region_of(value) if any(c.effect == "autocast" for c in contexts) else interp.autocast,
        lambda: _under(interp, grads.pop() if len(grads) == 1 else None, lambda: inside(yielded)),
    )
    interp.enabling -= enabled
    interp.enabled_by = enabled_by


def _switches_on(contexts: list[Context], expr: ir.Expr) -> bool:
    """Whether the program asks for gradients: `with torch.set_grad_enabled(True):`, or an option of an object that is on, `self.model.grad_inference`."""
    if not isinstance(expr, ir.Call) or any(c.effect != "set-grad" for c in contexts):
        return False
    literal = any(isinstance(a.value, ir.Const) and a.value.value is True for a in expr.args)
    known = [constant_of(c.args[0]) if c.args else None for c in contexts]
    by_option = any(isinstance(a.value, ir.Attr) for a in expr.args) and all(k is not None and bool(k.value) for k in known)
    return literal or by_option


# Contexts of tests that expect an error in what is in them.
_RAISING = frozenset({"raises", "assertRaises", "assertRaisesRegex", "assert_raises", "assert_raises_regex"})


def _expect_error(interp: Interpreter, inside: Callable[[Value], None]) -> None:
    """Follow what is done so that it fails: it happens to nothing, and how it is done is the point of it."""
    noted, returned = len(interp.remarks), len(interp.frame.returns)
    with interp.beside(interp.frame):
        inside(UNKNOWN)
    interp.forget_remarks(noted)
    del interp.frame.returns[returned:]


def _suppress_error(interp: Interpreter, inside: Callable[[Value], None]) -> None:
    """Follow what `contextlib.suppress` is around: where no path comes out of it, the program goes on behind it."""
    before = interp.save()
    inside(UNKNOWN)
    if before.alive and not interp.alive:
        interp.restore(before)
        interp.at = [Loose(interp.graph.add("branch", interp.loops, interp.at))]


def _grad_in(interp: Interpreter, context: Context) -> bool | None:
    """Whether gradients are on in a context; None where that is not known."""
    match context.effect:
        case "no-grad":
            return False
        case "enable-grad":
            return True
        case "set-grad":
            known = constant_of(context.args[0]) if context.args else None
            return bool(known.value) if known is not None else None
    return interp.grad


def _is_of_base_class(interp: Interpreter, expr: ir.Call) -> bool:
    """Whether an object enters a context of a base class that cannot be read: a profile, a lock, a device. It does nothing to what the object holds."""
    if not isinstance(expr.func, ir.Attr) or any(word in expr.func.attr.lower() for word in _STEPPING_WORDS):
        return False
    callee = interp.evaluate(expr.func)
    inherited = all(isinstance(a, Method) and isinstance(a.obj, Ref) and isinstance(a.obj.obj, Instance | FrameworkModule) for a in callee)
    return inherited and all(isinstance(a.value, ir.Const) for a in expr.args)


# Words in the names of contexts that do more than to surround what is in them.
_STEPPING_WORDS = ("step", "update", "optim", "accum", "zero", "clear", "train")


def enter_context(interp: Interpreter, value: Value) -> Value:
    """`stack.enter_context(value)`: from here on, until the stack is left."""
    manager = _manager(value)
    if manager is not None:
        # What follows its yield runs later: until then it is not known what it has undone.
        _in_generator(interp, *manager, lambda _: None)
        return UNKNOWN
    contexts = [a for a in value if isinstance(a, Context)]
    grads = {_grad_in(interp, context) for context in contexts} | ({interp.grad} if len(contexts) < len(value) else set())
    interp.grad = grads.pop() if len(grads) == 1 else None
    if any(c.effect == "autocast" for c in contexts):
        interp.autocast = region_of(value)
    if (leave := _exit_of(interp, value)) is not None:
        interp.entered.append(leave)
    return _entered(interp, value)


def _under(interp: Interpreter, inner: bool | None, run: Callable[[], None], *, entered: bool = False) -> None:
    """Run with gradients on, off or in a state that is not known; whatever way leads out leads back to what was before."""
    grad = interp.grad
    if inner is grad and not entered:
        run()
        return
    interp.grad = inner
    marks = len(interp.frame.returns)
    run()
    interp.grad = grad
    for snapshot, _ in interp.frame.returns[marks:]:
        snapshot.grad = grad
    for scope in interp.scopes:
        for snapshot in (*scope.breaks, *scope.continues):
            snapshot.grad = grad


def _in_autocast(interp: Interpreter, region: Autocast | None, run: Callable[[], None]) -> None:
    outer, interp.autocast = interp.autocast, region
    run()
    interp.autocast = outer


def _entered(interp: Interpreter, value: Value) -> Value:
    """What `as` binds for an ordinary object: the object, or what its `__enter__` returns."""
    for atom in value:
        if isinstance(atom, Ref) and atom.obj.cls is not None:
            member = classes.find_member(interp, atom.obj.cls, "__enter__")
            if member is not None:
                return objects.call_values(interp, classes.bind(interp, member, atom.obj))
    return value


def _until_left(interp: Interpreter, leaving: Callable[[], list[Value]], run: Callable[[], None]) -> None:
    """Run what objects of the program are around, and then what their `__exit__` do, whatever way leads out."""
    returned = len(interp.frame.returns)
    jumped = [(len(scope.breaks), len(scope.continues)) for scope in interp.scopes]

    def left(snapshot: Snapshot) -> Snapshot:
        interp.restore(snapshot)
        grad = interp.grad
        for leave in leaves:
            objects.call_values(interp, leave, (NONE, NONE, NONE))
        interp.grad = grad
        return interp.save()

    run()
    if not (leaves := leaving()):
        return
    end = interp.save()
    ways = [(left(snapshot), result) for snapshot, result in interp.frame.returns[returned:]]
    interp.frame.returns[returned:] = [(way, result) for way, result in ways if way.alive]
    for scope, (breaks, continues) in zip(interp.scopes, jumped, strict=False):
        scope.breaks[breaks:] = [way for way in map(left, scope.breaks[breaks:]) if way.alive]
        scope.continues[continues:] = [way for way in map(left, scope.continues[continues:]) if way.alive]
    interp.restore(left(end) if end.alive else end)


def _exit_of(interp: Interpreter, value: Value) -> Value | None:
    """The `__exit__` of the object that a context is, where its class has one in the program."""
    for atom in value:
        if isinstance(atom, Ref) and atom.obj.cls is not None:
            member = classes.find_member(interp, atom.obj.cls, "__exit__")
            return classes.bind(interp, member, atom.obj) if member is not None else None
    return None


def _manager(value: Value) -> tuple[Generator, Func] | None:
    """The generator that a function decorated with contextmanager made, with that function, if the value is one."""
    atom = next(iter(value)) if len(value) == 1 else None
    if not isinstance(atom, Ref) or not isinstance(atom.obj, Generator):
        return None
    for func in atom.obj.heap["()"]:
        if isinstance(func, Func):
            names = {(ir.path_of(d) or "").rpartition(".")[2] for d in func.function.decorators}
            if names & {"contextmanager", "asynccontextmanager"}:
                return atom.obj, func
    return None


def _in_generator(interp: Interpreter, obj: Generator, func: Func, inside: Callable[[Value], None]) -> None:
    """Follow the generator; at its yield the body of the `with` runs in the caller's frame."""
    if interp.frame.depth > 20 or interp.active.count(func.function) > 1:
        inside(UNKNOWN)
        return
    outer, scopes = interp.frame, interp.scopes
    frame = generators.begin(interp, obj, func)
    ended = False

    def body(value: Value) -> None:
        nonlocal ended
        inner, inner_scopes, inner_locals = interp.frame, interp.scopes, interp.frame.locals
        interp.frame, interp.scopes = outer, scopes
        returned = len(outer.returns)
        inside(value)
        if not interp.at and len(outer.returns) > returned:
            # The body returns: what stands after the yield runs before that return takes effect.
            interp.join_at([s for s, _ in outer.returns[returned:]])
            ended = True
        interp.frame, interp.scopes = inner, inner_scopes
        interp.frame.locals = inner_locals

    frame.on_yield = body
    functions.run_frame(interp, frame)
    if ended and interp.at:
        values: Value = NOTHING
        for _, value in outer.returns:
            values = join(values, value)
        outer.returns[:] = [(interp.save(), values)]
        interp.die()


# -- keeping


def _context(name: str) -> Transfer:
    def effect(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
        if name == "no-grad" and args.positional and any(isinstance(a, Func) for a in args.positional[0]):
            return args.positional[0]
        if name == "set-grad" and not isinstance(interp.statement, cst.With | cst.FunctionDef):
            mode = args.get(0, "mode")
            known = constant_of(mode) if mode is not None else None
            interp.grad = bool(known.value) if known is not None else None  # it switches when it is made
        given = args.get(0, "mode" if name == "set-grad" else "loss") if name in ("set-grad", "scaled-loss") else None
        return frozenset({Context(name, (given,) if given is not None else ())})

    return effect


for effect, name in (
    ("no-grad", "no-grad"),
    ("enable-grad", "enable-grad"),
    ("set-grad", "set-grad"),
    ("context", "context"),
    ("accumulate-context", "accumulate"),
    ("scaled-loss-context", "scaled-loss"),
    ("exit-stack", "exit-stack"),
):
    transfer(effect)(_context(name))
