"""Following statements: names get values, paths split and join, loops are read until nothing new comes back."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from functools import partial
from typing import Any

from looplint.dataclass import replace
from looplint.domain.call_string import TURN
from looplint.domain.values import NONE, NOTHING, UNKNOWN, ClassRef, External, Func, Number, Tuple, Value
from looplint.flow.graph import Loose
from looplint.interpreter import (
    choices,
    conditions,
    endings,
    generators,
    gradient_uses,
    hooks,
    implied,
    imports,
    iterators,
    loops,
    narrowing,
    options_set,
    rewritten,
    unrolling,
    unseen_elements,
)
from looplint.interpreter.assignments import assign, bind_name, run_assign, run_aug_assign
from looplint.interpreter.elements import element_of, last_of
from looplint.interpreter.expressions import evaluate, truth
from looplint.interpreter.frames import LoopScope, Snapshot, Trace, merge
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.names import binds_nowhere, lookup
from looplint.syntax import ir

_ERRORS = frozenset(f"builtins.{name}" for name, cls in vars(builtins).items() if isinstance(cls, type) and issubclass(cls, BaseException))


def run_block(interp: Interpreter, body: list[ir.Stmt]) -> None:
    for stmt in body:
        if not interp.at:
            return
        interp.burn()
        interp.statement = stmt.node
        _RUN[type(stmt)](interp, stmt)


# -- assignment

# -- branches


def _if(interp: Interpreter, stmt: ir.If) -> None:
    outcome = truth(interp, stmt.test)
    # That there is a gradient is taken for granted, but for where one is given to what has none.
    if outcome is not None and not gradient_uses.fills_in(stmt):
        interp.run_block(stmt.body if outcome else stmt.orelse)
        return
    before = interp.save()
    outer = interp.trace
    decided = implied.outcome(interp, stmt.test)
    if decided is not None:
        _, built = _branch(interp, stmt.test, decided, stmt.body if decided else stmt.orelse)
        interp.trace = outer
        outer.add(built)
        interp.guards = before.guards
        return
    ended = interp.reached.endings
    start, misfits, function = len(ended), interp.reached.misfits, interp.frame.function
    known = function in misfits
    after, built = _branch(interp, stmt.test, True, stmt.body)
    middle, known_after = len(ended), function in misfits
    interp.restore(before)
    end, otherwise = _branch(interp, stmt.test, False, stmt.orelse)
    if len(ended) > start:
        endings.pass_by(interp, stmt.body, ended[start:middle] if end.alive else ())
        endings.pass_by(interp, stmt.orelse, ended[middle:] if after.alive else ())
    if (end.alive and not known) or (after.alive and not known_after):
        endings.set_aside(interp)
    interp.trace = outer
    outer.add(built)
    outer.add(otherwise)
    interp.join_at([after, end])
    if after.alive and end.alive:
        interp.guards = before.guards
        choices.settle(interp, stmt, before, after, end, built, otherwise)
        options_set.keep_given(interp, built, otherwise)
    elif after.alive or end.alive:
        conditions.note_exit(interp, len(before.guards), stmt.orelse if after.alive else stmt.body)


def _branch(interp: Interpreter, test: ir.Expr, held: bool, body: list[ir.Stmt]) -> tuple[Snapshot, Trace]:
    """Follow a branch: where it ends, and what it did."""
    interp.trace = Trace()
    interp.assume(test, held)
    conditions.describe(interp, test)
    narrowing.narrow(interp, test, held)
    if interp.loops:
        interp.evidence.of_better |= conditions.set_aside(test, body)
    interp.run_block(body)
    return interp.save(), interp.trace


# -- loops


def _for(interp: Interpreter, stmt: ir.For) -> None:
    _turn_over(interp, stmt)
    rewritten.note(interp, stmt)


def _turn_over(interp: Interpreter, stmt: ir.For) -> None:
    iterated = generators.drained(interp, evaluate(interp, stmt.iter))
    items = unrolling.turns(interp, stmt, iterated)
    if items is not None:
        _unrolled(interp, stmt, items)
        return
    loop = loops.over(interp, stmt, iterated)

    def enter() -> None:
        assign(interp, stmt.target, element_of(interp, iterated))
        unseen_elements.tell(interp, stmt)

    item = _last_item(interp, stmt.iter, iterated) if interp.aside else None
    last = partial(assign, interp, stmt.target, item) if item is not None else None
    loops.repeat(interp, loop, stmt.body, stmt.orelse, enter=enter, leave=None, last=last)
    if iterators.goes_to_the_end(stmt) and not interp.frame.function.is_generator:
        iterators.exhaust(interp, iterated, stmt.iter.node, "loop", stmt.iter)


def _last_item(interp: Interpreter, iterable: ir.Expr, iterated: Value) -> Value | None:
    """What the last turn of a loop over parts of a module works on, where that is known: what it makes is what the forward goes on with."""
    match iterable:
        case ir.Call(func=ir.Name(id="enumerate"), args=[ir.Arg(value=counted)]):
            item = last_of(evaluate(interp, counted))
            return frozenset({Tuple((frozenset({Number()}), item))}) if item is not None else None
    return last_of(iterated)


def _unrolled(interp: Interpreter, stmt: ir.For, items: list[Value]) -> None:
    breaks: list[Snapshot] = []
    ctx = interp.frame.ctx
    for number, item in enumerate(items):
        if not interp.alive:
            break
        scope = LoopScope()
        interp.scopes.append(scope)
        interp.frame.ctx = interp.context(ctx, TURN, id(stmt.node), number)
        assign(interp, stmt.target, item)
        interp.run_block(stmt.body)
        interp.frame.ctx = ctx
        interp.scopes.pop()
        interp.join_at([interp.save(), *scope.continues])
        breaks.extend(scope.breaks)
    interp.run_block(stmt.orelse)
    interp.join_at([interp.save(), *breaks])


def _while(interp: Interpreter, stmt: ir.While) -> None:
    loop = interp.loop(stmt)
    loop.iterates = ir.render(stmt.test)
    outcome = truth(interp, stmt.test) if isinstance(stmt.test, ir.Const) else None
    if outcome is False:
        interp.run_block(stmt.orelse)
        return

    def enter() -> None:
        if outcome is None:
            evaluate(interp, stmt.test)
        match stmt.test:
            case ir.Compare(left=counter) if ir.path_of(counter):
                hooks.counted.run(evaluate(interp, counter))

    loops.repeat(interp, loop, stmt.body, stmt.orelse, enter=enter, leave=None if outcome is None else False)


def _jump(interp: Interpreter, stmt: ir.Jump) -> None:
    if stmt.value is not None:
        evaluate(interp, stmt.value)
        raised = ir.path_of(_class_of_error(stmt.value))
        interp.frame.abstract = interp.frame.abstract or raised in ("NotImplementedError", "NotImplemented")
    if stmt.kind != "raise" and interp.scopes:
        snapshot = interp.save()
        (interp.scopes[-1].breaks if stmt.kind == "break" else interp.scopes[-1].continues).append(snapshot)
    interp.die()


def _return(interp: Interpreter, stmt: ir.Return) -> None:
    value = evaluate(interp, stmt.value) if stmt.value is not None else NONE
    if stmt.value is not None and _is_error(interp, stmt.value):
        # `return NotImplementedError`, for `raise`: what callers do with a result, they do with another one. A call for its own sake goes on.
        interp.frame.abstract = True
    elif interp.at:
        interp.frame.returns.append((interp.save(), value))
    interp.die()


def _is_error(interp: Interpreter, expr: ir.Expr) -> bool:
    """Whether an expression is a class of Python's exceptions, or makes one."""
    cls = _class_of_error(expr)
    value = lookup(interp, interp.frame, cls.id) if isinstance(cls, ir.Name) else NOTHING
    return bool(value) and all(isinstance(a, External) and a.qualname in _ERRORS for a in value)


def _class_of_error(expr: ir.Expr) -> ir.Expr:
    """The class of what is raised, itself or as it is made."""
    return expr.func if isinstance(expr, ir.Call) else expr


# -- with, try


def _with(interp: Interpreter, stmt: ir.With) -> None:
    _enter_items(interp, stmt, 0)


def _enter_items(interp: Interpreter, stmt: ir.With, number: int) -> None:
    if number == len(stmt.items):
        interp.run_block(stmt.body)
        return
    expr, target = stmt.items[number]

    def inside(value: Value) -> None:
        if target is not None:
            assign(interp, target, value)
        _enter_items(interp, stmt, number + 1)

    hooks.entered.run(interp, expr, inside)


def _try(interp: Interpreter, stmt: ir.Try) -> None:
    before = interp.save()
    returns, scopes = interp.frame.returns, interp.scopes
    interp.frame.returns = []
    marks = [(len(s.breaks), len(s.continues)) for s in scopes]
    outer, interp.trace = interp.trace, Trace()
    last = _last_raising(stmt)
    interp.run_block(stmt.body[:last])
    unassigned = dict(interp.frame.locals)
    interp.run_block(stmt.body[last : last + 1])
    after = interp.save()
    raised = _unassigned(after, stmt.body[last : last + 1], unassigned)
    interp.run_block(stmt.body[last + 1 :])
    if interp.alive:
        interp.run_block(stmt.orelse)
    ends, traces = [interp.save()], [interp.trace]
    for name, body in stmt.handlers:
        interp.restore(merge([before, raised]) if after.alive else before)
        if name:
            bind_name(interp, name, UNKNOWN)
        node = interp.graph.add("branch", interp.loops, interp.at)
        interp.at = [Loose(node)]
        interp.handling += 1
        interp.trace = Trace()
        interp.run_block(body)
        interp.handling -= 1
        ends.append(interp.save())
        traces.append(interp.trace)
    interp.trace = outer
    for trace in traces:
        outer.add(trace)
    inner, interp.frame.returns = interp.frame.returns, returns
    if not stmt.final:
        interp.frame.returns.extend(inner)
        _join_handled(interp, stmt, before, ends, traces)
        return
    for snapshot, value in inner:
        interp.restore(snapshot)
        interp.run_block(stmt.final)
        if interp.at:
            interp.frame.returns.append((interp.save(), value))
    for scope, (breaks, continues) in zip(scopes, marks):
        scope.breaks[breaks:] = [s for s in (_finally(interp, stmt, s) for s in scope.breaks[breaks:]) if s.alive]
        scope.continues[continues:] = [s for s in (_finally(interp, stmt, s) for s in scope.continues[continues:]) if s.alive]
    _join_handled(interp, stmt, before, ends, traces)
    if interp.at:
        interp.run_block(stmt.final)


def _last_raising(stmt: ir.Try) -> int:
    """The number of the last statement of the body that raises what is caught: where that is that an item is missing, one that asks for an item."""
    asking = [number for number, each in enumerate(stmt.body) if stmt.of_items and any(map(_asks_for_item, ir.statements([each])))]
    return asking[-1] if asking else len(stmt.body) - 1


def _asks_for_item(stmt: ir.Stmt) -> bool:
    """Whether a statement reads, deletes or pops an item."""
    return isinstance(stmt, ir.Delete) or any(
        isinstance(e, ir.Subscript) or (isinstance(e, ir.Call) and isinstance(e.func, ir.Attr) and e.func.attr == "pop")
        for whole in ir.expressions(stmt)
        for e in ir.walk(whole)
    )


def _unassigned(after: Snapshot, last: list[ir.Stmt], locals_before: dict[str, Value]) -> Snapshot:
    """What a handler begins with where the last statement of the body raises: an assignment has not been made then."""
    names = {target.id for stmt in last if isinstance(stmt, ir.Assign) for target in ir.targets(stmt) if isinstance(target, ir.Name)}
    kept = {name: value for name, value in after.locals.items() if name not in names}
    kept.update((name, locals_before[name]) for name in names if name in locals_before)
    return replace(after, locals=kept)


def _join_handled(interp: Interpreter, stmt: ir.Try, before: Snapshot, ends: list[Snapshot], traces: list[Trace]) -> None:
    """Join the ways out of a `try`: that of its body, and those of its handlers."""
    interp.join_at(ends)
    alive = [number for number, end in enumerate(ends) if end.alive]
    if len(alive) == 2 and alive[0] == 0:
        choices.settle(interp, stmt, before, ends[0], ends[alive[1]], traces[0], traces[alive[1]])


def _finally(interp: Interpreter, stmt: ir.Try, snapshot: Snapshot) -> Snapshot:
    interp.restore(snapshot)
    interp.run_block(stmt.final)
    return interp.save()


# -- the rest


def _expr(interp: Interpreter, stmt: ir.ExprStmt) -> None:
    evaluate(interp, stmt.value)
    if isinstance(stmt.value, ir.Name) and binds_nowhere(interp, interp.frame, stmt.value.id):
        interp.die()  # `stop`, as a line of its own: who has put it there ends the run by its NameError


def _delete(interp: Interpreter, stmt: ir.Delete) -> None:
    for target in stmt.targets:
        match target:
            case ir.Name(id=name):
                interp.frame.locals.pop(name, None)
            case ir.Subscript(value=base):
                hooks.taken_out.run(interp, stmt.node, evaluate(interp, base))


def _assert(interp: Interpreter, stmt: ir.Assert) -> None:
    evaluate(interp, stmt.test)
    narrowing.narrow(interp, stmt.test, True)


def _function_def(interp: Interpreter, stmt: ir.FunctionDef) -> None:
    interp.enclosing.add(interp.frame)
    func = Func(
        stmt.function, interp.frame.module, interp.frame if interp.frame.depth or interp.frame.module.frame is not interp.frame else None
    )
    bind_name(interp, stmt.function.name, frozenset({func}))


def _class_def(interp: Interpreter, stmt: ir.ClassDef) -> None:
    interp.enclosing.add(interp.frame)
    bind_name(interp, stmt.cls.name, frozenset({ClassRef(stmt.cls, interp.frame.module, interp.frame if interp.frame.depth else None)}))


def _import(interp: Interpreter, stmt: ir.Import) -> None:
    module = interp.frame.module
    for item in stmt.names:
        # A relative import is the project's own, wherever it leads: its file is read when a name of it is used.
        found = interp.project.find(module, item.module, item.level) if not item.level or item.name == "*" else None
        if item.name == "*":
            if found is not None:
                imports.load(interp, found)
            star = found if found is not None or item.level else item.module
            if star is not None and star not in interp.frame.stars:
                interp.frame.stars.append(star)
            continue
        if found is None and not item.level:
            value: Value = frozenset({External(f"{item.module}.{item.name}" if item.name else item.module)})
        else:
            value = frozenset({External(f"import:{module.filename}:{item.level}:{item.module}:{item.name or ''}")})
        bind_name(interp, item.bound, value)


def _scope(interp: Interpreter, stmt: ir.Scope) -> None:
    return None


_RUN: dict[type, Callable[[Interpreter, Any], None]] = {
    ir.Assign: run_assign, ir.AugAssign: run_aug_assign, ir.ExprStmt: _expr, ir.If: _if, ir.For: _for, ir.While: _while, ir.With: _with, ir.Try: _try,
    ir.Return: _return, ir.Jump: _jump, ir.Delete: _delete, ir.Assert: _assert, ir.FunctionDef: _function_def,
    ir.ClassDef: _class_def, ir.Import: _import, ir.Scope: _scope,
}  # fmt: skip
