"""The protocol of scaled gradients, and the questions that the rules on mixed precision ask."""

from __future__ import annotations

from collections.abc import Iterable

from looplint.dataclass import dataclass
from looplint.domain.objects import Engine, Module, Obj, Optimizer, Scaler
from looplint.domain.values import constant_of
from looplint.flow.automaton import Automaton
from looplint.flow.events import Backward, Clip, Escape, Event, Move, Step, Train, Unscale, Update
from looplint.flow.graph import Loop
from looplint.queries.program import Program
from looplint.queries.registration import with_parameters
from looplint.queries.relations import construction_of, involved, may_follow, only, related, rule_each_other_out, stands_under
from looplint.syntax.ir import BoolOp, Call, Expr, affirmed, expressions, path_of, paths_in, render, settled, statements, walk

# What a scaler has done to an optimizer's gradients since the last backward; "mixed" gradients come from losses with a scaler and without one.
SCALING = Automaton(
    start="none",
    arrows={
        ("*", "clear"): "none",
        ("*", "backward:scaled"): "scaled",
        ("plain", "backward:scaled"): "mixed",
        ("*", "backward:maybe-scaled"): "?",
        # Code out of sight that gets an output may go backward, or only look: behind a backward in sight, the graph is gone.
        ("*", "backward:output"): "?",
        ("scaled", "backward:output"): "scaled",
        ("unscaled", "backward:output"): "unscaled",
        ("plain", "backward:output"): "plain",
        ("mixed", "backward:output"): "mixed",
        ("*", "backward"): "plain",
        ("scaled", "backward"): "mixed",
        ("unscaled", "backward"): "mixed",
        ("mixed", "backward"): "mixed",
        ("scaled", "unscale"): "unscaled",
        ("?", "unscale"): "unscaled",
        ("*", "step"): "applied",
    },
    reads=frozenset({"clip"}),
)

# In which precision the last forward of a module computed.
COMPUTING = Automaton(
    start="none",
    arrows={
        ("*", "forward:half"): "half",
        ("*", "forward"): "full",
    },
    reads=frozenset({"backward"}),
)

# The type of a module's floating-point parameters.
_FROM_FLOAT32 = Automaton(
    start="other",
    arrows={
        ("*", "move:float16"): "float16",
        ("*", "move:unknown"): "?",
        ("*", "move"): "other",
        **{(state, "move:same"): state for state in ("float16", "other", "?")},
    },
)
_FROM_FLOAT16 = Automaton(start="float16", arrows=_FROM_FLOAT32.arrows)
# The scalers that take float16 gradients for a mistake.
_STRICT_SCALERS = ("torch.amp.GradScaler", "torch.cuda.amp.GradScaler", "torch.cpu.amp.GradScaler", "torch.amp.grad_scaler.GradScaler")

# Whether a scaler has been updated since its last step; "renewed" is one that has stepped behind an update on the way,
# "doubted" one that has behind code that may have updated it.
UPDATING = Automaton(
    start="fresh",
    arrows={
        ("*", "escape"): "escaped",
        ("*", "update"): "ready",
        ("*", "step:scaler"): "stepped",
        ("ready", "step:scaler"): "renewed",
        ("renewed", "step:scaler"): "renewed",
        ("escaped", "step:scaler"): "doubted",
        ("doubted", "step:scaler"): "doubted",
        ("stepped", "iterate"): "stale",
        ("renewed", "iterate"): "stale",
        ("doubted", "iterate"): "stale",
        ("stale", "step:scaler"): "stale",
    },
)


def sets_its_precision(module: Obj) -> bool:
    """Whether the forward of a module's class has a region of mixed precision of its own, whatever is around its call."""
    forward = module.cls.cls.methods.get("forward") if module.cls is not None else None
    return forward is not None and any("autocast" in name for name in forward.usage)


def scaler_of(backward: Backward) -> Scaler | None:
    """The scaler that multiplied the loss of a backward; None where none did, or more than one may have."""
    return next(iter(backward.scalers)) if len(backward.scalers) == 1 else None


@dataclass(frozen=True, slots=True)
class HalfStep:
    """The first time that a scaler gets at an optimizer's gradients, and a module whose parameters are in float16 there, with what converted them."""

    event: Step | Unscale
    module: Module
    move: Move | None


def half_step(program: Program, optimizer: Optimizer) -> HalfStep | None:
    """Where a scaler that is on finds parameters in float16 that an optimizer certainly holds and trains."""
    uses = [e for e in program.of(Step, Unscale) if optimizer in e.subjects and e.scaler is not None and e.certain]
    uses = [e for e in uses if isinstance(e, Unscale) or optimizer.needs_unscaled]
    if optimizer.symbolic or optimizer.many or optimizer.alternatives or not uses or not all(map(_is_strict, uses)):
        return None
    held = [m for m in program.modules if not optimizer.holds.isdisjoint(m.lineage()) and not m.many and with_parameters(m)]
    for module in held:
        if any(isinstance(m, Module) and (m.frozen or m.refilled) for m in module.lineage()):
            continue
        automaton = _FROM_FLOAT16 if module.dtype == "float16" else _FROM_FLOAT32
        visits = [v for v in program.run_past(automaton, module, uses) if v.event in uses]
        first = visits[0]
        if (
            module.dtype is not None
            and all(s.state == "float16" for v in visits for s in v.states)
            and isinstance(first.event, Step | Unscale)
        ):
            return HalfStep(first.event, module, first.states[0].last(Move))
    return None


def _is_strict(event: Step | Unscale) -> bool:
    """Whether the scaler of an event is on and one of torch's own, with nothing put in the place of its methods."""
    scaler = event.scaler
    if (
        scaler is None
        or scaler.symbolic
        or scaler.cls is not None
        or scaler.qualname not in _STRICT_SCALERS
        or "_unscale_grads_" in scaler.heap
    ):
        return False
    known = constant_of(scaler.enabled) if scaler.enabled is not None else None
    return scaler.enabled is None or (known is not None and bool(known.value))


def disabled(scaler: Scaler) -> bool:
    """Whether a scaler is built to do nothing."""
    enabled = constant_of(scaler.enabled) if scaler.enabled else None
    return enabled is not None and not enabled.value


def condition_of(scaler: Scaler) -> str:
    """The condition under which a scaler is on, in the words of its construction; "" where it always is, or no text says when."""
    if scaler.enabled is None or scaler.switch is None or constant_of(scaler.enabled) is not None:
        return ""
    return render(scaler.switch)


def switched(program: Program, event: Event, scaler: Scaler) -> bool:
    """Whether what switches the scaler on or off also decides if an event happens, and not that it happens where the scaler is on.

    An error that ends the run before the scaler is built decides neither: `if device == "cuda" and not torch.cuda.is_available(): raise`.
    """
    if scaler.enabled is None or scaler.switch is None or constant_of(scaler.enabled) is not None:
        return False
    switch = _flags(paths_in(scaler.switch))
    built = construction_of(program, scaler)
    before = [g for g in built.guards if len([*settled(g.test, g.held)]) == 1 and isinstance(g.test, BoolOp)] if built is not None else []
    deciding = [guard for guard in event.guards if switch & _flags(guard.names) and guard not in before]
    if scaler.condition is not None and any(g.held and render(g.test) == render(scaler.condition) for g in deciding):
        return False
    on = _flag(scaler.switch, held=True)
    given = (_flag(test, held=held) for guard in deciding for test, held in settled(guard.test, guard.held))
    return bool(deciding) and not (on[0] and on in given) and not _asks_whether_it_is_on(event, scaler)


def _asks_whether_it_is_on(event: Event, scaler: Scaler) -> bool:
    """Whether an event happens where a scaler has said itself that it is on: `if scaler.is_enabled()`."""
    name = scaler.name.rpartition(".")[2]
    asked = (test for guard in event.guards for test, held in settled(guard.test, guard.held) if held and isinstance(test, Call))
    return any(
        path.rpartition(".")[0].rpartition(".")[2] == name for test in asked if (path := path_of(test.func) or "").endswith(".is_enabled")
    )


def update_without_step(program: Program, step: Step) -> Update | None:
    """The update that a scaler gets whenever an optimizer has stepped without it, where no step through the scaler can have come before."""
    for update in program.of(Update):
        if (
            update.root != step.root
            or update.index < step.index
            or update.loops != step.loops
            or not set(update.guards) <= set(step.guards)
        ):
            continue
        scaler = only(update, Scaler)
        if scaler is None or scaler.many or disabled(scaler):
            continue
        through: list[Event] = [e for e in program.of(Step) if e.scaler is scaler and may_follow(update, e)]
        through += [e for e in program.of(Escape) if e.root == update.root and scaler in e.subjects and may_follow(update, e)]
        if all(e.root == update.root and rule_each_other_out(e.guards, update.guards) for e in through):
            return update
    return None


def keeps_its_factor(program: Program, scaler: Scaler) -> bool:
    """Whether the factor of a scaler is one number throughout: nothing in sight updates it, and nothing else gets it."""
    return not any(scaler in e.subjects for e in program.of(Update, Escape)) and not any(e.scaler is scaler for e in program.of(Step))


def _flags(paths: Iterable[str]) -> set[str]:
    """The last words of the names that something reads: of `args.amp` that is no word of the `args` which holds all settings."""
    paths = set(paths)
    return {path.rpartition(".")[2] for path in paths if not any(other.startswith(f"{path}.") for other in paths)}


def perhaps_off(program: Program, event: Event, scaler: Scaler) -> bool:
    """Whether a scaler that may be built to do nothing is perhaps off where an event happens.

    It is on in a branch that uses it, and in the branches in that. A branch without it may be the one for full precision where the other branch uses it,
    or where it steps in the same loop under conditions of another kind. Whether there is a limit to clip by says nothing of the scaler.
    """
    if not scaler.symbolic and (scaler.enabled is None or constant_of(scaler.enabled) is not None):
        return False
    uses = [e for e in program.of(Step, Unscale, Update) if scaler in involved(e)]
    for guard in event.guards:
        if any(stands_under(e, (guard,)) for e in uses) or (isinstance(event, Clip) and guard.names and guard.names <= event.limit):
            continue
        if any(rule_each_other_out((guard,), e.guards) for e in uses):
            return True
        beside = (e for e in uses if isinstance(e, Step) and e.loops == event.loops and e.subjects & event.subjects)
        if any(not (e.guards and stands_under(event, e.guards)) and e.guards != event.guards for e in beside):
            return True
    return False


def _flag(test: Expr, *, held: bool) -> tuple[str, bool]:
    """The last word of the flag that a condition tests, and whether it is set where the condition has an outcome; "" where it is no single flag."""
    test, held = affirmed(test, held)
    return (path_of(test) or "").rpartition(".")[2], held


def escapes_each_time(program: Program, scaler: Scaler, step: Event) -> bool:
    """Whether a scaler may reach code that is not followed after each of its steps, and not only in the turns that a further condition picks."""
    escapes = [e for e in program.of(Escape) if scaler in e.subjects]
    return any(set(e.guards) <= set(step.guards) or not set(step.guards) <= set(e.guards) for e in escapes)


def may_leave_the_update(program: Program, scaler: Scaler, step: Event) -> bool:
    """Whether a function that is handed a scaler steps it for one batch of its caller's, who may update it.

    All loops around the step then count to a number that may be 1, as that of the steps of a generator, and take no batches.
    """
    if not scaler.symbolic or not step.root or not step.loops or any(e.root == step.root for e in program.of(Train)):
        return False
    return not any(program.counts_epochs(loop) or _takes_batches(loop) or not _may_count_to_one(loop) for loop in step.loops)


def _takes_batches(loop: Loop) -> bool:
    """Whether each turn of a loop has something of its own: it does not count, or takes the next of an iterator, whatever that is over."""
    if not loop.counting or loop.stmt is None:
        return True
    parts = (part for stmt in statements(loop.stmt.body) for whole in expressions(stmt) for part in walk(whole))
    return any(isinstance(part, Call) and (path_of(part.func) or "").rpartition(".")[2] in ("next", "__next__") for part in parts)


def _may_count_to_one(loop: Loop) -> bool:
    known = [constant_of(frozenset({atom})) for atom in loop.bound]
    return not known or any(constant is None or constant.value == 1 for constant in known)


def unscaled_by_hand(program: Program, optimizer: Optimizer | Engine) -> bool:
    """Whether the program multiplies the gradients of an optimizer itself."""
    return related(optimizer.holds, program.gradients.scaled)
