"""What the analysis understood of a file, as text: roles, events and edges, states."""

from __future__ import annotations

from looplint.domain.objects import Optimizer, Scheduler
from looplint.flow.automaton import PathState
from looplint.queries.clearing import CLEARING
from looplint.queries.modes import MODE
from looplint.queries.program import Program


def describe(program: Program) -> str:
    """The text of `looplint debug`, which is also the golden of the tests."""
    parts = ["roles", *_roles(program), "", "graph", program.graph.text(), "", "states"]
    for optimizer in program.optimizers:
        parts.append(f"  {optimizer.kind} {optimizer.name}")
        for visit in program.run(CLEARING, optimizer):
            parts.append(f"    {visit.event.index:3} {visit.event.kind}: {_states(visit.states)}{'' if visit.certain else ' (may)'}")
    for module in program.modules:
        visits = program.run(MODE, module)
        if any(v.event.kind in ("train", "eval") for v in visits):
            parts.append(f"  module {module.name}")
            parts.extend(f"    {v.event.index:3} {v.event.kind}: {_states(v.states)}" for v in visits)
    return "\n".join(parts)


def _roles(program: Program) -> list[str]:
    lines = []
    for obj in [*program.all_optimizers, *program.schedulers, *program.modules]:
        holds = sorted(h.name for h in obj.holds) if isinstance(obj, Optimizer) else ()
        extra = f" holds {', '.join(holds)}" if holds else ""
        unit = f" counts {obj.unit}" if isinstance(obj, Scheduler) and obj.unit else ""
        lines.append(f"  {obj.kind} {obj.name}{' (from outside)' if obj.symbolic else ''}{extra}{unit}")
    return lines


def _states(states: tuple[PathState, ...]) -> str:
    return ", ".join(sorted({f"{s.state}{'+' if s.later else ''}" for s in states}))
