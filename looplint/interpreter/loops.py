"""Loops: a body is read until the names at its head stay the same, and its end leads back to the head."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from looplint.domain.values import Iter, Value, constant_of, is_over_loader
from looplint.flow.graph import Loop, Loose
from looplint.interpreter import roles
from looplint.interpreter.carried_graphs import taken_over
from looplint.interpreter.frames import LoopScope, Snapshot, merge
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.usual import usual_turns
from looplint.syntax import ir, last_turn, ranges

_PASSES = 3
# What happens to gradients, parameters and rates: where it is done for each item of something, that is a loop of the training.
_TRAINING = frozenset({"backward", "step", "clear", "schedule", "clip", "update", "freeze", "thaw"})


def for_each(interp: Interpreter, stmt: ir.For, iterated: Value, turn: Callable[[], None]) -> None:
    """Do something for each item of an expression's iterable: a loop of the graph where it trains or goes over batches, else something that may happen."""
    before, length, known = interp.save(), len(interp.graph.nodes), set(interp.heap.objects)
    turn()
    deeds = _TRAINING | {"forward"} if is_over_loader(iterated) or _named_as_loader(stmt.iter) else _TRAINING
    if not any(n.event is not None and n.event.kind in deeds for n in interp.graph.nodes[length:]):
        interp.join_at([before, interp.save()])
        return
    interp.graph.cut(length, [loose.source for loose in before.at])
    interp.restore(before)
    for key in interp.heap.objects.keys() - known:
        del interp.heap.objects[key]  # made once more, in the loop
    comprehensions, interp.comprehensions = interp.comprehensions, 0
    repeat(interp, over(interp, stmt, iterated), [], [], enter=turn, leave=None)
    interp.comprehensions = comprehensions


def _named_as_loader(expr: ir.Expr) -> bool:
    """Whether an iterable, what a call makes one of (`enumerate(loader)`, `tqdm(loader)`), or what is called for it, `IndexLoader(n)`, is named as a loader."""
    iterables = [expr.func, *(a.value for a in expr.args)] if isinstance(expr, ir.Call) else [expr]
    return any(roles.names_a_loader((ir.path_of(each) or "").rpartition(".")[2]) for each in iterables)


def over(interp: Interpreter, stmt: ir.For, iterated: Value) -> Loop:
    """The loop of a `for`, with what it goes over."""
    loop = interp.loop(stmt)
    loop.over = iterated
    loop.iterates = ir.render(stmt.iter)
    loop.counting = ranges.counted_range(stmt.iter, interp.frame.function)
    loop.targets = frozenset(ir.paths_in(stmt.target))
    loop.bound = frozenset().union(*(a.bound for a in iterated if isinstance(a, Iter)))
    loop.counted = _counted(interp, stmt.iter)
    loop.usual = usual_turns(interp, stmt.iter)
    loop.once = _runs_once(interp, stmt.iter)
    return loop


def _runs_once(interp: Interpreter, iterable: ir.Expr) -> bool:
    """Whether an iterable is `range(1)`, also of a name that is given that number: no turn follows the first."""
    match iterable:
        case ir.Call(func=ir.Name(id="range"), args=[ir.Arg(value=ir.Const() | ir.Name() | ir.Attr() as count)]):
            known = constant_of(interp.seen(count))
            return known is not None and known.value == 1
    return False


def _counted(interp: Interpreter, iterable: ir.Expr) -> Value:
    """What an iterable takes the length of."""
    calls = [e for e in ir.walk(iterable) if isinstance(e, ir.Call) and isinstance(e.func, ir.Name) and e.func.id == "len"]
    found: Value = frozenset()
    for measured in (arg.value for call in calls for arg in call.args if ir.path_of(arg.value)):
        found |= interp.seen(measured)
    return found


def repeat(
    interp: Interpreter,
    loop: Loop,
    body: list[ir.Stmt],
    orelse: list[ir.Stmt],
    *,
    enter: Callable[[], None],
    leave: bool | None,
    last: Callable[[], None] | None = None,
) -> None:
    """Read a loop's body until the names at its head stay the same, then lead its end back to the head.

    A loop is taken to run at least once: one that does not is no training. `last` enters the last turn, where that is told from the others.
    """
    guards = interp.guards
    outer = interp.loops
    interp.loops = (*outer, loop)
    head = interp.graph.add("head", interp.loops, interp.at, loop=loop)
    interp.at = [Loose(head)]
    length = len(interp.graph.nodes)
    entry = interp.save()
    start = _read_before(interp, loop, entry)
    returned, paused, stuck = len(interp.frame.returns), len(interp.frame.pauses), len(interp.frame.endless)
    for turn in range(_PASSES):
        interp.graph.cut(length)
        del interp.frame.returns[returned:], interp.frame.pauses[paused:], interp.frame.endless[stuck:]
        scope, end = _turn(interp, start, enter, body)
        if not end.alive or loop.once:
            break
        around = _with(start, end)
        if _brings_no_more(around, start) or turn == _PASSES - 1:
            break
        start = around
    if outer:
        interp.heads[loop] = (entry, start)
    if loop.retains:
        loop.carried, loop.carries_roots = taken_over(interp, body, (start, end))
    if last is not None and end.alive and not scope.breaks:
        scope, end = _turn(interp, replace(start, at=end.at), last, body)
    loop.repeats = end.alive and not loop.once
    for loose in _turning(interp, loop, end) if loop.repeats else ():
        interp.graph.connect(loose, head, back=True)
    interp.loops = outer
    ends = [] if leave is False else [end]
    if not ends and not scope.breaks and end.alive:
        interp.frame.endless.append(end)
    if ends and orelse:
        interp.restore(end)
        interp.guards = guards
        interp.run_block(orelse)
        ends = [interp.save()]
    interp.join_at([*ends, *scope.breaks])
    interp.guards = guards
    if interp.at:
        interp.at = [Loose(interp.graph.add("exit", interp.loops, interp.at, loop=loop))]


def _turning(interp: Interpreter, loop: Loop, end: Snapshot) -> list[Loose]:
    """The ways from the end of a turn to another one: not those of the last, where a condition has told that from the others."""
    told = last_turn.by_loop(interp.frame.function).get(id(loop.stmt), ())
    if not told:
        return end.at
    with interp.looking():
        interp.restore(end)
        for test, outcome in told:
            interp.assume(test, not outcome)
        return interp.at


def _read_before(interp: Interpreter, loop: Loop, entry: Snapshot) -> Snapshot:
    """What holds at a loop's head, as far as that is known: where the loop around it is read again, and has brought more to it, all that its own turns brought before."""
    if loop not in interp.heads:
        return entry
    before, head = interp.heads[loop]
    return _with(entry, head) if _brings_no_more(_with(entry, before), entry) else entry


def _with(start: Snapshot, other: Snapshot) -> Snapshot:
    """The way to a loop's head, with what names and paths bring there from elsewhere as well."""
    both = merge([replace(start, at=[Loose(0)]), replace(other, at=[Loose(0)])])
    return replace(start, locals=both.locals, grad=both.grad, constants=both.constants)


def _brings_no_more(joined: Snapshot, start: Snapshot) -> bool:
    """Whether nothing is known to hold at a loop's head that did not hold on one of the ways to it."""
    return joined.locals == start.locals and joined.grad == start.grad and joined.constants == start.constants


def _turn(interp: Interpreter, start: Snapshot, enter: Callable[[], None], body: list[ir.Stmt]) -> tuple[LoopScope, Snapshot]:
    """Follow a loop's body once: where its jumps lead, and how the turn ends."""
    interp.restore(start)
    scope = LoopScope()
    interp.scopes.append(scope)
    enter()
    interp.run_block(body)
    interp.scopes.pop()
    return scope, merge([interp.save(), *scope.continues])
