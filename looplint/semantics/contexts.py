"""Entering context managers, and keeping values where they outlive an iteration."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from looplint.domain.autocast import Autocast, region_of
from looplint.domain.tensors import tensors_in
from looplint.domain.values import (
    NOTHING,
    UNKNOWN,
    Arguments,
    Atom,
    Const,
    Context,
    EventKey,
    Func,
    Method,
    Obj,
    Ref,
    Tensor,
    Tuple,
    Unknown,
    Value,
    constant_of,
    join,
    tensor_of,
)  # fmt: skip
from looplint.flow.graph import Loop
from looplint.interpreter import calls, hooks
from looplint.interpreter.machine import Machine
from looplint.syntax import ir

if TYPE_CHECKING:
    import libcst as cst


@hooks.entered
def enter(m: Machine, expr: ir.Expr, inside: Callable[[Value], None]) -> None:
    """Run `inside` in the context that the expression makes, with what the context manager yields."""
    from looplint.interpreter.expressions import evaluate

    if isinstance(expr, ir.Call):
        generator = _generator(m, expr)
        if generator is not None:
            func, args = generator
            _in_generator(m, func, args, expr, inside)
            return
    value = evaluate(m, expr)
    context = next((a for a in value if isinstance(a, Context)), None)
    if context is None:
        entered = _entered(m, value)
        _under(m, None if m.grad and calls.may_switch_gradients(value, expr) else m.grad, lambda: inside(entered))
        return
    if context.effect == "autocast":
        _in_autocast(m, region_of(value), inside)
        return
    match context.effect:
        case "no-grad":
            _under(m, False, lambda: inside(UNKNOWN))
        case "enable-grad":
            _under(m, True, lambda: inside(UNKNOWN))
        case "set-grad":
            known = constant_of(context.args[0]) if context.args else None
            _under(m, bool(known.value) if known is not None else None, lambda: inside(UNKNOWN))
        case _:
            inside(context.args[0] if context.args else UNKNOWN)


def _under(m: Machine, inner: bool | None, run: Callable[[], None]) -> None:
    """Run with gradients on, off or in a state that is not known; whatever way leads out leads back to what was before."""
    grad = m.grad
    if inner is grad:
        run()
        return
    m.grad = inner
    marks = len(m.frame.returns)
    run()
    m.grad = grad
    for snapshot, _ in m.frame.returns[marks:]:
        snapshot.grad = grad
    for scope in m.scopes:
        for snapshot in (*scope.breaks, *scope.continues):
            snapshot.grad = grad


def _in_autocast(m: Machine, region: Autocast | None, inside: Callable[[Value], None]) -> None:
    outer, m.autocast = m.autocast, region
    inside(UNKNOWN)
    m.autocast = outer


def _entered(m: Machine, value: Value) -> Value:
    """What `as` binds for an ordinary object: the object, or what its `__enter__` returns."""
    from looplint.interpreter import objects

    for atom in value:
        if isinstance(atom, Ref) and atom.obj.cls is not None:
            member = objects.find_member(m, atom.obj.cls, "__enter__")
            if member is not None:
                return calls.call_values(m, objects.bind(m, member, atom.obj))
    return value


def _generator(m: Machine, expr: ir.Call) -> tuple[Func, Arguments] | None:
    """The project function decorated with contextmanager that the expression calls, if it does."""
    from looplint.interpreter.expressions import evaluate

    before = m.save()
    callee = evaluate(m, expr.func)
    for atom in callee:
        if isinstance(atom, Func) and atom.function.is_generator:
            for decorator in atom.function.decorators:
                path = ir.path_of(decorator) or ""
                if path.rpartition(".")[2] in ("contextmanager", "asynccontextmanager"):
                    args = Arguments()
                    for arg in expr.args:
                        value = evaluate(m, arg.value)
                        if arg.keyword:
                            args.keywords[arg.keyword] = value
                        else:
                            args.positional.append(value)
                    return atom, args
    m.restore(before)
    return None


def _in_generator(m: Machine, func: Func, args: Arguments, expr: ir.Call, inside: Callable[[Value], None]) -> None:
    """Follow the generator; at its yield the body of the `with` runs in the caller's frame."""
    if m.frame.depth > 20 or m.active.count(func.function) > 1:
        inside(UNKNOWN)
        return
    outer, scopes = m.frame, m.scopes
    frame = calls.enter(m, func, expr)
    m.facts.called.add(func.function)
    calls.bind_parameters(m, frame, func, args)
    ended = False

    def body(value: Value) -> None:
        nonlocal ended
        inner, inner_scopes, inner_locals = m.frame, m.scopes, m.frame.locals
        m.frame, m.scopes = outer, scopes
        returned = len(outer.returns)
        inside(value)
        if not m.at and len(outer.returns) > returned:
            # The body returns: what stands after the yield runs before that return takes effect.
            m.join_at([s for s, _ in outer.returns[returned:]])
            ended = True
        m.frame, m.scopes = inner, inner_scopes
        m.frame.locals = inner_locals

    frame.on_yield = body
    calls.run_frame(m, frame)
    if ended and m.at:
        values: Value = NOTHING
        for _, value in outer.returns:
            values = join(values, value)
        outer.returns[:] = [(m.save(), values)]
        m.die()


# -- keeping


@hooks.stored
def keep(m: Machine, node: cst.CSTNode, base: Value, value: Value, key: Const | None) -> Value:
    """A value is put into a container; where that outlives the iteration, the value remembers it.

    Returns:
        The value as the container holds it.
    """
    _let_go(m, value)
    tensors = tensors_in([value])
    kept = [t for t in tensors if t.graph == "yes" and t.forwards]
    if not kept or not m.loops:
        return value
    plain = all(isinstance(a, Tensor) for a in value)
    for atom in base:
        if isinstance(atom, Ref) and atom.obj.kind in ("list", "dict") and len(born_in(atom.obj)) < len(m.loops):
            slot = atom.obj.kind == "dict" and key is not None
            carried = m.loops[len(born_in(atom.obj)) :]
            event = m.emit("keep", node, kept[0].sources, value=kept[0], into=atom.obj, slot=slot, carried=carried, plain=plain)
            if event is not None:
                value = _remembering(value, event.key)
    return value


def _remembering(value: Value, key: EventKey, depth: int = 3) -> Value:
    """The tensors in a value, and in the tuples it holds, with the container that they were put into."""
    found: set[Atom] = set()
    for atom in value:
        match atom:
            case Tensor():
                found.add(atom.tagged(("kept", key)))
            case Tuple() if depth:
                found.add(replace(atom, items=tuple(_remembering(item, key, depth - 1) for item in atom.items)))
            case _:
                found.add(atom)
    return frozenset(found)


def _let_go(m: Machine, value: Value) -> None:
    """A function or bound method in a container (`callbacks.append(scheduler.step)`) is called by whoever gets hold of it."""
    for atom in value:
        match atom:
            case Method(obj=Ref(obj=obj)):
                obj.escaped = True
            case Func():
                m.facts.deferred.append(frozenset({atom}))
            case Tuple():
                for item in atom.items:
                    _let_go(m, item)


def born_in(obj: Obj) -> tuple[Loop, ...]:
    """The loops that were running when the object was made."""
    loops: tuple[Loop, ...] = obj.info.get("loops", ())
    return loops


@hooks.accumulated
def accumulate(m: Machine, stmt: ir.Assign | ir.AugAssign, target: ir.Expr, old: Value, added: Value, result: Value) -> Value:
    """`total += loss`: noted where `total` comes from before the iteration; the sum remembers where it was made."""
    tensor = tensor_of(added)
    path = ir.path_of(target) or (ir.path_of(target.value) if isinstance(target, ir.Subscript) else None)
    if tensor is None or path is None or not m.loops:
        return result
    carried = m.loops[len(m.born(target)) :]
    event = m.emit("accumulate", stmt.node, tensor.sources, target=ir.render(target), value=tensor, carried=carried)
    if event is None:
        return result
    if _is_of_outputs(m, target, old):
        m.facts.added_to_outputs.add(event.key)
    kept = tensor_of(result)
    if kept is None:
        return result
    tagged = kept.tagged(("sum", event.key))
    return frozenset(a for a in result if not isinstance(a, Tensor)) | {tagged}


def _is_of_outputs(m: Machine, target: ir.Expr, old: Value) -> bool:
    """Whether a sum starts from what a forward put out, or may: rows of something that is not known."""
    start = tensor_of(old)
    if start is not None:
        return start.graph == "yes" and bool(start.forwards) and not any(tag == "sum" for tag, _ in start.tags)
    if isinstance(target, ir.Subscript) and isinstance(target.value, ir.Name) and not isinstance(target.index, ir.Const):
        return all(isinstance(a, Unknown) for a in m.frame.locals.get(target.value.id, ()))
    return False
