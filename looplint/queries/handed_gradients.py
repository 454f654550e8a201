"""Gradients that are computed in one model and given to another, whose optimizer steps with them: those of a worker's copy, to the shared model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from looplint.dataclass import dataclass
from looplint.domain.objects import Module, Optimizer
from looplint.flow.automaton import Touch
from looplint.flow.events import Backward, Clear, Clip, Event
from looplint.flow.graph import Loop
from looplint.queries.relations import held_by, related


@dataclass(frozen=True, slots=True)
class Source:
    """The model whose gradients an optimizer steps with that holds another one.

    `given` are the places where the program gives them away, by context and node.
    """

    module: Module
    given: frozenset[tuple[object, ...]]

    def gives(self, event: Event) -> bool:
        """Whether an event is the giving itself: what was there is gone, and the gradients of the source take its place."""
        return event.key[:2] in self.given

    def touches(self, event: Backward | Clear | Clip, optimizer: Optimizer) -> Touch | None:
        """Whether an event happens to the gradients that the optimizer steps with: those of the source, and once they are given its own.

        What clears the one leaves the other, unless they are given as they are and cleared in place.
        """
        if self.gives(event):
            return None
        own = related(event.subjects, [self.module])
        if own and isinstance(event, Backward):
            return "must" if event.certain else "may"
        if own and isinstance(event, Clip):
            return "must" if event.certain and event.whole and not event.subjects.isdisjoint(self.module.lineage()) else "may"
        return "may" if own or not event.subjects or optimizer in event.subjects or related(event.subjects, optimizer.holds) else None


def sources(backwards: Sequence[Backward], optimizers: Iterable[Optimizer]) -> dict[Optimizer, Source]:
    """For each optimizer that steps with the gradients of a model that no optimizer holds: that model.

    The program goes backward through it before it gives its gradients away, turn by turn, and does not build it anew in these turns: what a fresh copy
    has got is never cleared.
    """
    given = [(e, module) for e in backwards for module in e.copied_from]
    if not given:
        return {}
    all_of_them = list(optimizers)
    held = held_by(all_of_them)
    filling: dict[tuple[str, tuple[Loop, ...]], list[Backward]] = {}
    for event in backwards:
        if event.loops and not event.manual:
            filling.setdefault((event.root, event.loops), []).append(event)
    found: dict[Optimizer, Source] = {}
    for optimizer in all_of_them:
        mine = [(e, module) for e, module in given if related(e.subjects, optimizer.holds)]
        modules = {module for _, module in mine}
        if len(modules) != 1 or related(modules, held):
            continue
        (module,) = modules
        if all(_is_filled_before(filling, e, module) for e, _ in mine):
            found[optimizer] = Source(module, frozenset(e.key[:2] for e, _ in mine))
    return found


def _is_filled_before(filling: Mapping[tuple[str, tuple[Loop, ...]], list[Backward]], given: Backward, module: Module) -> bool:
    """Whether something goes backward through a model in the turns in which its gradients are given away, before that."""
    around = (given.loops[:depth] for depth in range(1, len(given.loops) + 1))
    return module.loops is not None and any(
        event.index < given.index and related(event.subjects, [module])
        for loops in around
        if loops[-1] not in module.loops
        for event in filling.get((given.root, loops), ())
    )
