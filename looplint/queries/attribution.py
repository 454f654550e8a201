"""Which backwards fill the gradients of an optimizer whose parameters are not known, and which clips clip them: those that its steps use.

Where one optimizer is in sight, each backward is taken to be its own. Where there are several, the text still tells them apart, because a step uses what
the backward before it left: in `d_loss.backward(); d_optimizer.step(); g_loss.backward(); g_optimizer.step()` each loss belongs to one of them. A clip
belongs to an optimizer where it stands before the steps of no other. What no step can use belongs to the optimizer that was cleared for it and never steps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

from looplint.domain.objects import Obj, Optimizer
from looplint.flow.events import Backward, Clear, Clip, Event, Forward, Step
from looplint.flow.graph import EventGraph, Guard, Node


def used_events(graph: EventGraph) -> Mapping[Optimizer, frozenset[Event]]:
    """For each optimizer that steps, the backwards and clips that its steps come after, with nothing between them that another phase begins or ends with.

    A way back from a step ends at the clear or the step before the backward that it found. It gives nothing where it meets a forward first: the step
    uses no gradients of this batch then, or those of who knows what. Nor is a backward an optimizer's that steps under a further condition, where
    another one uses it under fewer or others: which of two it is for may depend on that. Gradients of several batches are for who steps at their end.
    """
    before: list[list[int]] = [[] for _ in graph.nodes]
    for node in graph.nodes:
        for edge in node.succ:
            before[edge.target].append(node.index)
    used: dict[Optimizer, set[Event]] = {}
    steps: dict[Event, list[tuple[Optimizer, frozenset[Guard]]]] = {}
    for node in graph.nodes:
        if isinstance(node.event, Step):
            for optimizer in node.event.subjects:
                if isinstance(optimizer, Optimizer):
                    used.setdefault(optimizer, set())
                    for event in _used_by(graph.nodes, before, node.index, optimizer):
                        further = frozenset(node.event.guards) - set(event.guards) if isinstance(event, Backward) else frozenset()
                        steps.setdefault(event, []).append((optimizer, further))
    for event, found in steps.items():
        together = len({o for o, _ in found}) == 1 or len({further for _, further in found}) == 1
        for optimizer, further in found:
            if together or all(further <= each for _, each in found):
                used[optimizer].add(event)
    used.update(_forgotten(graph.nodes, before, set(used)))
    clips: Counter[Event] = Counter(event for events in used.values() for event in events if isinstance(event, Clip))
    return {optimizer: frozenset(e for e in events if clips[e] < 2) for optimizer, events in used.items()}


def _forgotten(nodes: list[Node], before: list[list[int]], stepping: set[Optimizer]) -> dict[Optimizer, set[Event]]:
    """For each optimizer that is cleared and never steps, the backwards that come after its clear alone, and whose gradients no step can use."""
    resting = {o for n in nodes if isinstance(n.event, Clear) for o in n.event.subjects if isinstance(o, Optimizer)} - stepping
    if not resting:
        return {}
    usable: set[int] = set()
    for node in nodes:
        if isinstance(node.event, Step):
            usable |= _back_from(node.index, before, _clears_all(nodes, node.event.subjects))
    found: dict[Optimizer, set[Event]] = {}
    for node in nodes:
        if not isinstance(node.event, Backward) or node.index in usable:
            continue
        begins = _back_from(node.index, before, lambda i: isinstance(nodes[i].event, Clear | Step | Backward))
        first = {nodes[i].event for i in begins if isinstance(nodes[i].event, Clear | Step | Backward)}
        for optimizer in resting:
            if first and all(isinstance(e, Clear) and e.subjects == {optimizer} for e in first):
                found.setdefault(optimizer, set()).add(node.event)
    return found


def _clears_all(nodes: list[Node], optimizers: frozenset[Obj]) -> Callable[[int], bool]:
    """Whether a node certainly clears some optimizers."""

    def clears(index: int) -> bool:
        event = nodes[index].event
        return isinstance(event, Clear) and event.certain and bool(optimizers) and optimizers <= event.subjects

    return clears


def _back_from(start: int, before: list[list[int]], ends: Callable[[int], bool]) -> set[int]:
    """The nodes on the ways back from one, as far as those at which a way ends."""
    found: set[int] = set()
    todo = list(before[start])
    while todo:
        index = todo.pop()
        if index not in found:
            found.add(index)
            if not ends(index):
                todo.extend(before[index])
    return found


def _used_by(nodes: list[Node], before: list[list[int]], step: int, optimizer: Optimizer) -> set[Event]:
    found: set[Event] = set()
    todo = [(index, False) for index in before[step]]
    seen = set(todo)
    while todo:
        index, filled = todo.pop()
        event = nodes[index].event
        if isinstance(event, Backward):
            found.add(event)
            filled = True
        elif isinstance(event, Clip) and not filled:
            found.add(event)
        elif _is_another_phase(event, optimizer, filled):
            continue
        for earlier in before[index]:
            if (earlier, filled) not in seen:
                seen.add((earlier, filled))
                todo.append((earlier, filled))
    return found


def _is_another_phase(event: Event | None, optimizer: Optimizer, filled: bool) -> bool:
    """Whether what a step uses is not from before an event, given whether the way back has met a backward (`filled`)."""
    match event:
        case Forward():
            return not filled
        case Step():
            return filled or optimizer in event.subjects
        case Clear():
            return filled and optimizer in event.subjects
    return False
