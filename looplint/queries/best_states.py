"""Best states that a training loop keeps in memory, and what becomes of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from looplint.dataclass import dataclass
from looplint.domain.objects import Module, Obj, StateDict
from looplint.flow.events import Event, Forward, LoadState, Save, Snapshot, Step
from looplint.flow.graph import Loop
from looplint.flow.remarks import Mix, Withdraw
from looplint.queries.program import Program
from looplint.queries.relations import exclude_each_other, may_change, may_follow, related
from looplint.syntax import ir
from looplint.syntax.running_best import keeps_best, pairs

# Functions by which a name can be read without being named.
_BY_TEXT = frozenset({"locals", "vars", "eval", "exec", "globals"})


@dataclass(frozen=True, slots=True)
class UnreadState:
    """A state of a model that a branch keeps because it is better, under a name that nothing reads; `used` is what the model does after the loop."""

    event: Snapshot
    owner: Module
    name: str
    used: Event | None
    # Whether the function hands the model back.
    returned: bool


def unread_best_states(program: Program) -> Iterator[UnreadState]:
    """The best states that are kept for nothing: no name that holds one is ever read, and the branch saves no file."""
    for event in program.of(Snapshot):
        owners = [s.owner for s in event.subjects if isinstance(s, StateDict)]
        loop = event.loops[-1] if event.loops else None
        if len(owners) != 1 or loop is None or loop.stmt is None or loop.function is None:
            continue
        owner, function = owners[0], loop.function
        kept = _kept(loop.stmt.body, event.site.node)
        if kept is None or not isinstance(owner, Module) or not related(program.stepped_modules, {owner}):
            continue
        branch, name = kept
        if name in function.declared or _is_read(function, name) or _saves(program, branch):
            continue
        returned = any(
            isinstance(s, ir.Return) and s.value is not None and owner.name in ir.paths_in(s.value) for s in _texts(function.body)
        )
        yield UnreadState(event, owner, name, _used_after(program, event, loop, owner), returned)


def undoes_training(program: Program, reading: Event, taken: Snapshot) -> bool:
    """Whether a model gets the state of before its training back after it, and no other in its place: a copy of that would undo the training."""
    if not isinstance(reading, LoadState) or len(reading.states) != 1 or taken.root != reading.root:
        return False
    steps = [e for e in program.of(Step) if e.root == reading.root and any(may_change(e, o) for o in reading.subjects)]
    between = [e for e in steps if taken.index < e.index < reading.index and not set(taken.loops).intersection(e.loops)]
    return bool(between) and len(between) == len(steps) and not any(may_follow(e, reading) for e in steps)


def taken_too(program: Program, state: Obj, taken: Event, read: Event) -> list[Event]:
    """Where a state that is read is taken otherwise: in other branches of the same loop, or, if it is restored, in a loop that the first is taken before."""
    if not isinstance(read, Save | LoadState):
        return []
    beside = {s for s in read.states if _is_state_of(s, state)}
    taken_as = beside if not taken.loops else {state}
    found: list[Event] = []
    for other in program.of(Snapshot):
        if other is taken or not other.certain or beside.isdisjoint(other.subjects):
            continue
        in_another_branch = other.loops == taken.loops and exclude_each_other(other, taken)
        at_another_time = other.loops[: len(taken.loops)] == taken.loops and (other.loops == taken.loops or not taken.loops)
        if in_another_branch or (isinstance(read, LoadState) and at_another_time and not taken_as.isdisjoint(other.subjects)):
            found.append(other)
    return found


def _is_state_of(one: Obj, other: Obj) -> bool:
    """Whether two states are of one object, or of an object and a part of it."""
    return isinstance(one, StateDict) and isinstance(other, StateDict) and related([one.owner], [other.owner])


def is_set_anew(program: Program, taken: Event, step: Event, read: Save) -> bool:
    """Whether what a state is kept under gets the next one between a step and a save: `kept["net"] = net.state_dict()` stands before `torch.save(kept)`."""
    between = (e for e in program.of(Snapshot) if e.root == read.root and step.index < e.index < read.index)
    again = [e for e in between if e.site == taken.site and set(e.guards) <= set(read.guards)]
    return bool(again) and _is_kept_under_a_key(taken)


def picked_of_all_turns(program: Program, state: Obj) -> list[Save | LoadState]:
    """The events that read a state out of a container which keeps one of each turn of a loop, and gives none up."""
    given_up = {obj for e in program.of(Withdraw) for obj in e.subjects}
    return [e for e in program.of(Save, LoadState) if any(kept is state and whole not in given_up for kept, whole in e.picked)]


def _is_kept_under_a_key(taken: Event) -> bool:
    """Whether the text of a state is all that is put under a key or in an attribute, which then holds no other."""
    code = taken.site.module.code
    for function in (code.top, *code.functions) if code is not None else ():
        for stmt in ir.statements(function.body):
            match stmt:
                case ir.Assign(targets=[ir.Subscript(index=ir.Const()) | ir.Attr()], value=value) if value.node is taken.site.node:
                    return True
    return False


def is_mixed(program: Program, state: Obj, reading: Event) -> bool:
    """Whether entries of something else may have been put into a state before it is read: what it is then is a mixture, and no state that was kept."""
    return any(
        state in e.subjects and (e.root != reading.root or e.index <= reading.index or not set(e.loops).isdisjoint(reading.loops))
        for e in program.of(Mix)
    )


def _kept(body: Iterable[ir.Stmt], node: cst.CSTNode) -> tuple[ir.If, str] | None:
    """The branch that keeps a running best, and the name under which it keeps what a call gives."""
    for stmt in ir.statements(body):
        if isinstance(stmt, ir.If) and keeps_best(stmt.test, stmt.body):
            for inner in stmt.body:
                if isinstance(inner, ir.Assign):
                    for target, value in pairs(inner):
                        if isinstance(target, ir.Name) and any(e.node is node for e in ir.walk(value)):
                            return stmt, target.id
    return None


def _texts(body: Iterable[ir.Stmt]) -> Iterator[ir.Stmt]:
    """The statements of a block, of those in it, and of the functions and classes defined there."""
    for stmt in ir.statements(body):
        yield stmt
        match stmt:
            case ir.FunctionDef(function=function):
                yield from _texts(function.body)
            case ir.ClassDef(cls=cls):
                yield from _texts([*cls.body, *(s for f in cls.methods.values() for s in f.body)])


def _is_read(function: ir.Function, name: str) -> bool:
    """Whether anything in a function reads a name, or may."""
    for stmt in _texts(function.body):
        written = [t for t in stmt.targets if not isinstance(t, ir.Name | ir.Display)] if isinstance(stmt, ir.Assign) else []
        added = [stmt.target] if isinstance(stmt, ir.AugAssign) else []
        for whole in (*ir.expressions(stmt), *written, *added):
            for expr in ir.walk(whole):
                if isinstance(expr, ir.Name) and (expr.id == name or expr.id in _BY_TEXT):
                    return True
                if isinstance(expr, ir.Lambda) and _is_read(expr.function, name):
                    return True
    return False


def _saves(program: Program, branch: ir.If) -> bool:
    """Whether a branch writes a file, or calls something for its own sake that may: then what it keeps in memory is not all."""
    calls = [s.value for s in ir.statements(branch.body) if isinstance(s, ir.ExprStmt) and isinstance(s.value, ir.Call)]
    quiet = all(ir.path_of(call.func) == "print" for call in calls)
    return not quiet or any(guard.test is branch.test for e in program.of(Save) for guard in e.guards)


def _used_after(program: Program, event: Event, loop: Loop, owner: Module) -> Event | None:
    """The first time that a model is applied or saved after a loop."""
    for later in program.of(Forward, Save):
        if later.root == event.root and later.index > event.index and loop not in later.loops:
            states = [s.owner for s in later.states] if isinstance(later, Save) else later.subjects
            if related(states, [owner]):
                return later
    return None
