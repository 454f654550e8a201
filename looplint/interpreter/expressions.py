"""Evaluation of expressions to abstract values, and of tests to True, False or None."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import libcst as cst

from looplint.domain.call_string import TURN
from looplint.domain.objects import Dict, List
from looplint.domain.tensors import combine
from looplint.domain.texts import a_text
from looplint.domain.values import (
    NONE,
    UNKNOWN,
    Arguments,
    Atom,
    ClassRef,
    Const,
    Func,
    Number,
    Params,
    Ref,
    Tensor,
    Tuple,
    Unknown,
    Value,
    const,
    constant_of,
    exact_items,
    join,
    ref,
    refs,
)  # fmt: skip
from looplint.interpreter import (
    absent,
    allowances,
    alternatives,
    calls,
    choices,
    endings,
    generators,
    gradient_uses,
    hooks,
    instances,
    iterators,
    loops,
    objects,
    outside,
    settings,
    signatures,
    spread,
)
from looplint.interpreter.elements import cut, element_of, last_of, loaders_in, subscript
from looplint.interpreter.frames import Trace
from looplint.interpreter.interpreter import Interpreter, OutOfFuel
from looplint.interpreter.names import attribute, lookup
from looplint.interpreter.operators import binary, compare, negated, truth_of
from looplint.knowledge.pytorch import FETCHING
from looplint.knowledge.schedules import PLACES, RATES
from looplint.syntax import ir


def evaluate(interp: Interpreter, expr: ir.Expr) -> Value:
    """Everything the expression can be on the present path; its events are emitted on the way."""
    interp.fuel -= 1  # as `burn` does
    if interp.fuel < interp.floor:
        raise OutOfFuel
    return _EVALUATE[type(expr)](interp, expr)


def _const(interp: Interpreter, expr: ir.Const) -> Value:
    return const(expr.value)


def _name(interp: Interpreter, expr: ir.Name) -> Value:
    return alternatives.possible_in(interp, lookup(interp, interp.frame, expr.id))


def _attr(interp: Interpreter, expr: ir.Attr) -> Value:
    with gradient_uses.of_attribute(interp.gradients, expr):
        owner = evaluate(interp, expr.value)
    if absent.is_asked_of_none(interp, owner, expr.value, expr) or absent.is_missing(interp, owner, expr):
        return UNKNOWN
    if expr.attr in PLACES or expr.attr in RATES:
        hooks.place_asked.run(interp, expr, owner)
    value = alternatives.possible_in(interp, attribute(interp, owner, expr.attr))
    for atom in value:
        if type(atom) is Unknown and atom.parameters:
            return outside.kept(interp, owner, expr, value)
    return value


def _call(interp: Interpreter, expr: ir.Call) -> Value:
    if interp.at and not interp.aside and ir.gradient_kind(expr) is not None:
        interp.reached.gradient_calls.setdefault(expr)
    elif interp.reached.endings and interp.at and not interp.aside:
        interp.reached.behind.add(expr)
    receiver = None
    if isinstance(expr.func, ir.Attr):
        if isinstance(expr.func.value, ir.Name):
            receiver = evaluate(interp, expr.func.value)
        else:
            with gradient_uses.of_call(interp.gradients, expr):
                receiver = evaluate(interp, expr.func.value)
        asked = expr.func.value
        if absent.is_asked_of_none(interp, receiver, asked, expr.func) or absent.is_asked_of_number(interp, receiver, asked, expr.func):
            return UNKNOWN
        if absent.is_missing(interp, receiver, expr.func):
            return UNKNOWN
        receiver = absent.without_containers(interp, receiver, expr.func)
        callee = attribute(interp, receiver, expr.func.attr, called=True)
    else:
        callee = evaluate(interp, expr.func)
    if absent.is_asked_of_none(interp, callee, expr.func, expr):
        return UNKNOWN
    if ir.gradient_kind(expr) == "backward" and interp.at and not interp.aside:
        allowances.note_callees(interp, expr, callee)
    args = Arguments()
    measures = gradient_uses.measures(expr)
    for arg in expr.args:
        if measures:
            with gradient_uses.of_argument(interp.gradients, arg.value):
                value = evaluate(interp, arg.value)
        else:
            value = evaluate(interp, arg.value)
        if arg.star == "*":
            items = exact_items(value)
            if items is None:
                item = element_of(interp, value)
                spread.note(args, item)
                args.positional.append(item)
            else:
                args.positional.extend(items)
            args.last = last_of(value)
        elif arg.star == "**":
            dicts = refs(value, Dict)
            args.starred = args.starred or not (len(value) == 1 and len(dicts) == 1 and dicts[0].exact and not dicts[0].changed)
            if args.starred and isinstance(arg.value, ir.Call):
                args.keywords.update(_gone_through(interp, arg.value))
            for obj in dicts:
                args.keywords.update({k[1:]: v for k, v in obj.heap.items() if k.startswith("=")})
            if args.starred:
                spread.note(args, value)
                args.of_callers = spread.is_of_callers(interp.frame, expr, arg.value, value)
        elif arg.keyword:
            args.keywords[arg.keyword] = value
        else:
            args.positional.append(value)
            args.last = value
    for atom in callee:
        if not isinstance(atom, (Func, ClassRef)):
            generators.drain(interp, args)
            break
    if complaint := signatures.misfit(interp, receiver, callee, expr):
        endings.end_there(interp, f"`{ir.render(expr.func)}(...)` ends in a TypeError: {complaint}", expr)
        return UNKNOWN
    return calls.call(interp, signatures.fitting(interp, receiver, callee, expr), args, expr)


def _gone_through(interp: Interpreter, made: ir.Call) -> dict[str, Value]:
    """The objects that a dict of which not all is known holds by the names under which the call that makes it got them: `**merged(config, optimizer=optimizer)`."""
    given = {arg.keyword: arg.value for arg in made.args if arg.keyword and isinstance(arg.value, ir.Name | ir.Attr)}
    with interp.looking(), interp.gradients.unread():
        values = {name: evaluate(interp, value) for name, value in given.items()}
    return {name: value for name, value in values.items() if value != NONE and _are_objects(value)}


def _are_objects(value: Value) -> bool:
    """Whether something is an object, or several in a tuple, or None in their place."""
    return all(any(map(_are_objects, a.items)) if isinstance(a, Tuple) else isinstance(a, Ref) or a in NONE for a in value)


def _display(interp: Interpreter, expr: ir.Display) -> Value:
    items: list[Value] = []
    exact = True
    for item in expr.items:
        if isinstance(item, ir.Star):
            value = evaluate(interp, item.value)
            inner = exact_items(value)
            exact = exact and inner is not None
            items.extend(inner if inner is not None else (element_of(interp, value),))
        else:
            items.append(evaluate(interp, item))
    if expr.kind == "tuple" and exact:
        return frozenset({Tuple(tuple(items))})
    return ref(objects.new_list(interp, expr.node, items, exact=exact and len(items) <= 32))


def _dict(interp: Interpreter, expr: ir.DictDisplay) -> Value:
    obj = interp.create(Dict, expr.node)
    for key, item in expr.items:
        value = evaluate(interp, item)
        for other in refs(value, Dict) if key is None else ():
            for slot, stored in other.heap.items():
                interp.write(obj, slot, stored)
        known = constant_of(evaluate(interp, key)) if key is not None else None
        if known is not None and isinstance(known.value, str):
            interp.write(obj, f"={known.value}", value)
        interp.write(obj, "[]", element_of(interp, value) if key is None else value)
    obj.exact = all(k is not None for k, _ in expr.items)
    return ref(obj)


def _subscript(interp: Interpreter, expr: ir.Subscript) -> Value:
    base = evaluate(interp, expr.value)
    index = evaluate(interp, expr.index)
    if absent.is_asked_of_none(interp, base, expr.value, expr) or absent.is_no_key(interp, base, expr):
        return UNKNOWN
    if isinstance(expr.index.node, cst.Slice):
        cuts = expr.index.node.lower is not None or expr.index.node.upper is not None
        inner = cut(subscript(interp, base, index, expr)) if cuts else subscript(interp, base, index, expr)
        # A part of a list is a list.
        return ref(objects.new_list(interp, expr.node, [inner], exact=False)) if refs(base, List) else inner
    return subscript(interp, base, index, expr)


def _binary(interp: Interpreter, expr: ir.Binary) -> Value:
    left, right = evaluate(interp, expr.left), evaluate(interp, expr.right)
    return binary(interp, expr.op, left, right, expr)


def _unary(interp: Interpreter, expr: ir.Unary) -> Value:
    value = evaluate(interp, expr.operand)
    if expr.op == "not":
        outcome = truth_of(value)
        return UNKNOWN if outcome is None else const(not outcome)
    known = constant_of(value)
    if known is not None and isinstance(known.value, int | float) and expr.op == "-":
        return const(-known.value)
    return frozenset(negated(a) if isinstance(a, Tensor) else a.result() if isinstance(a, Params) else a for a in value)


def _compare(interp: Interpreter, expr: ir.Compare) -> Value:
    with gradient_uses.of_comparison(interp.gradients, expr):
        left = evaluate(interp, expr.left)
    rights = [evaluate(interp, r) for r in expr.rights]
    tensor = combine(interp.grad, [left, *rights])
    if tensor is not None and expr.ops[0] not in ("is", "is not"):
        return frozenset({hooks.compared.run(interp, tensor, [left, *rights])})
    if len(expr.ops) == 1:
        outcome = compare(expr.ops[0], left, rights[0])
        if outcome is not None:
            return const(outcome)
    return UNKNOWN


def _bool(interp: Interpreter, expr: ir.BoolOp) -> Value:
    left = evaluate(interp, expr.left)
    outcome = truth_of(left)
    if outcome is not None:
        return left if outcome == (expr.op == "or") else evaluate(interp, expr.right)
    before = interp.save()
    right = evaluate(interp, expr.right)
    interp.join_at([before, interp.save()])
    kept = frozenset(a for a in left if not (isinstance(a, Const) and not a.value)) if expr.op == "or" else left
    return choices.or_built(interp, expr, kept, right) or join(kept, right)


def _if_expression(interp: Interpreter, expr: ir.IfExp) -> Value:
    outcome = truth(interp, expr.test)
    if outcome is not None:
        taken, other = (expr.body, expr.orelse) if outcome else (expr.orelse, expr.body)
        value = evaluate(interp, taken)
        return _no_tensor(value) if _reads_number(other, taken) else value
    before, outer = interp.save(), interp.trace
    interp.assume(expr.test, True)
    built = interp.trace = Trace()
    body = evaluate(interp, expr.body)
    after = interp.save()
    interp.restore(before)
    interp.assume(expr.test, False)
    otherwise = interp.trace = Trace()
    orelse = evaluate(interp, expr.orelse)
    if _asks_for_tensor(expr.test, expr.orelse) or _reads_number(expr.body, expr.orelse):
        orelse = _no_tensor(orelse)
    elif _reads_number(expr.orelse, expr.body):
        body = _no_tensor(body)
    interp.join_at([after, interp.save()])
    interp.guards, interp.trace = before.guards, outer
    outer.add(built)
    outer.add(otherwise)
    either = choices.either(interp, expr, body, orelse, built, otherwise)
    return either or choices.decided(interp, after.guards[len(before.guards)], body, orelse)


def _no_tensor(value: Value) -> Value:
    return frozenset(a for a in value if not isinstance(a, Tensor)) or frozenset({Number()})


def _reads_number(one: ir.Expr, other: ir.Expr) -> bool:
    """Whether an expression reads the number of what another one is: `loss.item() if started else loss` takes what is no tensor as it is."""
    match one:
        case ir.Call(func=ir.Attr(value=owner, attr=name), args=[]):
            return name in FETCHING and ir.render(owner) == ir.render(other)
        case ir.Call(func=ir.Name(id="float" | "int" | "round"), args=[ir.Arg(value=inner), *_]):
            return _reads_number(inner, other)
    return False


def _asks_for_tensor(test: ir.Expr, expr: ir.Expr) -> bool:
    """Whether a test is `hasattr(expr, "item")`: where it does not hold, the expression is no tensor."""
    match test:
        case ir.Call(func=ir.Name(id="hasattr"), args=[ir.Arg(value=owner), ir.Arg(value=ir.Const(value=str(name)))]):
            return name in FETCHING and ir.render(owner) == ir.render(expr)
    return False


def truth(interp: Interpreter, expr: ir.Expr) -> bool | None:
    """The outcome of a test where it is the same on every run, else None."""
    if isinstance(expr, ir.BoolOp):
        left = truth(interp, expr.left)
        if left is not None and left == (expr.op == "or"):
            return left
        before, ended = interp.save(), len(interp.reached.endings)
        right = truth(interp, expr.right)
        if left is None and before.alive and not interp.alive:
            # Only the paths go on on which the left side decides: `"file" not in options or options["file"] is None`.
            interp.restore(before)
            endings.pass_by_operand(interp, expr.right, interp.reached.endings[ended:])
            return expr.op == "or"
        if left is None:
            return right if right is not None and right == (expr.op == "or") else None
        return right
    if isinstance(expr, ir.Unary) and expr.op == "not":
        inner = truth(interp, expr.operand)
        return None if inner is None else not inner
    asked = instances.asked_by(interp, expr)
    if asked is None and isinstance(expr, ir.Compare) and (outcome := instances.of_type(interp, expr)) is not None:
        return outcome
    if asked is not None:
        tested, given = asked
        return instances.is_instance(interp, evaluate(interp, tested), given)
    outcome = truth_of(evaluate(interp, expr))
    # What the settings of a program switch off is code as much as what they switch on.
    return None if outcome is not None and settings.decide(interp, expr) else outcome


def _lambda(interp: Interpreter, expr: ir.Lambda) -> Value:
    interp.enclosing.add(interp.frame)
    return frozenset({Func(expr.function, interp.frame.module, interp.frame)})


def _comprehension(interp: Interpreter, expr: ir.Comprehension) -> Value:
    clause = expr.clauses[0]
    iterated = generators.drained(interp, evaluate(interp, clause.iter))
    if expr.kind != "GeneratorExp":
        iterators.exhaust(interp, iterated, clause.iter.node, "loop", clause.iter)
    items = exact_items(iterated)
    if items is not None and len(expr.clauses) == 1 and not clause.tests and len(items) <= 8 and len(expr.elements) == 1:
        results = []
        for number, item in enumerate(items):
            interp.assign(clause.target, item)
            results.append(_in_slot(interp, expr.elements[0], number))
        return ref(objects.new_list(interp, expr.node, results, exact=True))
    created = set(interp.heap.objects)
    values: list[Value] = []
    repeats = not any(ir.paths_in(e) & ir.paths_in(c.target) for e in expr.elements for c in expr.clauses)
    interp.comprehensions += 1
    interp.repetitions += repeats
    _for_each(interp, expr, 0, iterated, values)
    interp.comprehensions -= 1
    interp.repetitions -= repeats
    for key in interp.heap.objects.keys() - created:
        interp.heap.objects[key].many = True
    value = values[-1]
    params = [a for a in value if isinstance(a, Params)]
    if params:
        some = any(c.tests for c in expr.clauses)
        found = frozenset[Atom](Params(p.sources, exact=False, form=p.listed().form) if some else p.listed() for p in params)
        return iterators.lazily(found, choosing=some) if expr.kind == "GeneratorExp" else found
    if expr.kind == "DictComp":
        obj = interp.create(Dict, expr.node)
        obj.picks = any(c.tests for c in expr.clauses)
        interp.write(obj, "[]", value)
        return ref(obj)
    return ref(objects.new_list(interp, expr.node, [value], exact=False))


def _for_each(interp: Interpreter, expr: ir.Comprehension, number: int, iterated: Value, values: list[Value]) -> None:
    """Follow a clause of a comprehension and those in it: `values` gets what the elements are."""
    clause = expr.clauses[number]
    node = expr.node if number == 0 else clause.iter.node
    stmt = ir.For(node, clause.target, clause.iter, [], [], frozenset(ir.paths_in(clause.target)))

    def turn() -> None:
        interp.assign(clause.target, element_of(interp, iterated))
        for test in clause.tests:
            evaluate(interp, test)
        if number + 1 < len(expr.clauses):
            _for_each(interp, expr, number + 1, generators.drained(interp, evaluate(interp, expr.clauses[number + 1].iter)), values)
        else:
            values[:] = [evaluate(interp, e) for e in expr.elements]

    loops.for_each(interp, stmt, iterated, turn)


def _in_slot(interp: Interpreter, expr: ir.Expr, number: int) -> Value:
    """Evaluate an element of an unrolled comprehension; each turn allocates its own objects."""
    ctx = interp.frame.ctx
    interp.frame.ctx = interp.context(ctx, TURN, "item", number)
    try:
        return evaluate(interp, expr)
    finally:
        interp.frame.ctx = ctx


def _star(interp: Interpreter, expr: ir.Star) -> Value:
    return evaluate(interp, expr.value)


def _yield(interp: Interpreter, expr: ir.Yield) -> Value:
    value = evaluate(interp, expr.value) if expr.value is not None else NONE
    around = interp.loops[len(interp.frame.entered) :]
    if expr.delegated:
        if not around:
            interp.frame.passes |= loaders_in(value)
        value = element_of(interp, value)
    elif len(around) == 1:
        interp.frame.passes |= loaders_in(around[0].over)
    interp.frame.yields = join(interp.frame.yields, value)
    if interp.frame.on_yield is not None:
        interp.frame.on_yield(value)
    elif interp.at:
        interp.frame.pauses.append(interp.save())
    return UNKNOWN


def _walrus(interp: Interpreter, expr: ir.Walrus) -> Value:
    value = evaluate(interp, expr.value)
    interp.assign(expr.target, value)
    return value


def _format(interp: Interpreter, expr: ir.Format) -> Value:
    hooks.shown.run(interp, [(part, evaluate(interp, part)) for part in expr.parts])
    return a_text(expr.begins, expr.ends)


def _opaque(interp: Interpreter, expr: ir.Opaque) -> Value:
    for part in expr.parts:
        evaluate(interp, part)
    return UNKNOWN


_EVALUATE: dict[type, Callable[[Interpreter, Any], Value]] = {
    ir.Const: _const, ir.Name: _name, ir.Attr: _attr, ir.Call: _call, ir.Display: _display, ir.DictDisplay: _dict, ir.Subscript: _subscript,
    ir.Binary: _binary, ir.Unary: _unary, ir.Compare: _compare, ir.BoolOp: _bool, ir.IfExp: _if_expression, ir.Lambda: _lambda,
    ir.Comprehension: _comprehension, ir.Star: _star, ir.Yield: _yield, ir.Walrus: _walrus, ir.Format: _format, ir.Opaque: _opaque,
}  # fmt: skip
