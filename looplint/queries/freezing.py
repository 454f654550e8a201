"""Which optimizers step parameters that take no gradients."""

from __future__ import annotations

from collections.abc import Iterable

from looplint.dataclass import dataclass
from looplint.domain.objects import Module, Obj, Optimizer
from looplint.flow.automaton import Automaton, Visit, run
from looplint.flow.events import Backward, Construct, Escape, Event, Freeze, Replace, Step, Thaw
from looplint.queries.program import Program
from looplint.queries.relations import related

# Whether any of a module's parameters takes gradients. What is frozen is so whatever came before it.
_TAKING = Automaton(
    start="taking",
    arrows={("*", "freeze"): "frozen", ("*", "thaw"): "taking", ("*", "replace"): "taking"},
    reads=frozenset({"backward", "step"}),
)


@dataclass(frozen=True, slots=True)
class FrozenStep:
    """A step of an optimizer all of whose parameters are frozen, and what froze some of them."""

    step: Step
    freeze: Freeze


def steps_while_frozen(program: Program, optimizer: Optimizer) -> FrozenStep | None:
    """The first step of an optimizer, where at each of them, and at each backward, all parameters that it holds are frozen on every path."""
    found: FrozenStep | None = None
    for module in optimizer.holds:
        visits = _visits(program, optimizer, module)
        steps = [v for v in visits if isinstance(v.event, Step)]
        if not steps or not all(_is_frozen(v) for v in visits if isinstance(v.event, Backward | Step)):
            return None
        step, freeze = steps[0].event, steps[0].states[0].last(Freeze)
        if isinstance(step, Step) and freeze is not None:
            found = found or FrozenStep(step, freeze)
    return found


def _is_frozen(visit: Visit) -> bool:
    return bool(visit.states) and all(s.state == "frozen" for s in visit.states)


def _visits(program: Program, optimizer: Optimizer, module: Obj) -> list[Visit]:
    """What happens to the parameters of a module, the steps of an optimizer that holds them, and the backwards that may reach them."""
    events = program.of(Construct, Escape, Freeze, Thaw, Replace, Backward, Step)
    relevant = {e.index: touched for e in events if (touched := _touches(e, optimizer, module))}
    return run(program.slices, _TAKING, relevant)


def _touches(event: Event, optimizer: Optimizer, module: Obj) -> str | None:
    match event:
        case Step():
            return ("must" if event.certain else "may") if optimizer in event.subjects else None
        case Construct():
            return "must" if module in event.subjects else None
        case Freeze():
            return ("must" if event.certain else "may") if any(s in event.subjects for s in module.lineage()) else None
        case Escape() if event.mode or event.output:
            return None
    return "must" if not event.subjects or related(_wholes(event.subjects), [module]) else None


def _wholes(objects: Iterable[Obj]) -> list[Obj]:
    """Some objects; in place of any part of a module, which may be each, the module."""
    return [o.parent if o.parent is not None and (o.many or (isinstance(o, Module) and o.part)) else o for o in objects]
