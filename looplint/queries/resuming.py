"""Where a training is resumed, and what of it starts over there."""

from __future__ import annotations

import libcst as cst

from looplint.domain.objects import File, Obj, Optimizer, Scaler, Scheduler, StateDict
from looplint.domain.values import constant_of, refs
from looplint.flow.automaton import Automaton
from looplint.flow.events import Construct, Event, LoadState, Move, ReadFile, Save, Schedule, Snapshot, Step
from looplint.flow.graph import Loop
from looplint.flow.remarks import Spread
from looplint.knowledge.schedules import MEMORYLESS_SCHEDULERS
from looplint.queries.naming import callee
from looplint.queries.program import Program
from looplint.queries.relations import may_follow, related, subjects
from looplint.regex import regex
from looplint.syntax import ir, ranges

# What an option is called that asks for the state of the optimizer: `args.resume_optimizer`, `load_optim`.
_RESTORES_OPTIMIZER = regex(r"(?=.*optim).*(resume|load|restore|continue|keep)")
_PLACED = Automaton(start="?", arrows={("*", "move"): "moved"}, reads=frozenset({"save"}))
# What the entries of a checkpoint are called that hold the states of schedulers and of scalers.
_ENTRIES = {Scheduler: ("sched", "lr"), Scaler: ("scal", "amp")}


def steps_after(program: Program, optimizer: Obj, restored: Event) -> Step | None:
    """The step of a loop that begins after something was restored."""
    return next((e for e in program.of(Step) if optimizer in e.subjects and _in_later_loop(e, restored)), None)


def refuses_optimizers(restored: Event) -> bool:
    """Whether the file in which something is restored refuses an option that asks for the optimizer's state: it is left out on purpose."""
    code = restored.site.module.lowered()
    return code is not None and _refuses_optimizers(code)


@ir.kept_with_code
def _refuses_optimizers(code: ir.ModuleCode) -> bool:
    return any(_is_refusal(stmt) for f in (code.top, *code.functions) for stmt in ir.statements(f.body))


def _is_refusal(stmt: ir.Stmt) -> bool:
    """`assert not args.resume_optimizer`, `assert args.resume_optimizer is False`, `if args.resume_optimizer: raise ...`."""
    match stmt:
        case ir.Assert(test=ir.Unary(op="not", operand=asked)):
            pass
        case ir.Assert(test=ir.Compare(left=asked, ops=["is" | "=="], rights=[ir.Const(value=False | None)])):
            pass
        case ir.If(test=asked, body=[*_, ir.Jump(kind="raise")]):
            pass
        case _:
            return False
    return _RESTORES_OPTIMIZER.match((ir.path_of(asked) or "").rpartition(".")[2].lower()) is not None


def goes_on(restored: LoadState) -> bool:
    """Whether a checkpoint says where the training goes on."""
    return any(file.continues for file in restored.files)


def fits_only_if_spread(program: Program, restored: LoadState) -> bool:
    """Whether a state is loaded into a module that a condition has wrapped: where the condition does not hold, the names in the file do not fit."""
    plain = any(".module." in callee(e.site) and related(owners(e), restored.subjects) for e in program.of(Snapshot))
    if plain or ".module." in callee(restored.site):
        return False
    spread = [
        e for e in program.of(Spread) if related(e.subjects, restored.subjects) and e.root == restored.root and e.index <= restored.index
    ]
    return any(set(e.guards) - set(restored.guards) for e in spread)


def goes_on_from_no_file_of_its_own(program: Program, file: File) -> bool:
    """Whether the program reads an entry of a file that nothing it saves has: with a file of its own it fails there."""
    saved = saved_keys(program)
    return saved is not None and not file.keys <= saved


def saved_keys(program: Program) -> frozenset[str] | None:
    """The keys of all dicts that the program saves; None where it saves nothing, or something of which they are not known."""
    saved = [e.entries for e in program.of(Save)]
    known = [entries for entries in saved if entries is not None]
    return frozenset[str]().union(*known) if known and len(known) == len(saved) else None


def loads_again(read: ReadFile) -> bool:
    """Whether the program loads again, onto a device that it names, where a load fails: `except RuntimeError: torch.load(path, map_location="cpu")`."""
    found = ((site, site.module.lowered()) for site in read.chain)
    return any(code is not None and site.node in _loaded_again(code) for site, code in found)


@ir.kept_with_code
def _loaded_again(code: ir.ModuleCode) -> frozenset[cst.CSTNode]:
    """The calls of a file in the body of a `try` that loads again, with `map_location`, where one raises what torch does on a machine without a GPU."""
    found: set[cst.CSTNode] = set()
    for stmt in (stmt for f in (code.top, *code.functions) for stmt in ir.statements(f.body)):
        if isinstance(stmt, ir.Try) and isinstance(stmt.node, cst.Try | cst.TryStar):
            types = [handler.type for handler in stmt.node.handlers]
            caught = [body for type_, (_, body) in zip(types, stmt.handlers) if _catches_errors(type_)]
            if any(_names_a_device(call) for body in caught for call in ir.calls_in(body)):
                found.update(call.node for call in ir.calls_in(stmt.body))
    return frozenset(found)


def _names_a_device(call: ir.Call) -> bool:
    """Whether a call tells where what is loaded goes: `torch.load(path, map_location="cpu")`, `torch.load(path, "cpu")`."""
    placed = [arg.keyword for arg in call.args]
    return "map_location" in placed or (ir.called_name(call) == "load" and placed[:2] == [None, None])


def _catches_errors(caught: cst.BaseExpression | None) -> bool:
    """Whether a handler catches a RuntimeError."""
    match caught:
        case None:
            return True
        case cst.Name(value=name):
            return name in ("RuntimeError", "Exception", "BaseException")
        case cst.Tuple(elements=elements):
            return any(_catches_errors(element.value) for element in elements)
    return False


def written_from_gpu(program: Program, restored: list[LoadState]) -> Save | None:
    """Where the program writes a state like those that are restored, or any where none is known, from a GPU, if the machine has one."""
    given = [o for e in restored for o in e.subjects]
    lenient = not restored or any(not _fits_exactly(e) for e in restored)
    for event in program.of(Save):
        written = event.states if lenient else event.states - event.parts
        for owner in sorted({state.owner for state in written if not state.on_cpu}, key=lambda o: o.number):
            if (
                (not given or any(_alike(o, owner) for o in given))
                and program.may_move_to_either([owner])
                and not _on_cpu(program, owner, event)
            ):
                return event
    return None


def _fits_exactly(restored: LoadState) -> bool:
    """Whether what is restored has to have all entries of the object's state: a part of one is for somebody else."""
    node = restored.site.node
    return isinstance(node, cst.Call) and len(node.args) == 1 and not node.args[0].star


def written_from_cpu(program: Program, restored: list[LoadState]) -> bool:
    """Whether the program writes a state like those that are restored after it has moved what is in it to the CPU."""
    states = {state for event in program.of(Save) for state in event.states if state.on_cpu}
    return any(_alike(o, state.owner) for state in states for e in restored for o in e.subjects)


def _alike(first: Obj, second: Obj) -> bool:
    """Whether two objects may be of one class, as far as is known."""
    if related([first], [second]) or type(first) is not type(second):
        return related([first], [second])
    known = [(o.cls, o.qualname) for o in (first, second) if o.cls is not None or o.qualname]
    return len(known) < 2 or known[0] == known[1]


def _on_cpu(program: Program, owner: Obj, event: Save) -> bool:
    """Whether some path to a place has moved a model to the CPU last: what is moved right before it is saved is moved for that."""
    found = [visit for visit in program.run_past(_PLACED, owner, [event]) if visit.event is event]
    moves = [state.last(Move) for visit in found for state in visit.states]
    return any(move is not None and move.device == "cpu" and not move.chosen for move in moves)


def owners(event: Snapshot) -> list[Obj]:
    """What the states that are taken at a place are those of."""
    return [s.owner for s in subjects(event, StateDict)]


def given_no_state(program: Program, obj: Obj) -> bool:
    """Whether nothing can have given an object of the program a state."""
    return not obj.escaped and not obj.symbolic and not any(obj in e.subjects or not e.subjects for e in program.of(LoadState))


def built_each_turn(program: Program, obj: Obj, restored: Event) -> bool:
    """Whether each turn of a loop behind the place where something is restored builds an object anew: it starts from nothing in every run.

    Not where a file is written in a loop within such a turn: what is restored then goes on in the middle of one.
    """
    built = [e for e in program.of(Construct) if obj in e.subjects]
    return bool(built) and all(
        _in_later_loop(e, restored)
        and program.every_iteration(e, e.loops[-1])
        and not any(e.loops[-1] in save.loops and len(save.loops) > len(e.loops) for save in program.of(Save))
        for e in built
    )


def starts_over(program: Program, restored: LoadState, optimizer: Optimizer) -> list[tuple[Scheduler | Scaler, Event]]:
    """The schedulers and scalers of an optimizer that start over where it is restored to go on, each with its first step there."""
    found: list[tuple[Scheduler | Scaler, Event]] = []
    for scheduler in program.schedulers:
        if refs(scheduler.optimizer, Optimizer) == [optimizer] and _counts_from_nothing(program, scheduler):
            steps = [e for e in program.of(Schedule) if scheduler in e.subjects]
            step = next((e for e in steps if _in_later_loop(e, restored)), None)
            if (
                step is not None
                and not built_each_turn(program, scheduler, restored)
                and all(_is_plain(program, e, optimizer) for e in steps)
            ):
                found.append((scheduler, step))
    for scaler in program.scalers:
        known = constant_of(scaler.enabled) if scaler.enabled is not None else None
        scaled = next((e for e in program.of(Step) if optimizer in e.subjects and e.scaler is scaler and _in_later_loop(e, restored)), None)
        if (
            scaled is not None
            and (known is None or known.value)
            and given_no_state(program, scaler)
            and not built_each_turn(program, scaler, restored)
        ):
            found.append((scaler, scaled))
    keys = {key.lower() for file in restored.files for key in file.keys}
    return [(o, e) for o, e in found if not any(word in key for key in keys for word in _ENTRIES[type(o)])]


def is_for_one_round(program: Program, scheduler: Scheduler, built: Construct, step: Step) -> bool:
    """Whether a scheduler that is told where it begins may be that of one round, whose rate its construction sets.

    Not where the epochs behind it go on from a number as well: it is that of all of them.
    """
    epochs = [loop for loop in step.loops if loop not in built.loops and program.counts_epochs(loop)]
    return scheduler.given_start and not any(_goes_on(loop) for loop in epochs)


def _goes_on(loop: Loop) -> bool:
    return isinstance(loop.stmt, ir.For) and loop.function is not None and ranges.goes_on_from(loop.stmt.iter, loop.function)


def _counts_from_nothing(program: Program, scheduler: Scheduler) -> bool:
    """Whether a scheduler's rates hang on a count of its own that nothing sets."""
    continued = (
        scheduler.given_start
        or scheduler.wrapped
        or scheduler.many
        or any(slot in scheduler.heap for slot in ("last_epoch", "_step_count"))
    )
    return scheduler.of_torch and not continued and scheduler.qualname not in MEMORYLESS_SCHEDULERS and given_no_state(program, scheduler)


def _is_plain(program: Program, step: Schedule, optimizer: Optimizer) -> bool:
    """Whether a step of a schedule goes with the optimizer's, and has no step number: `scheduler.step()`, or a metric for a plateau."""
    numbered = bool(step.args.positional or step.args.keywords) and any(
        o.unit != "validations" for o in step.subjects if isinstance(o, Scheduler)
    )
    return not numbered and any(step.loops and step.loops[0] in e.loops for e in program.of(Step) if optimizer in e.subjects)


def _in_later_loop(event: Event, restored: Event) -> bool:
    """Whether an event happens in a loop that begins after something was restored."""
    return (
        event.root == restored.root
        and may_follow(event, restored)
        and event.index > restored.index
        and len(event.loops) > len(restored.loops)
    )
