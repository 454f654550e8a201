"""Gradient accumulation: steps that use the gradients of several batches."""

from __future__ import annotations

from collections.abc import Iterator

from looplint.dataclass import dataclass, replace
from looplint.domain.objects import Accelerator, Container, Module, Obj, Optimizer
from looplint.domain.tags import Chunked
from looplint.domain.values import Const as Known
from looplint.domain.values import Iter, Ref, Tensor, Tuple, Value, constant_of
from looplint.flow.automaton import Automaton
from looplint.flow.events import Accumulate, Backward, Clear, Clip, Event, Schedule, Step
from looplint.flow.graph import Guard, Loop
from looplint.knowledge.layers import BATCH_NORM_MODELS, BATCH_NORMS
from looplint.knowledge.pytorch import SCALE_FREE
from looplint.queries.program import Program
from looplint.regex import regex
from looplint.syntax.ir import (
    Assign,
    Attr,
    Binary,
    BoolOp,
    Call,
    Compare,
    Const,
    Expr,
    If,
    With,
    expressions,
    path_of,
    paths_in,
    render,
    statements,
    walk,
)

# How many backwards have added to the gradients since they were cleared.
_SUMMING = Automaton(
    start="none",
    arrows={("*", "clear"): "none", ("none", "backward"): "one", ("one", "backward"): "more", ("*", "step"): "none"},
    reads=frozenset({"step"}),
)
# Whether gradients have been cleared in this turn of the loop, on the way to a backward.
_CLEARED_ABOVE = Automaton(
    start="kept",
    arrows={("*", "clear"): "cleared", ("*", "step"): "kept", ("cleared", "iterate"): "kept"},
    reads=frozenset({"backward"}),
)
_GETS_A_BATCH = regex(r"_?(get|next|sample|fetch|draw|load)_?(\w+_)?(mini)?_?batch(es)?")
_COUNTED = regex(r"range\(([\w.]+)\)")


def accumulated(program: Program, step: Event) -> str | None:
    """How many batches a step uses the gradients of, as the text says it: the k of `(i + 1) % k == 0`; None where it is every one."""
    optimizer = _applying(step)
    loop = step.loops[-1] if step.loops else None
    if optimizer is None or loop is None or loop not in program.batch_loops:
        return None
    every = _periodic(step)
    if every is None or _used_each_time(program, optimizer, loop) or _made_at_once(program, optimizer, step, every[1]):
        return None
    if len(_periods(step)) > 1:
        return None  # as many batches as several conditions together let pass
    return every[0] if _adds_up(program, optimizer, step) else None


def _applying(step: Event) -> Optimizer | None:
    """The optimizer of a step, where that applies gradients."""
    optimizer = next(iter(step.subjects), None)
    return optimizer if isinstance(optimizer, Optimizer) and _uses_gradients(optimizer) else None


def _uses_gradients(obj: Obj) -> bool:
    return not isinstance(obj, Optimizer) or obj.uses_gradients


def steps_in_each(program: Program, step: Event, event: Event, loop: Loop) -> bool:
    """Whether a step is made in each turn of a loop in which an event is: on all batches of a loop within, or once in k of them."""
    own = [guard for guard in program.varying(step, loop) if guard not in event.guards]
    return not own or (
        step.loops[-1] is not loop and all(g.depth >= len(step.loops) and period(g, step.loops[-1]) is not None for g in own)
    )


def added_up(program: Program, step: Event) -> tuple[str, Loop] | None:
    """How many backwards a step uses that should be one, and the loop of which each turn makes one; None where it uses a single one.

    The step is made once in k batches, or after a loop of its own over k batches or over the k parts of one.
    """
    every = accumulated(program, step)
    if every is not None:
        return every, step.loops[-1]
    optimizer = _applying(step)
    outer = step.loops[-1] if step.loops else None
    if optimizer is None or outer is None or not program.every_iteration(step, outer):
        return None
    inside = [e for e in program.of(Backward) if e.loops and e.loops[-1].parent is outer and e.index <= step.index]
    if not inside:
        return None
    within = [e for e in program.of(Clear, Step) if outer in e.loops and e.loops[-1] is not outer and program.touches(e, optimizer)]
    cleared = [
        e for e in program.of(Clear) if e.loops[-1:] == (outer,) and program.touches(e, optimizer) and program.every_iteration(e, outer)
    ]
    for backward in inside if cleared and not within else ():
        inner = backward.loops[-1]
        times = _turns(inner) if program.touches(backward, optimizer) and program.every_iteration(backward, inner) else None
        if times is not None:
            return times, inner
    return None


def may_be_one(step: Event, every: str) -> bool:
    """Whether the k of a step that its condition lets pass once in k batches may be 1: it is a name of which the text has no number above that."""
    periods = [g for g in step.guards if every in g.names and step.loops and period(g, step.loops[-1]) == every]
    return bool(periods) and not any(every in g.several for g in periods)


def _turns(loop: Loop) -> str | None:
    """How often a loop turns, as the text says it, where each turn takes another batch from a loader, or a part of the same one."""
    counted = _COUNTED.fullmatch(loop.iterates)
    if counted is not None and takes_batches(loop):
        return counted[1]
    chunks = [tag for tensor in _gone_over(loop.over) for tag in tensor.tags if isinstance(tag, Chunked)]
    return chunks[0].number if len({tag.size or tag.number for tag in chunks}) == 1 else None


def takes_batches(loop: Loop) -> bool:
    """Whether each turn gets another batch: from an iterator over a loader, or from a function that is named after that, `x, y = get_batch("train")`."""
    if loop.draws:
        return True
    written = loop.stmt.body if loop.stmt is not None else ()
    calls = [stmt.value for stmt in written if isinstance(stmt, Assign) and isinstance(stmt.value, Call)]
    return any(_GETS_A_BATCH.fullmatch((path_of(call.func) or "").rpartition(".")[2].lower()) for call in calls)


def _gone_over(value: Value) -> list[Tensor]:
    """The tensors that a loop goes over, alone or side by side."""
    found = []
    for atom in value:
        match atom:
            case Tensor():
                found.append(atom)
            case Iter(element=element):
                found.extend(_gone_over(element))
            case Tuple(items=items):
                found.extend(tensor for item in items for tensor in _gone_over(item))
    return found


def evens_out(program: Program, optimizer: Optimizer) -> bool:
    """Whether the size of all gradients together makes no difference: the optimizer divides by it, and nothing clips them."""
    return optimizer.qualname.rpartition(".")[2] in SCALE_FREE and not any(program.touches(e, optimizer) for e in program.of(Clip))


def clipped_before(program: Program, optimizer: Optimizer, step: Event, loop: Loop) -> bool:
    """Whether gradients are clipped in turns of a loop that make no step: what they add up to has a size of its own."""
    clips = [e for e in program.of(Clip) if loop in e.loops and program.touches(e, optimizer)]
    conditions = [(render(g.test), g.held) for _, g in _periods(step)] if loop in step.loops else []
    return any(loop not in step.loops or not {*conditions} <= {(render(g.test), g.held) for g in clip.guards} for clip in clips)


def left_over(program: Program, step: Event) -> bool:
    """Whether a step that uses several batches leaves some over at the end of an epoch: it counts the batches of each, and steps for no other reason."""
    loop = step.loops[-1]
    guards = [g for g in step.guards if g.depth >= len(step.loops)]
    counted = loop.iterates.startswith("enumerate(") and bool(guards) and bool(guards[0].names & loop.targets)
    return counted and len(guards) == 1 and not isinstance(guards[0].test, BoolOp)


def stepped_with(program: Program, event: Schedule, optimizer: Optimizer) -> tuple[str, Step] | None:
    """Of a schedule's step that is made with an optimizer's step once in k batches: the k, and that step."""
    for step in program.of(Step):
        if optimizer in step.subjects and step.certain and step.loops == event.loops and accumulated(program, step):
            every = _periodic(step)
            if every is not None and _is_under(event, every[1]):
                return every[0], step
    return None


def thrown_away(program: Program, step: Step) -> tuple[str, Clear, Backward] | None:
    """Of a step made once in k batches whose gradients are cleared for every single one: the k, the clear, and the backward that it undoes.

    Only where one optimizer is all that the loop steps, and each batch has the same backward: a step that has its own under its condition
    uses all that it makes, and one of two optimizers may be meant to step less often than its loss is computed.
    """
    optimizer = _applying(step)
    loop = step.loops[-1] if step.loops else None
    if optimizer is None or loop is None or loop not in program.batch_loops or not step.certain:
        return None
    every = _periodic(step)
    backwards = [e for e in program.of(Backward) if loop in e.loops]
    regular = all(e.loops[-1] is loop and program.every_iteration(e, loop) and program.touches(e, optimizer) for e in backwards)
    if every is None or not backwards or not regular or any(loop in e.loops and e.site != step.site for e in program.of(Step)):
        return None
    times, guard = every
    last = backwards[-1]
    for clear in program.of(Clear):
        between = last.index < clear.index < step.index  # this one leaves the step nothing at all
        apart = not _is_under(clear, guard) and not between
        found = clear.loops[-1:] == (loop,) and clear.certain and apart and program.touches(clear, optimizer)
        if found and program.every_iteration(clear, loop):
            return times, clear, last
    return None


def cleared_too_soon(program: Program, step: Step) -> tuple[str, Clear, Backward] | None:
    """Of a step made once in k batches whose gradients are only cleared in that turn, above its backward: as for `thrown_away`."""
    loop = step.loops[-1] if step.loops else None
    every = _periodic(step) if loop is not None and loop in program.batch_loops and step.certain else None
    backwards = [e for e in program.of(Backward) if loop in e.loops]
    clears = [e for e in program.of(Clear) if loop in e.loops]
    if loop is None or every is None or len(backwards) != 1 or len(clears) != 1:
        return None
    times, guard = every
    backward, clear = backwards[0], clears[0]
    regular = backward.loops[-1] is loop and program.every_iteration(backward, loop) and clear.loops[-1] is loop and clear.certain
    same = clear.subjects == step.subjects and all(program.touches(backward, o) and _uses_gradients(o) for o in step.subjects)
    if regular and same and clear.index < backward.index < step.index and _holds_alike(clear, guard, loop):
        return times, clear, backward
    return None


def cleared_in_accumulate(program: Program) -> Iterator[tuple[Clear, Backward, list[Step]]]:
    """The clears before the backward in an accelerator's `accumulate()`, with that backward and the steps of the block: that after it first.

    A prepared optimizer leaves its gradients alone there until the last of k batches. Then it takes away those of all before, and steps on this one's.
    """
    told = [o.accumulates for o in program.heap.objects.values() if isinstance(o, Accelerator)]
    numbers = [constant_of(value) if value is not None else Known(1, int) for value in told]
    if not told or any(n is not None and (not isinstance(n.value, int) or n.value <= 1) for n in numbers):
        return
    for optimizer in program.optimizers:
        for visit in program.run(_CLEARED_ABOVE, optimizer):
            clears = {s.last(Clear) for s in visit.sometimes("cleared")}
            clear = clears.pop() if len(clears) == 1 and visit.always("cleared") else None
            backward = visit.event
            if clear is None or not isinstance(backward, Backward) or backward.via != "accelerator" or not clear.certain:
                continue
            inside = _accumulated_with(clear)
            steps = [e for e in program.of(Step) if optimizer in e.subjects and id(e.site.node) in inside]
            after = next((e for e in steps if e.index > backward.index), None)
            if id(backward.site.node) in inside and after is not None and after.certain:
                yield clear, backward, [after, *(e for e in steps if e is not after)]


def _accumulated_with(event: Event) -> frozenset[int]:
    """The nodes of the body of `with accelerator.accumulate(...)` that an event stands in; none where it stands in no such block."""
    loop = event.loops[-1] if event.loops else None
    written = statements(loop.stmt.body) if loop is not None and loop.stmt is not None else ()
    for stmt in written:
        if isinstance(stmt, With) and any(
            isinstance(e, Call) and isinstance(e.func, Attr) and e.func.attr == "accumulate" for e, _ in stmt.items
        ):
            inside = frozenset(id(e.node) for each in statements(stmt.body) for e in walk(*expressions(each)))
            if id(event.site.node) in inside:
                return inside
    return frozenset()


def set_back_at_updates(program: Program, total: Accumulate) -> bool:
    """Whether the branch in which an optimizer steps sets a sum back: it is the sum of the batches of one update."""
    steps = {id(e.site.node) for e in program.of(Step)}
    written = (s for loop in total.carried if loop.stmt is not None for s in statements(loop.stmt.body))
    branches = (branch for stmt in written if isinstance(stmt, If) for branch in (stmt.body, stmt.orelse))
    return any(
        any(isinstance(s, Assign) and isinstance(s.value, Const) and total.target in map(render, s.targets) for s in branch)
        and any(id(e.node) in steps for s in statements(branch) for e in walk(*expressions(s)))
        for branch in branches
    )


@dataclass(frozen=True, slots=True)
class Wasted:
    """Gradients that are meant to add up to a step, and a clear that leaves it those of the last backward; where that is, and where it should be."""

    clear: Clear
    backward: Backward
    step: Step
    # How many batches are meant.
    every: str
    when: str
    better: str
    # Whether the clear is made in each turn, and whether an accelerator puts it off to the turn that steps.
    every_turn: bool = True
    put_off: bool = False
    # The other steps of its optimizer in the turn that steps.
    others: tuple[Step, ...] = ()


def wasted(program: Program) -> Iterator[Wasted]:
    """The clears that leave a step over several batches the gradients of the last one."""
    for step in program.of(Step):
        if found := thrown_away(program, step):
            every, clear, backward = found
            yield Wasted(clear, backward, step, every, "for every batch", "where it steps")
        elif found := cleared_too_soon(program, step):
            every, clear, backward = found
            yield Wasted(clear, backward, step, every, "in the turn that steps, above its backward", "after the step", every_turn=False)
    for clear, backward, steps in cleared_in_accumulate(program):
        when = "above the backward in accumulate(), which puts that off to the batch that steps"
        yield Wasted(
            clear, backward, steps[0], "gradient_accumulation_steps", when, "after the step", put_off=True, others=tuple(steps[1:])
        )


def normalises(module: Obj) -> Obj | None:
    """The part of a module, or itself, that normalises over the batch."""
    seen: set[int] = set()
    work = [module]
    while work:
        obj = work.pop(0)
        if id(obj) in seen:
            continue
        seen.add(id(obj))
        library, _, leaf = obj.qualname.rpartition(".")
        if leaf in BATCH_NORMS or library.startswith("torchvision.models") and (leaf.startswith(BATCH_NORM_MODELS) or leaf.endswith("_bn")):
            return obj
        work.extend(a.obj for value in obj.heap.values() for a in value if isinstance(a, Ref) and isinstance(a.obj, Module | Container))
    return None


def _used_each_time(program: Program, optimizer: Obj, loop: Loop) -> bool:
    """Whether some step uses, or some clear drops, the gradients of every single batch: then nothing is accumulated."""
    events = [e for e in program.of(Step, Clear) if loop in e.loops and program.touches(e, optimizer)]
    return any(program.every_iteration(e, loop) for e in events)


def _adds_up(program: Program, optimizer: Obj, step: Event) -> bool:
    """Whether on some path several backwards are between a step and the clear before it."""
    return any(s.state == "more" for visit in program.run(_SUMMING, optimizer) if visit.event is step for s in visit.states)


def _made_at_once(program: Program, optimizer: Obj, step: Event, guard: Guard) -> bool:
    """Whether all of a step's gradients are made under its own condition, from a clear on: a generator that trains on every fifth batch adds nothing up."""
    under = [e for e in program.of(Clear, Backward) if e.index < step.index and program.touches(e, optimizer) and _is_under(e, guard)]
    clears = [e.index for e in under if e.kind == "clear"]
    return bool(clears) and any(e.kind == "backward" and e.index > clears[-1] for e in under)


def _is_under(event: Event, guard: Guard) -> bool:
    return any(g.test is guard.test and g.held == guard.held and g.frame == guard.frame for g in event.guards)


def _holds_alike(event: Event, guard: Guard, loop: Loop) -> bool:
    """Whether an event stands under a condition of the same words, whose names have one value in a whole turn of the loop."""
    words = render(guard.test)
    alike = any(render(g.test) == words and g.held == guard.held and g.frame == guard.frame for g in event.guards)
    return alike and guard.names & loop.assigned <= loop.targets


def _periodic(step: Event) -> tuple[str, Guard] | None:
    """Of a step under a condition that holds once in k turns of the loop around it: the k, and the condition."""
    return next(iter(_periods(step)), None)


def _periods(step: Event) -> list[tuple[str, Guard]]:
    """All of these, outermost first; conditions of the same words are one."""
    found = [(k, g) for g in step.guards if g.depth >= len(step.loops) and (k := period(g, step.loops[-1]))]
    return list({render(g.test): (k, g) for k, g in reversed(found)}.values())[::-1]


def period(guard: Guard, loop: Loop) -> str | None:
    """The k of a condition that holds once in k turns of a loop; that it also holds on the last turn does not matter."""
    test, held = guard.test, guard.held
    if isinstance(test, BoolOp) and held and test.op == "or":
        return next((k for side in (test.left, test.right) if (k := period(replace(guard, test=side), loop))), None)
    return _modulus(test, held, guard, loop) or _counter(test, held, guard, loop)


def _counter(test: Expr, held: bool, guard: Guard, loop: Loop) -> str | None:
    """The k of `count == k` or `count >= k`, where the loop counts and starts again."""
    if not isinstance(test, Compare) or test.ops not in ((["=="], [">="]) if held else (["!="], ["<"])):
        return None
    name, limit = render(test.left), test.rights[0]
    fixed = not paths_in(limit) & loop.assigned and not (isinstance(limit, Const) and limit.value in (0, 1))
    counts = name in loop.assigned and name in loop.reset and fixed
    return render(limit) if counts and render(limit) not in guard.ones else None


def _modulus(test: Expr, held: bool, guard: Guard, loop: Loop) -> str | None:
    """The k of `(i + 1) % k == 0` and its other forms, where i changes with the loop."""
    if isinstance(test, Compare) and test.ops in (["=="], ["!="]):
        held = held == (test.ops == ["=="])
        test = test.left
    else:
        held = not held  # `not (i + 1) % k`
    if not (held and isinstance(test, Binary) and test.op == "%" and guard.names & loop.assigned):
        return None
    if isinstance(test.right, Const) and test.right.value in (0, 1) or render(test.right) in guard.ones:
        return None
    return render(test.right)
