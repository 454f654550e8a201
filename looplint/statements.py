"""Following statements: names get values, paths split and join, loops are read until nothing new comes back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from looplint import calls, checkpoints, choices, contexts, ir, objects
from looplint.expressions import binary, element_of, evaluate, truth
from looplint.frames import Frame, LoopScope, Snapshot, Trace, merge
from looplint.graph import Loop, Loose
from looplint.knowledge.lookup import setting
from looplint.machine import Machine
from looplint.membership import MODULAR, note_assigned, register
from looplint.outcomes import entry_of_value
from looplint.values import (
    NONE, NOTHING, UNKNOWN, Atom, ClassRef, Const, External, Func, Iter, ModuleRef, Params, Ref, Tensor, Tuple, Unknown, Value, constant_of, exact_items, join, tensor_of,
)  # fmt: skip

_PASSES = 3
_UNROLL = 6


def run_block(m: Machine, body: list[ir.Stmt]) -> None:
    for stmt in body:
        if not m.at:
            return
        m.burn()
        m.statement = stmt.node
        _RUN[type(stmt)](m, stmt)


# -- assignment


def _assign(m: Machine, stmt: ir.Assign) -> None:
    value = evaluate(m, stmt.value)
    summed = _accumulates(m, stmt, value)
    if summed is not None:
        assign(m, stmt.targets[0], summed, ir.AugAssign(stmt.node, stmt.targets[0], "+", stmt.value))
        return
    for target in stmt.targets:
        assign(m, target, value, stmt)
    match stmt:
        case ir.Assign(targets=[ir.Name(id=name)], value=ir.Compare() | ir.BoolOp() | ir.Unary(op="not") as test):
            m.frame.tests[name] = test
        case ir.Assign(targets=[ir.Name(id=name)]):
            m.frame.tests.pop(name, None)


def assign(m: Machine, target: ir.Expr, value: Value, stmt: ir.Stmt | None = None) -> None:
    checkpoints.note_start(target, value)
    match target:
        case ir.Name():
            bind_name(m, target.id, value)
            if not isinstance(stmt, ir.AugAssign):
                m.note_name(target.id)
            for atom in value:
                if isinstance(atom, Ref) and not atom.obj.name:
                    atom.obj.name = target.id
        case ir.Attr():
            _assign_attribute(m, target, value)
            if not isinstance(stmt, ir.AugAssign) and not m.guarded():
                m.note_birth(target)
        case ir.Subscript():
            _assign_item(m, target, value)
        case ir.Display():
            _unpack(m, target.items, value)
        case ir.Star():
            assign(m, target.value, value)


def bind_name(m: Machine, name: str, value: Value) -> None:
    declared = m.frame.function.declared.get(name)
    if declared == "global" and m.frame.module.frame is not None:
        _weak_write(m.frame.module.frame, name, value)
        return
    if declared == "nonlocal":
        here = m.frame.closure
        while here is not None:
            if name in here.locals:
                _weak_write(here, name, value)
                return
            here = here.closure
    m.frame.locals[name] = value
    m.forget(name)


def _weak_write(frame: Frame, name: str, value: Value) -> None:
    old = frame.locals.get(name)
    frame.locals[name] = value if old is None or old == NONE else join(old, value)


def _assign_attribute(m: Machine, target: ir.Attr, value: Value) -> None:
    base = evaluate(m, target.value)
    path = ir.path_of(target)
    if path:
        m.forget(path)
    for atom in base:
        match atom:
            case Params() if target.attr == "grad":
                m.emit("clear", target.node, atom.sources, manual=True)
                if value != NONE:
                    m.emit("backward", target.node, atom.sources, manual=True)
            case Params() if target.attr == "requires_grad":
                _freeze(m, atom, value)
            case Tensor() | Unknown() if target.attr == "requires_grad" and isinstance(target.value, ir.Name):
                _ask_for_gradient(m, target.value.id, atom, value)
            case Ref() if atom.obj.kind == "module":
                note_assigned(m, atom.obj, target, value)
                _set_on_module(m, atom.obj, target, value)
            case Ref():
                if atom.obj.kind in MODULAR:
                    note_assigned(m, atom.obj, target, value)
                m.write(atom.obj, target.attr, value)
                for inner in value:
                    if isinstance(inner, Ref) and not inner.obj.name:
                        inner.obj.name = f"{ir.render(target.value)}.{target.attr}"
            case Tensor() if target.attr == "grad" and value == NONE:
                m.emit("clear", target.node, atom.sources, certain=False, manual=True)
            case Unknown() if target.attr == "grad" and value == NONE:
                m.emit("clear", target.node, atom.deps, certain=False, manual=True)
            case ModuleRef() if atom.module.frame is not None:
                _weak_write(atom.module.frame, target.attr, value)
            case External() if switch := setting(f"{atom.qualname}.{target.attr}"):
                _switch(m, target, switch, value)


def _switch(m: Machine, target: ir.Attr, switch: tuple[str, str], value: Value) -> None:
    """A setting of the whole process gets a value; one that is not known may be a user's wish and counts as off."""
    owner, name = switch
    known = constant_of(value)
    variant = f"{name} {'on' if known is not None and known.value is True else 'off'}"
    m.emit("switch", target.node, {m.setting_owner(owner)}, variant=variant, setting=name)


def _ask_for_gradient(m: Machine, name: str, atom: Tensor | Unknown, value: Value) -> None:
    """`images.requires_grad = True`: what is computed from them is differentiated by them."""
    known = constant_of(value)
    if known is not None and known.value:
        tensor = atom if isinstance(atom, Tensor) else Tensor()
        m.frame.locals[name] = frozenset({replace(tensor.tagged(("input-grad", True)), graph="yes")})


def _freeze(m: Machine, params: Params, value: Value) -> None:
    known = constant_of(value)
    if known is not None and known.value is True:
        return
    for obj in params.sources:
        obj.info["frozen"] = True


def _set_on_module(m: Machine, obj: Any, target: ir.Attr, value: Value) -> None:
    """`model.head = nn.Linear(...)`: a part is added or replaced."""
    constructing = any(f.name == "__init__" for f in m.active) and obj.cls is not None
    modules = [a.obj for a in value if isinstance(a, Ref) and a.obj.kind in ("module", "loss")]
    parameters = [a for a in value if isinstance(a, Params)]
    if (modules or parameters) and not constructing:
        m.emit("replace", target.node, {obj}, attr=target.attr, new=tuple(modules), value=value)
    objects.adopt(obj, value)
    if modules and not constructing:
        # Under a condition the old part may stay.
        old = (objects.attribute(m, obj, target.attr) if obj.cls is None else obj.heap.get(target.attr)) if m.guards else None
        obj.heap[target.attr] = join(old, value) if old is not None else value
        return
    m.write(obj, target.attr, value)
    for inner in modules:
        if not inner.name or inner.name == target.attr:
            inner.name = f"{ir.render(target.value)}.{target.attr}"


def _assign_item(m: Machine, target: ir.Subscript, value: Value) -> None:
    base = evaluate(m, target.value)
    key = constant_of(evaluate(m, target.index))
    m.facts.sets_rates = m.facts.sets_rates or (key is not None and key.value == "lr")
    value = contexts.keep(m, target.node, base, value, key)
    for atom in base:
        if isinstance(atom, Ref):
            obj = atom.obj
            if obj.kind == "dict" and key is not None and isinstance(key.value, str):
                m.write(obj, f"={key.value}", value)
                m.write(obj, "[]", value)
            elif obj.kind in ("list", "dict", "instance"):
                obj.info["changed"] = True
                if obj.kind == "list":
                    obj.info["items"] = None
                m.write(obj, "[]", value)
            elif obj.kind == "module" and any(isinstance(a, Ref) and a.obj.kind == "module" for a in value):
                m.emit("replace", target.node, {obj}, attr=f"[{ir.render(target.index)}]", new=tuple(a.obj for a in value if isinstance(a, Ref)), value=value)
                objects.adopt(obj, value)
                register(value)
                if key is None or m.guards:
                    obj.info["parts"] = None  # which part it is, or whether it is replaced, is not known
                obj.heap[objects.slot_of(obj, key)] = value


def _unpack(m: Machine, targets: list[ir.Expr], value: Value) -> None:
    items = exact_items(value)
    starred = next((n for n, t in enumerate(targets) if isinstance(t, ir.Star)), None)
    if items is not None and starred is None and len(items) == len(targets):
        for target, item in zip(targets, items):
            assign(m, target, item)
        return
    tuples = [a for a in value if isinstance(a, Tuple) and len(a.items) == len(targets)]
    if tuples and starred is None and all(isinstance(a, Tuple | Const) for a in value):
        for number, target in enumerate(targets):
            joined: Value = NOTHING
            for atom in tuples:
                joined = join(joined, atom.items[number])
            assign(m, target, joined)
        return
    if starred is not None and items is not None and len(items) >= len(targets) - 1:
        after = len(targets) - starred - 1
        for target, item in zip(targets[:starred], items[:starred]):
            assign(m, target, item)
        middle = items[starred : len(items) - after]
        assign(m, targets[starred], frozenset({Tuple(tuple(middle))}))
        for target, item in zip(targets[starred + 1 :], items[len(items) - after :]):
            assign(m, target, item)
        return
    element = frozenset(_part_of_loss(a) for a in element_of(m, value))
    for number, target in enumerate(targets):
        assign(m, target, entry_of_value(element, number if starred is None else None))


def _part_of_loss(atom: Atom) -> Atom:
    """What a loss function returns beside the loss may be a number or detached: of its parts only so much is known."""
    if isinstance(atom, Tensor) and ("loss", True) in atom.tags and atom.graph == "yes":
        return replace(atom, graph="maybe")
    return atom


def _aug_assign(m: Machine, stmt: ir.AugAssign) -> None:
    old = evaluate(m, stmt.target)
    value = evaluate(m, stmt.value)
    for atom in old:
        if isinstance(atom, Params) and atom.grad:
            m.emit("backward", stmt.node, atom.sources, manual=True, certain=False)
    result = binary(m, stmt.op, old, value, stmt)
    if stmt.op in ("+", "-"):
        result = contexts.accumulate(m, stmt, stmt.target, old, value, result)
    lists = [a.obj for a in old if isinstance(a, Ref) and a.obj.kind == "list"]
    if lists and stmt.op == "+":
        kept = contexts.keep(m, stmt.node, old, element_of(m, value), None)
        for obj in lists:
            obj.info["items"] = None
            m.write(obj, "[]", kept)
        result = old
    assign(m, stmt.target, result, stmt)


def _accumulates(m: Machine, stmt: ir.Assign, value: Value) -> Value | None:
    """The value of `total = total + loss`, which is `total += loss`; None for any other assignment."""
    expr = stmt.value
    if not (isinstance(expr, ir.Binary) and expr.op == "+" and len(stmt.targets) == 1):
        return None
    path = ir.path_of(stmt.targets[0])
    if path is None or tensor_of(value) is None:
        return None
    for side, other in ((expr.left, expr.right), (expr.right, expr.left)):
        if ir.path_of(side) == path:
            before = m.save()
            old, added = evaluate(m, side), evaluate(m, other)
            m.restore(before)
            return contexts.accumulate(m, stmt, stmt.targets[0], old, added, value)
    return None


# -- branches


def _if(m: Machine, stmt: ir.If) -> None:
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


def _branch(m: Machine, test: ir.Expr, held: bool, body: list[ir.Stmt]) -> tuple[Snapshot, Trace]:
    """Follow a branch: where it ends, and what it did."""
    m.trace = Trace()
    m.assume(test, held)
    _refine(m, test, held)
    m.run_block(body)
    return m.save(), m.trace


def _refine(m: Machine, test: ir.Expr, held: bool) -> None:
    """A test for None tells what the name is on each side."""
    while isinstance(test, ir.Unary) and test.op == "not":
        test, held = test.operand, not held
    if isinstance(test, ir.BoolOp) and test.op == "and" and held:
        _refine(m, test.left, True)
        _refine(m, test.right, True)
        return
    is_none = False
    if isinstance(test, ir.Compare) and test.ops in (["is"], ["is not"]) and isinstance(test.rights[0], ir.Const) and test.rights[0].value is None:
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


def _match(m: Machine, stmt: ir.Match) -> None:
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


def _for(m: Machine, stmt: ir.For) -> None:
    iterated = evaluate(m, stmt.iter)
    items = _unrollable(m, iterated)
    if items is not None:
        _unrolled(m, stmt, items)
        return
    loop = m.loop(stmt)
    loop.over = iterated
    loop.iterates = ir.render(stmt.iter)
    loop.targets = frozenset(ir.paths_in(stmt.target))
    loop.bound = frozenset().union(*(a.bound for a in iterated if isinstance(a, Iter)))
    _repeat(m, loop, stmt.body, stmt.orelse, enter=lambda: assign(m, stmt.target, element_of(m, iterated)), leave=None)


def _unrollable(m: Machine, iterated: Value) -> list[Value] | None:
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


def _unrolled(m: Machine, stmt: ir.For, items: list[Value]) -> None:
    breaks: list[Snapshot] = []
    ctx = m.frame.ctx
    for number, item in enumerate(items):
        if not m.alive:
            break
        scope = LoopScope()
        m.scopes.append(scope)
        m.frame.ctx = (ctx, id(stmt.node), number)
        assign(m, stmt.target, item)
        m.run_block(stmt.body)
        m.frame.ctx = ctx
        m.scopes.pop()
        m.join_at([m.save(), *scope.continues])
        breaks.extend(scope.breaks)
    m.run_block(stmt.orelse)
    m.join_at([m.save(), *breaks])


def _while(m: Machine, stmt: ir.While) -> None:
    loop = m.loop(stmt)
    loop.iterates = ir.render(stmt.test)
    outcome = truth(m, stmt.test) if isinstance(stmt.test, ir.Const) else None
    if outcome is False:
        m.run_block(stmt.orelse)
        return

    def enter() -> None:
        if outcome is None:
            evaluate(m, stmt.test)

    _repeat(m, loop, stmt.body, stmt.orelse, enter=enter, leave=None if outcome is None else False)


def _repeat(m: Machine, loop: Loop, body: list[ir.Stmt], orelse: list[ir.Stmt], *, enter: Callable[[], None], leave: bool | None) -> None:
    """Read a loop's body until the names at its head stay the same, then lead its end back to the head.

    A loop is taken to run at least once: one that does not is no training.
    """
    guards = m.guards
    outer = m.loops
    m.loops = (*outer, loop)
    head = m.graph.add("head", m.loops, m.at, loop=loop)
    m.at = [Loose(head)]
    length = len(m.graph.nodes)
    start = m.save()
    for turn in range(_PASSES):
        m.graph.cut(length)
        m.restore(start)
        m.guards = guards
        scope = LoopScope()
        m.scopes.append(scope)
        enter()
        m.run_block(body)
        m.scopes.pop()
        end = merge([m.save(), *scope.continues])
        if not end.alive:
            break
        around = merge([replace(start, at=[Loose(head)]), replace(end, at=[Loose(head)])])
        if around.locals == start.locals and around.grad == start.grad or turn == _PASSES - 1:
            break
        start = replace(start, locals=around.locals, grad=around.grad)
    for loose in end.at:
        m.graph.connect(loose, head, back=True)
    m.loops = outer
    ends = [] if leave is False else [end]
    if ends and orelse:
        m.restore(end)
        m.guards = guards
        m.run_block(orelse)
        ends = [m.save()]
    m.join_at([*ends, *scope.breaks])
    m.guards = guards
    if m.at:
        m.at = [Loose(m.graph.add("exit", m.loops, m.at, loop=loop))]


def _jump(m: Machine, stmt: ir.Jump) -> None:
    if stmt.value is not None:
        evaluate(m, stmt.value)
    if stmt.kind != "raise" and m.scopes:
        snapshot = m.save()
        (m.scopes[-1].breaks if stmt.kind == "break" else m.scopes[-1].continues).append(snapshot)
    m.die()


def _return(m: Machine, stmt: ir.Return) -> None:
    value = evaluate(m, stmt.value) if stmt.value is not None else NONE
    if m.at:
        m.frame.returns.append((m.save(), value))
    m.die()


# -- with, try


def _with(m: Machine, stmt: ir.With) -> None:
    _enter_items(m, stmt, 0)


def _enter_items(m: Machine, stmt: ir.With, number: int) -> None:
    if number == len(stmt.items):
        m.run_block(stmt.body)
        return
    expr, target = stmt.items[number]

    def inside(value: Value) -> None:
        if target is not None:
            assign(m, target, value)
        _enter_items(m, stmt, number + 1)

    contexts.enter(m, expr, inside)


def _try(m: Machine, stmt: ir.Try) -> None:
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


def _finally(m: Machine, stmt: ir.Try, snapshot: Snapshot) -> Snapshot:
    m.restore(snapshot)
    m.run_block(stmt.final)
    return m.save()


# -- the rest


def _expr(m: Machine, stmt: ir.ExprStmt) -> None:
    evaluate(m, stmt.value)


def _delete(m: Machine, stmt: ir.Delete) -> None:
    for target in stmt.targets:
        if isinstance(target, ir.Name):
            m.frame.locals.pop(target.id, None)


def _assert(m: Machine, stmt: ir.Assert) -> None:
    evaluate(m, stmt.test)
    _refine(m, stmt.test, True)


def _function_def(m: Machine, stmt: ir.FunctionDef) -> None:
    func = Func(stmt.function, m.frame.module, m.frame if m.frame.depth or m.frame.module.frame is not m.frame else None)
    bind_name(m, stmt.function.name, frozenset({func}))


def _class_def(m: Machine, stmt: ir.ClassDef) -> None:
    bind_name(m, stmt.cls.name, frozenset({ClassRef(stmt.cls, m.frame.module, m.frame if m.frame.depth else None)}))


def _import(m: Machine, stmt: ir.Import) -> None:
    module = m.frame.module
    for item in stmt.names:
        found = m.project.find(module, item.module, item.level) if (item.level or item.module) else None
        if item.name == "*":
            if found is not None:
                calls.load_star(m, found)
                if found not in m.frame.stars:
                    m.frame.stars.append(found)
            continue
        if found is None and not item.level:
            value: Value = frozenset({External(f"{item.module}.{item.name}" if item.name else item.module)})
        else:
            value = frozenset({External(f"import:{module.filename}:{item.level}:{item.module}:{item.name or ''}")})
        bind_name(m, item.bound, value)


def _scope(m: Machine, stmt: ir.Scope) -> None:
    return None


_RUN: dict[type, Callable[[Machine, Any], None]] = {
    ir.Assign: _assign, ir.AugAssign: _aug_assign, ir.ExprStmt: _expr, ir.If: _if, ir.For: _for, ir.While: _while, ir.With: _with, ir.Try: _try,
    ir.Match: _match, ir.Return: _return, ir.Jump: _jump, ir.Delete: _delete, ir.Assert: _assert, ir.FunctionDef: _function_def,
    ir.ClassDef: _class_def, ir.Import: _import, ir.Scope: _scope,
}  # fmt: skip

