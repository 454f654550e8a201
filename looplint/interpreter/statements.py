"""Following statements: names get values, paths split and join, loops are read until nothing new comes back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from looplint.domain.values import NONE, UNKNOWN, ClassRef, Const, External, Func, Number, Tensor, Value, constant_of, exact_items
from looplint.flow.graph import Loose
from looplint.interpreter import choices, conditions, generators, hooks, imports, loops
from looplint.interpreter.assignments import assign, bind_name, run_assign, run_aug_assign
from looplint.interpreter.elements import element_of
from looplint.interpreter.expressions import evaluate, truth
from looplint.interpreter.frames import LoopScope, Snapshot, Trace, merge
from looplint.interpreter.interpreter import Interpreter
from looplint.syntax import ir

_UNROLL = 6


def run_block(m: Interpreter, body: list[ir.Stmt]) -> None:
    for stmt in body:
        if not m.at:
            return
        m.burn()
        m.statement = stmt.node
        _RUN[type(stmt)](m, stmt)


# -- assignment

# -- branches


def _if(m: Interpreter, stmt: ir.If) -> None:
    outcome = truth(m, stmt.test)
    if outcome is not None:
        m.run_block(stmt.body if outcome else stmt.orelse)
        return
    before = m.save()
    outer = m.trace
    after, built = _branch(m, stmt.test, True, stmt.body)
    m.restore(before)
    end, otherwise = _branch(m, stmt.test, False, stmt.orelse)
    m.trace = outer
    outer.add(built)
    outer.add(otherwise)
    m.join_at([after, end])
    if after.alive and end.alive:
        m.guards = before.guards
        choices.settle(m, stmt, before, after, end, built, otherwise)


def _branch(m: Interpreter, test: ir.Expr, held: bool, body: list[ir.Stmt]) -> tuple[Snapshot, Trace]:
    """Follow a branch: where it ends, and what it did."""
    m.trace = Trace()
    m.assume(test, held)
    conditions.describe(m, test)
    _refine(m, test, held)
    if m.loops:
        m.evidence.of_better |= conditions.set_aside(test, body)
    m.run_block(body)
    return m.save(), m.trace


def _refine(m: Interpreter, test: ir.Expr, held: bool) -> None:
    """A test for None, or for a class, tells what the name is on each side."""
    while isinstance(test, ir.Unary) and test.op == "not":
        test, held = test.operand, not held
    if isinstance(test, ir.BoolOp) and test.op == "and" and held:
        _refine(m, test.left, True)
        _refine(m, test.right, True)
        return
    if isinstance(test, ir.Call):
        _refine_by_class(m, test, held)
        return
    is_none = False
    if (
        isinstance(test, ir.Compare)
        and test.ops in (["is"], ["is not"])
        and isinstance(test.rights[0], ir.Const)
        and test.rights[0].value is None
    ):
        is_none = (test.ops == ["is"]) == held
        test = test.left
    elif held:
        is_none = False
    else:
        return
    if isinstance(test, ir.Name) and test.id in m.frame.locals:
        value = m.frame.locals[test.id]
        nones = frozenset(a for a in value if isinstance(a, Const) and a.value is None)
        kept = nones if is_none else value - nones
        if kept:
            m.frame.locals[test.id] = kept


# No tensor is of one of these.
_NUMERIC = frozenset({f"builtins.{name}" for name in ("int", "float", "bool", "complex")})
_PLAIN = _NUMERIC | {f"builtins.{name}" for name in ("str", "bytes")} | {"numpy.ndarray", "numpy.generic"}


def _refine_by_class(m: Interpreter, test: ir.Call, held: bool) -> None:
    """`isinstance(name, classes)`: what is a number is no tensor, and the other way round."""
    match test:
        case ir.Call(func=ir.Name(id="isinstance"), args=[ir.Arg(value=ir.Name(id=name)), ir.Arg(value=classes)]) if name in m.frame.locals:
            given = evaluate(m, classes)
        case _:
            return
    items = exact_items(given)
    asked = frozenset().union(*items) if items is not None else given
    wanted = {a.qualname if isinstance(a, External) else "" for a in asked}
    value = m.frame.locals[name]
    if held and wanted and wanted <= _PLAIN:
        kept = frozenset(a for a in value if not isinstance(a, Tensor))
        m.frame.locals[name] = kept or (frozenset({Number()}) if wanted <= _NUMERIC else UNKNOWN)
    elif wanted and all(name.startswith("torch.") and name.endswith("Tensor") for name in wanted):
        if held:
            m.frame.locals[name] = frozenset(a for a in value if not isinstance(a, Number | Const)) or value
        else:
            # What is not known to be made by torch may hold tensors and be none.
            m.frame.locals[name] = frozenset(a for a in value if not (isinstance(a, Tensor) and a.made)) or frozenset({Number()})


def _match(m: Interpreter, stmt: ir.Match) -> None:
    subject = evaluate(m, stmt.subject)
    known = constant_of(subject)
    before = m.save()
    ends: list[Snapshot] = []
    for case in stmt.cases:
        pattern = constant_of(evaluate(m, case.pattern)) if case.pattern is not None else None
        if known is not None and pattern is not None and case.guard is None:
            if known.value != pattern.value:
                continue
            m.restore(before)
            m.run_block(case.body)
            ends.append(m.save())
            break
        m.restore(before)
        if case.guard is not None:
            m.assume(case.guard, True)
        elif case.pattern is not None:
            m.assume(ir.Compare(stmt.node, stmt.subject, ["=="], [case.pattern]), True)
        for name in case.binds:
            bind_name(m, name, subject if len(case.binds) == 1 else UNKNOWN)
        m.run_block(case.body)
        ends.append(m.save())
        if case.pattern is None and case.guard is None and len(case.binds) <= 1:
            break
    else:
        ends.append(before)
    m.join_at(ends)
    m.guards = before.guards


# -- loops


def _for(m: Interpreter, stmt: ir.For) -> None:
    iterated = generators.drained(m, evaluate(m, stmt.iter))
    items = _unrollable(m, iterated)
    if items is not None:
        _unrolled(m, stmt, items)
        return
    loop = loops.over(m, stmt, iterated)
    loops.repeat(m, loop, stmt.body, stmt.orelse, enter=lambda: assign(m, stmt.target, element_of(m, iterated)), leave=None)


def _unrollable(m: Interpreter, iterated: Value) -> list[Value] | None:
    """The items of a short, fully known sequence of objects or names: each turn then knows what it works on."""
    items = exact_items(iterated)
    if items is None or not 0 < len(items) <= _UNROLL:
        return None
    if all(_is_plain_number(i) for i in items):
        return None
    return items


def _is_plain_number(value: Value) -> bool:
    known = constant_of(value)
    return known is not None and isinstance(known.value, int | float) and not isinstance(known.value, bool)


def _unrolled(m: Interpreter, stmt: ir.For, items: list[Value]) -> None:
    breaks: list[Snapshot] = []
    ctx = m.frame.ctx
    for number, item in enumerate(items):
        if not m.alive:
            break
        scope = LoopScope()
        m.scopes.append(scope)
        m.frame.ctx = m.context(ctx, id(stmt.node), number)
        assign(m, stmt.target, item)
        m.run_block(stmt.body)
        m.frame.ctx = ctx
        m.scopes.pop()
        m.join_at([m.save(), *scope.continues])
        breaks.extend(scope.breaks)
    m.run_block(stmt.orelse)
    m.join_at([m.save(), *breaks])


def _while(m: Interpreter, stmt: ir.While) -> None:
    loop = m.loop(stmt)
    loop.iterates = ir.render(stmt.test)
    outcome = truth(m, stmt.test) if isinstance(stmt.test, ir.Const) else None
    if outcome is False:
        m.run_block(stmt.orelse)
        return

    def enter() -> None:
        if outcome is None:
            evaluate(m, stmt.test)
        match stmt.test:
            case ir.Compare(left=counter) if ir.path_of(counter):
                hooks.counted.run(evaluate(m, counter))

    loops.repeat(m, loop, stmt.body, stmt.orelse, enter=enter, leave=None if outcome is None else False)


def _jump(m: Interpreter, stmt: ir.Jump) -> None:
    if stmt.value is not None:
        evaluate(m, stmt.value)
        raised = stmt.value.func if isinstance(stmt.value, ir.Call) else stmt.value
        m.frame.abstract = m.frame.abstract or ir.path_of(raised) in ("NotImplementedError", "NotImplemented")
    if stmt.kind != "raise" and m.scopes:
        snapshot = m.save()
        (m.scopes[-1].breaks if stmt.kind == "break" else m.scopes[-1].continues).append(snapshot)
    m.die()


def _return(m: Interpreter, stmt: ir.Return) -> None:
    value = evaluate(m, stmt.value) if stmt.value is not None else NONE
    if m.at:
        m.frame.returns.append((m.save(), value))
    m.die()


# -- with, try


def _with(m: Interpreter, stmt: ir.With) -> None:
    _enter_items(m, stmt, 0)


def _enter_items(m: Interpreter, stmt: ir.With, number: int) -> None:
    if number == len(stmt.items):
        m.run_block(stmt.body)
        return
    expr, target = stmt.items[number]

    def inside(value: Value) -> None:
        if target is not None:
            assign(m, target, value)
        _enter_items(m, stmt, number + 1)

    hooks.entered.run(m, expr, inside)


def _try(m: Interpreter, stmt: ir.Try) -> None:
    before = m.save()
    returns, scopes = m.frame.returns, m.scopes
    m.frame.returns = []
    marks = [(len(s.breaks), len(s.continues)) for s in scopes]
    m.run_block(stmt.body)
    after = m.save()
    if after.alive:
        m.run_block(stmt.orelse)
    ends = [m.save()]
    for name, body in stmt.handlers:
        entry = merge([before, after]) if after.alive else before
        m.restore(entry)
        if name:
            bind_name(m, name, UNKNOWN)
        node = m.graph.add("branch", m.loops, m.at)
        m.at = [Loose(node)]
        m.handling += 1
        m.run_block(body)
        m.handling -= 1
        ends.append(m.save())
    inner, m.frame.returns = m.frame.returns, returns
    if not stmt.final:
        m.frame.returns.extend(inner)
        m.join_at(ends)
        return
    for snapshot, value in inner:
        m.restore(snapshot)
        m.run_block(stmt.final)
        if m.at:
            m.frame.returns.append((m.save(), value))
    for scope, (breaks, continues) in zip(scopes, marks):
        scope.breaks[breaks:] = [s for s in (_finally(m, stmt, s) for s in scope.breaks[breaks:]) if s.alive]
        scope.continues[continues:] = [s for s in (_finally(m, stmt, s) for s in scope.continues[continues:]) if s.alive]
    m.join_at(ends)
    if m.at:
        m.run_block(stmt.final)


def _finally(m: Interpreter, stmt: ir.Try, snapshot: Snapshot) -> Snapshot:
    m.restore(snapshot)
    m.run_block(stmt.final)
    return m.save()


# -- the rest


def _expr(m: Interpreter, stmt: ir.ExprStmt) -> None:
    evaluate(m, stmt.value)


def _delete(m: Interpreter, stmt: ir.Delete) -> None:
    for target in stmt.targets:
        if isinstance(target, ir.Name):
            m.frame.locals.pop(target.id, None)


def _assert(m: Interpreter, stmt: ir.Assert) -> None:
    evaluate(m, stmt.test)
    _refine(m, stmt.test, True)


def _function_def(m: Interpreter, stmt: ir.FunctionDef) -> None:
    func = Func(stmt.function, m.frame.module, m.frame if m.frame.depth or m.frame.module.frame is not m.frame else None)
    bind_name(m, stmt.function.name, frozenset({func}))


def _class_def(m: Interpreter, stmt: ir.ClassDef) -> None:
    bind_name(m, stmt.cls.name, frozenset({ClassRef(stmt.cls, m.frame.module, m.frame if m.frame.depth else None)}))


def _import(m: Interpreter, stmt: ir.Import) -> None:
    module = m.frame.module
    for item in stmt.names:
        found = m.project.find(module, item.module, item.level) if (item.level or item.module) else None
        if item.name == "*":
            if found is not None:
                imports.load(m, found)
                if found not in m.frame.stars:
                    m.frame.stars.append(found)
            continue
        if found is None and not item.level:
            value: Value = frozenset({External(f"{item.module}.{item.name}" if item.name else item.module)})
        else:
            value = frozenset({External(f"import:{module.filename}:{item.level}:{item.module}:{item.name or ''}")})
        bind_name(m, item.bound, value)


def _scope(m: Interpreter, stmt: ir.Scope) -> None:
    return None


_RUN: dict[type, Callable[[Interpreter, Any], None]] = {
    ir.Assign: run_assign, ir.AugAssign: run_aug_assign, ir.ExprStmt: _expr, ir.If: _if, ir.For: _for, ir.While: _while, ir.With: _with, ir.Try: _try,
    ir.Match: _match, ir.Return: _return, ir.Jump: _jump, ir.Delete: _delete, ir.Assert: _assert, ir.FunctionDef: _function_def,
    ir.ClassDef: _class_def, ir.Import: _import, ir.Scope: _scope,
}  # fmt: skip
