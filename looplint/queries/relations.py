"""How events and objects stand to each other: what follows what, what happens to which objects, what shares parameters."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from looplint.domain.objects import AnyObj, Engine, Module, Obj, Optimizer
from looplint.flow.events import Construct, Event, Move, Step, Unscale
from looplint.flow.graph import Guard, Loop
from looplint.semantics.devices import implies_gpu
from looplint.syntax.ir import Attr, BoolOp, Expr, render, settled

if TYPE_CHECKING:
    from looplint.queries.program import Program


def may_follow(later: Event, earlier: Event, besides: Iterable[Loop] = ()) -> bool:
    """Whether an event can come after another one: it stands further down on one way with it, in a loop with it, or the order of the calls is not known.

    Args:
        besides: loops of which no further turn counts.
    """
    shared = set(later.loops).intersection(earlier.loops).difference(besides)
    behind = later.index > earlier.index and not exclude_each_other(later, earlier)
    return later.root != earlier.root or behind or bool(shared)


def may_follow_in_its_life(program: Program, later: Event, earlier: Event, built: Event) -> bool:
    """Whether an event can come after another one before the object that both are of is built anew, as each turn of a loop may do."""
    anew = built.loops if built.loops and program.every_iteration(built, built.loops[-1]) else ()
    return may_follow(later, earlier, besides=anew)


def exclude_each_other(one: Event, other: Event) -> bool:
    """Whether two events happen in different branches of one condition."""
    return any(g.test is h.test and g.held != h.held and g.frame == h.frame for g in one.guards for h in other.guards)


def involved(event: Event) -> frozenset[Obj]:
    """The objects that an event happens to, and the scaler through which it does."""
    scaler = event.scaler if isinstance(event, Step | Unscale) else None
    return event.subjects | {scaler} if scaler is not None else event.subjects


def construction_of(program: Program, obj: Obj) -> Construct | None:
    """Where an object is built: the first place, where several branches build it; None where that is out of sight."""
    return next((e for e in program.of(Construct) if obj in e.subjects), None)


def subjects(event: Event, kind: type[AnyObj]) -> list[AnyObj]:
    """The objects of a kind that an event happens to."""
    return [o for o in event.subjects if isinstance(o, kind)]


def only(event: Event, kind: type[AnyObj]) -> AnyObj | None:
    """The object that an event happens to, where it is one and of a kind."""
    found = subjects(event, kind)
    return found[0] if len(found) == len(event.subjects) == 1 else None


def held_by(objects: Iterable[Obj]) -> frozenset[Obj]:
    """The modules whose parameters the optimizers among some objects hold."""
    return frozenset().union(*(o.holds for o in objects if isinstance(o, Optimizer)))


def may_change(step: Step, module: Obj) -> bool:
    """Whether a step changes the parameters of a module, as far as is known whose it changes."""
    engines = {o for o in step.subjects if isinstance(o, Engine)}
    known = all(o in engines or (isinstance(o, Optimizer) and (o.holds or o.of_tensors)) for o in step.subjects)
    return not step.subjects or not known or related(held_by(step.subjects) | engines, [module])


def related(left: Iterable[Obj], right: Iterable[Obj]) -> bool:
    """Whether two sets of modules share parameters, or may: one contains the other or a part that the other was built of, or code out of sight built it of that."""
    rights = [each for r in right for each in (r, *r.borrowed)]
    chosen = {each for r in rights for each in _choices(r)}
    around = {each for r in rights for each in _family(r)}
    return any(not chosen.isdisjoint(_family(each)) or not around.isdisjoint(_choices(each)) for a in left for each in (a, *a.borrowed))


def _choices(obj: Obj) -> set[Obj]:
    """An object and, where it is one of several, each of these; with what it may share parts with."""
    return {obj, *obj.one_of, *(obj.shares_with if isinstance(obj, Module) else ())}


def _family(obj: Obj) -> set[Obj]:
    """An object and what it is part of."""
    if obj.parent is None and not obj.also_in:
        return _choices(obj)
    return {each for around in obj.lineage() for each in _choices(around)}


def rule_each_other_out(one: Iterable[Guard], other: Iterable[Guard]) -> bool:
    """Whether conditions contradict each other: one text, in the words of one call, holds for the one and not for the other."""
    one, other = tuple(one), tuple(other)
    first, second = (frozenset(f for guard in guards for f in _facts(guard.meaning, guard.held, guard.speaker)) for guards in (one, other))
    return any((text, not held, frame) in second for text, held, frame in first) or _denies(second, one) or _denies(first, other)


def _denies(facts: Collection[tuple[str, bool, object]], guards: Iterable[Guard]) -> bool:
    """Whether a condition that is made of others has the other outcome under them: `a and b` does hold where both do."""
    wholes = ((part, held, g.speaker) for g in guards for part, held in settled(g.meaning, g.held) if isinstance(part, BoolOp))
    return any(all(fact in facts for fact in _facts(part, not held, speaker)) for part, held, speaker in wholes)


def stands_under(event: Event, guards: Iterable[Guard]) -> bool:
    """Whether conditions hold wherever an event happens: it stands under them, or under others of the same text in the words of the same call."""
    held = {fact for guard in event.guards for fact in _facts(guard.meaning, guard.held, guard.speaker)}
    return all(fact in held for guard in guards for fact in _facts(guard.meaning, guard.held, guard.speaker))


def _facts(test: Expr, held: bool, frame: object) -> Iterator[tuple[str, bool, object]]:
    """What a condition says of the conditions that it is made of, where that is certain."""
    for each, outcome in settled(test, held):
        yield render(each), outcome, frame


def moves_where_asked(move: Move, moves: Iterable[Move]) -> bool:
    """Whether a module goes to a GPU under a condition that asks for one (`if use_cuda: net.cuda()`), and no otherwise."""
    alike = [e for e in moves if e.device == "accelerator" and related(e.subjects, move.subjects)]
    return move in alike and all(any(implies_gpu(g.test, held=g.held) for g in e.guards) for e in alike)


def only_in_train_mode(event: Event) -> bool:
    """Whether an event stands in a branch that runs in train mode alone: `if model.training:`."""
    return any(guard.of_mode and _trains(guard.test, guard.held) for guard in event.guards)


def _trains(test: Expr, held: bool) -> bool:
    return any(outcome and isinstance(each, Attr) and each.attr == "training" for each, outcome in settled(test, held))
