"""Evaluation of expressions to abstract values, and of tests to True, False or None."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import libcst as cst

from looplint.domain.objects import Dict, List
from looplint.domain.tensors import combine
from looplint.domain.values import (
    NONE,
    UNKNOWN,
    Arguments,
    ClassRef,
    Const,
    Func,
    Number,
    Params,
    Tensor,
    Tuple,
    Value,
    const,
    constant_of,
    exact_items,
    join,
    ref,
    refs,
)  # fmt: skip
from looplint.interpreter import calls, choices, generators, hooks, loops, objects, settings
from looplint.interpreter.elements import element_of, subscript
from looplint.interpreter.frames import Trace
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.names import attribute, lookup
from looplint.interpreter.operators import binary, compare, is_instance, negated, truth_of
from looplint.knowledge.pytorch import FETCHING
from looplint.syntax import ir


def evaluate(m: Interpreter, expr: ir.Expr) -> Value:
    """Everything the expression can be on the present path; its events are emitted on the way."""
    m.burn()
    return _EVALUATE[type(expr)](m, expr)


def _const(m: Interpreter, expr: ir.Const) -> Value:
    return const(expr.value)


def _name(m: Interpreter, expr: ir.Name) -> Value:
    return lookup(m, m.frame, expr.id)


def _attr(m: Interpreter, expr: ir.Attr) -> Value:
    return attribute(m, evaluate(m, expr.value), expr.attr)


def _call(m: Interpreter, expr: ir.Call) -> Value:
    if isinstance(expr.func, ir.Attr):
        if expr.func.attr in ir.GRADIENT_METHODS and m.at and not m.aside:
            m.reached.gradient_calls.setdefault(expr)
        callee = attribute(m, evaluate(m, expr.func.value), expr.func.attr, called=True)
    else:
        callee = evaluate(m, expr.func)
    args = Arguments()
    for arg in expr.args:
        value = evaluate(m, arg.value)
        if arg.star == "*":
            items = exact_items(value)
            if items is None:
                args.starred = True
                args.positional.append(element_of(m, value))
            else:
                args.positional.extend(items)
        elif arg.star == "**":
            dicts = refs(value, Dict)
            args.starred = args.starred or not (len(value) == 1 and len(dicts) == 1 and dicts[0].exact and not dicts[0].changed)
            for obj in dicts:
                args.keywords.update({k[1:]: v for k, v in obj.heap.items() if k.startswith("=")})
        elif arg.keyword:
            args.keywords[arg.keyword] = value
        else:
            args.positional.append(value)
    if not all(isinstance(a, Func | ClassRef) for a in callee):
        generators.drain(m, args)
    return calls.call(m, callee, args, expr)


def _display(m: Interpreter, expr: ir.Display) -> Value:
    items: list[Value] = []
    exact = True
    for item in expr.items:
        if isinstance(item, ir.Star):
            value = evaluate(m, item.value)
            inner = exact_items(value)
            exact = exact and inner is not None
            items.extend(inner if inner is not None else (element_of(m, value),))
        else:
            items.append(evaluate(m, item))
    if expr.kind == "tuple" and exact:
        return frozenset({Tuple(tuple(items))})
    return ref(objects.new_list(m, expr.node, items, exact=exact and len(items) <= 32))


def _dict(m: Interpreter, expr: ir.DictDisplay) -> Value:
    obj = m.create(Dict, expr.node)
    for key, item in expr.items:
        value = evaluate(m, item)
        for other in refs(value, Dict) if key is None else ():
            for slot, stored in other.heap.items():
                m.write(obj, slot, stored)
        known = constant_of(evaluate(m, key)) if key is not None else None
        if known is not None and isinstance(known.value, str):
            m.write(obj, f"={known.value}", value)
        m.write(obj, "[]", element_of(m, value) if key is None else value)
    obj.exact = all(k is not None for k, _ in expr.items)
    return ref(obj)


def _subscript(m: Interpreter, expr: ir.Subscript) -> Value:
    base = evaluate(m, expr.value)
    index = evaluate(m, expr.index)
    if isinstance(expr.index.node, cst.Slice) and refs(base, List):
        # A part of a list is a list.
        return ref(objects.new_list(m, expr.node, [subscript(m, base, index)], exact=False))
    return subscript(m, base, index)


def _binary(m: Interpreter, expr: ir.Binary) -> Value:
    left, right = evaluate(m, expr.left), evaluate(m, expr.right)
    return binary(m, expr.op, left, right, expr)


def _unary(m: Interpreter, expr: ir.Unary) -> Value:
    value = evaluate(m, expr.operand)
    if expr.op == "not":
        outcome = truth_of(value)
        return UNKNOWN if outcome is None else const(not outcome)
    known = constant_of(value)
    if known is not None and isinstance(known.value, int | float) and expr.op == "-":
        return const(-known.value)
    return frozenset(negated(a) if isinstance(a, Tensor) else a for a in value)


def _compare(m: Interpreter, expr: ir.Compare) -> Value:
    left = evaluate(m, expr.left)
    rights = [evaluate(m, r) for r in expr.rights]
    tensor = combine(m.grad, [left, *rights])
    if tensor is not None and expr.ops[0] not in ("is", "is not"):
        return frozenset({hooks.compared.run(m, tensor, [left, *rights])})
    if len(expr.ops) == 1:
        outcome = compare(expr.ops[0], left, rights[0])
        if outcome is not None:
            return const(outcome)
    return UNKNOWN


def _bool(m: Interpreter, expr: ir.BoolOp) -> Value:
    left = evaluate(m, expr.left)
    outcome = truth_of(left)
    if outcome is not None:
        return left if outcome == (expr.op == "or") else evaluate(m, expr.right)
    before = m.save()
    right = evaluate(m, expr.right)
    m.join_at([before, m.save()])
    kept = frozenset(a for a in left if not (isinstance(a, Const) and not a.value)) if expr.op == "or" else left
    return join(kept, right)


def _if_expression(m: Interpreter, expr: ir.IfExp) -> Value:
    outcome = truth(m, expr.test)
    if outcome is not None:
        return evaluate(m, expr.body if outcome else expr.orelse)
    before, outer = m.save(), m.trace
    m.assume(expr.test, True)
    built = m.trace = Trace()
    body = evaluate(m, expr.body)
    after = m.save()
    m.restore(before)
    m.assume(expr.test, False)
    otherwise = m.trace = Trace()
    orelse = evaluate(m, expr.orelse)
    if _asks_for_tensor(expr.test, expr.orelse):
        orelse = frozenset(a for a in orelse if not isinstance(a, Tensor)) or frozenset({Number()})
    m.join_at([after, m.save()])
    m.guards, m.trace = before.guards, outer
    outer.add(built)
    outer.add(otherwise)
    return choices.either(m, expr, body, orelse, built, otherwise) or join(body, orelse)


def _asks_for_tensor(test: ir.Expr, expr: ir.Expr) -> bool:
    """Whether a test is `hasattr(expr, "item")`: where it does not hold, the expression is no tensor."""
    match test:
        case ir.Call(func=ir.Name(id="hasattr"), args=[ir.Arg(value=asked), ir.Arg(value=ir.Const(value=str(name)))]):
            return name in FETCHING and ir.render(asked) == ir.render(expr)
    return False


def truth(m: Interpreter, expr: ir.Expr) -> bool | None:
    """The outcome of a test where it is the same on every run, else None."""
    if isinstance(expr, ir.BoolOp):
        left = truth(m, expr.left)
        if left is not None and left == (expr.op == "or"):
            return left
        right = truth(m, expr.right)
        if left is None:
            return right if right is not None and right == (expr.op == "or") else None
        return right
    if isinstance(expr, ir.Unary) and expr.op == "not":
        inner = truth(m, expr.operand)
        return None if inner is None else not inner
    if isinstance(expr, ir.Call) and isinstance(expr.func, ir.Name) and expr.func.id == "isinstance" and len(expr.args) == 2:
        return is_instance(evaluate(m, expr.args[0].value), evaluate(m, expr.args[1].value))
    outcome = truth_of(evaluate(m, expr))
    # What the settings of a program switch off is code as much as what they switch on.
    return None if outcome is not None and settings.decide(m, expr) else outcome


def _lambda(m: Interpreter, expr: ir.Lambda) -> Value:
    return frozenset({Func(expr.function, m.frame.module, m.frame)})


def _comprehension(m: Interpreter, expr: ir.Comprehension) -> Value:
    clause = expr.clauses[0]
    iterated = generators.drained(m, evaluate(m, clause.iter))
    items = exact_items(iterated)
    if items is not None and len(expr.clauses) == 1 and not clause.tests and len(items) <= 8 and len(expr.elements) == 1:
        results = []
        for number, item in enumerate(items):
            m.assign(clause.target, item)
            results.append(_in_slot(m, expr.elements[0], number))
        return ref(objects.new_list(m, expr.node, results, exact=True))
    created = set(m.heap.objects)
    values: list[Value] = []
    repeats = not any(ir.paths_in(e) & ir.paths_in(c.target) for e in expr.elements for c in expr.clauses)
    m.comprehensions += 1
    m.repetitions += repeats
    _for_each(m, expr, 0, iterated, values)
    m.comprehensions -= 1
    m.repetitions -= repeats
    for key in m.heap.objects.keys() - created:
        m.heap.objects[key].many = True
    value = values[-1]
    params = [a for a in value if isinstance(a, Params)]
    if params:
        return frozenset(params if not any(c.tests for c in expr.clauses) else [Params(p.sources, False) for p in params])
    if expr.kind == "DictComp":
        obj = m.create(Dict, expr.node)
        m.write(obj, "[]", value)
        return ref(obj)
    return ref(objects.new_list(m, expr.node, [value], exact=False))


def _for_each(m: Interpreter, expr: ir.Comprehension, number: int, iterated: Value, values: list[Value]) -> None:
    """Follow a clause of a comprehension and those in it: `values` gets what the elements are."""
    clause = expr.clauses[number]
    node = expr.node if number == 0 else clause.iter.node
    stmt = ir.For(node, clause.target, clause.iter, [], [], frozenset(ir.paths_in(clause.target)))

    def turn() -> None:
        m.assign(clause.target, element_of(m, iterated))
        for test in clause.tests:
            evaluate(m, test)
        if number + 1 < len(expr.clauses):
            _for_each(m, expr, number + 1, generators.drained(m, evaluate(m, expr.clauses[number + 1].iter)), values)
        else:
            values[:] = [evaluate(m, e) for e in expr.elements]

    loops.for_each(m, stmt, iterated, turn)


def _in_slot(m: Interpreter, expr: ir.Expr, number: int) -> Value:
    """Evaluate an element of an unrolled comprehension; each turn allocates its own objects."""
    ctx = m.frame.ctx
    m.frame.ctx = m.context(ctx, "item", number)
    try:
        return evaluate(m, expr)
    finally:
        m.frame.ctx = ctx


def _star(m: Interpreter, expr: ir.Star) -> Value:
    return evaluate(m, expr.value)


def _yield(m: Interpreter, expr: ir.Yield) -> Value:
    value = evaluate(m, expr.value) if expr.value is not None else NONE
    if expr.delegated:
        value = element_of(m, value)
    m.frame.yields = join(m.frame.yields, value)
    if m.frame.on_yield is not None:
        m.frame.on_yield(value)
    elif m.at:
        m.frame.pauses.append(m.save())
    return UNKNOWN


def _walrus(m: Interpreter, expr: ir.Walrus) -> Value:
    value = evaluate(m, expr.value)
    m.assign(expr.target, value)
    return value


def _format(m: Interpreter, expr: ir.Format) -> Value:
    hooks.shown.run(m, [(part, evaluate(m, part)) for part in expr.parts])
    return UNKNOWN


def _opaque(m: Interpreter, expr: ir.Opaque) -> Value:
    for part in expr.parts:
        evaluate(m, part)
    return UNKNOWN


_EVALUATE: dict[type, Callable[[Interpreter, Any], Value]] = {
    ir.Const: _const, ir.Name: _name, ir.Attr: _attr, ir.Call: _call, ir.Display: _display, ir.DictDisplay: _dict, ir.Subscript: _subscript,
    ir.Binary: _binary, ir.Unary: _unary, ir.Compare: _compare, ir.BoolOp: _bool, ir.IfExp: _if_expression, ir.Lambda: _lambda,
    ir.Comprehension: _comprehension, ir.Star: _star, ir.Yield: _yield, ir.Walrus: _walrus, ir.Format: _format, ir.Opaque: _opaque,
}  # fmt: skip
