"""Which optimizers step parameters that take no gradients."""

from __future__ import annotations

from looplint.dataclass import dataclass
from looplint.domain.objects import Obj, Optimizer
from looplint.flow.automaton import Automaton, Touch, Visit, run
from looplint.flow.events import Backward, Construct, Copy, Escape, Freeze, Replace, Step, Thaw
from looplint.queries.program import Program
from looplint.semantics.parameters import is_frozen

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
    for module in optimizer.holds if program.of(Freeze) else ():
        visits = _visits(program, optimizer, module)
        steps = [v for v in visits if isinstance(v.event, Step)]
        if not steps or not all(_is_frozen(v) for v in visits if isinstance(v.event, Backward | Step)):
            return None
        step, freeze = steps[0].event, steps[0].states[0].last(Freeze)
        if isinstance(step, Step) and freeze is not None:
            found = found or FrozenStep(step, freeze)
    return found


def stays_frozen(program: Program, module: Obj) -> bool:
    """Whether no parameter of a module takes gradients, and none is made to: it was built so (`nn.Parameter(x, requires_grad=False)`), or frozen."""
    return is_frozen(module) and not any(program.touches_parameters(e, module) or not e.subjects for e in program.of(Thaw))


def _is_frozen(visit: Visit) -> bool:
    return bool(visit.states) and all(s.state == "frozen" for s in visit.states)


def _visits(program: Program, optimizer: Optimizer, module: Obj) -> list[Visit]:
    """What happens to the parameters of a module, the steps of an optimizer that holds them, and the backwards that may reach them."""
    events = program.of(Construct, Copy, Escape, Freeze, Thaw, Replace, Backward)
    relevant = {e.index: touched for e in events if (touched := program.touches_parameters(e, module))}
    steps: dict[int, Touch] = {e.index: "must" if e.certain else "may" for e in program.of(Step) if optimizer in e.subjects}
    return run(program.slices, _TAKING, relevant | steps)
