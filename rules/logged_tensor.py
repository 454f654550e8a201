"""A tensor is kept together with its graph where only its value is wanted.

## What it does

Reports a tensor with a graph that is put into a list, a dict or a similar container which persists from one iteration to the next, in a loop
that trains or iterates over data. The graph comes from a forward pass in that loop. It is advice where the container is a deque of a fixed
length, where the last that a loop over data has made is kept behind that loop: nodes alone, once an epoch, and where the first turns of a loop
over data alone put something in.

## Why it matters

A kept loss no longer holds the saved activations after its backward, but it does hold the nodes of its graph; where no backward has run
it holds the activations too. What converts at once (print, `add_scalar`, a progress bar) keeps nothing and is not reported.

## Bad

```python
import torch
from torch import nn, optim


def train(net: nn.Module, loader, epochs: int):
    opt = optim.SGD(net.parameters(), lr=0.1)
    history = []
    for epoch in range(epochs):
        net.train()
        for x, y in loader:
            opt.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            opt.step()
            history.append(loss)
```

## Good

```python
import torch
from torch import nn, optim


def train(net: nn.Module, loader, epochs: int):
    opt = optim.SGD(net.parameters(), lr=0.1)
    history = []
    for epoch in range(epochs):
        net.train()
        for x, y in loader:
            opt.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            opt.step()
            history.append(loss.item())
```

## Stays quiet

- Values without a graph: `.item()`, `float()`, `.detach()`, what is computed under `no_grad`.
- A slot that is overwritten: a dict under a key, a list at a place that each turn counts from 0.
- A container that is filled in the first turns alone: `if len(images) < 8`.
- A container out of which the same loop takes something: `clear()`, `popleft()`, `del losses[0]`.
- A container whose contents go backward, in this call of the function around it or in another one.
- A container that the function returns, where nobody calls that function in the linted code.
- What is made of a tensor by code that is not followed: a weak reference, a future.
- A container that lives for one iteration of an outer loop that trains what its tensors come from: they are steps of one computation.
- A loop over the steps of a sequence, or over a range, in which nothing goes backward and nothing steps.
- A loop in which nothing is trained, over something else than a loader, of a model that the program does not train: it puts together what one call computes.
- A loop over the parts of a model, or over the members of an ensemble, each with an optimizer of its own, and one that is left in its first turn.

## Repair

Safe: `.item()` on a scalar loss, `float()` where it is a number on some paths, `.detach()` otherwise. Unsafe where what is kept is not proved to be
a tensor: a model that is not known may return a structure of tensors.

## Evidence

What a run shows: Autograd nodes stay alive after the iteration.
"""

from collections.abc import Sequence

from looplint.rule import (
    Backward,
    DetachArgument,
    Forward,
    Keep,
    Loop,
    Program,
    Report,
    Reports,
    Step,
    container_at,
    note,
    over_data,
    over_parts,
    over_tensor,
    piles_up_in,
    records,
)

CODE = "LL401"
SEVERITY = "warning"
OF_GRAPHS = True


def check(program: Program) -> Reports:
    for event in program.of(Keep):
        if event.slot:
            continue  # a slot that is overwritten
        if not program.carries_graph(event.value):
            continue  # a loss that may have no graph
        if program.goes_backward(event):
            continue  # a container whose contents go backward
        if event.into.leaves:
            continue  # a container that a function returns which nobody calls
        carried = [loop for loop in piles_up_in(program, event) if keeps_history(program, loop)]
        made = program.graph_of(event.value)
        if not carried or not any(carried[-1] in e.loops for e in made):
            continue  # a container that is emptied, no loop that trains or iterates over data, or a graph from a forward pass before it
        if not records(program, carried[-1], made):
            continue  # the parts of what one call computes, of a model that the program does not train
        if _is_of_one_update(program, event, made):
            continue  # a container that lives for one iteration of an outer loop that trains what its tensors come from
        of_few = any(over_data(loop) and not over_tensor(loop) for loop in event.loops[event.loops.index(carried[-1]) + 1 :])
        each_epoch = of_few or _is_freed_before(program, event, made)
        growth = (
            "those of its last items stay in memory"
            if event.into.bounded
            else f"memory grows with every {'epoch' if each_epoch else 'iteration'}"
        )
        message = (
            f"{container_at(event)} keeps tensors with their autograd graphs: {growth}; keep only the values, with .detach() or .item()"
        )
        yield Report(
            event,
            message,
            note(
                made[0], "the graph comes from this forward pass" if isinstance(made[0], Forward) else "its graph is used here, and stays"
            ),
            repair=DetachArgument(event=event, scalar=event.value.scalar),
            severity="advice" if event.into.bounded or each_epoch else None,
        )


def _is_freed_before(program: Program, event: Keep, made: Sequence[Forward | Backward]) -> bool:
    """Whether what is kept is the last that a loop has made, of which the backward there has freed the activations: nodes alone, once an epoch."""
    kept_whole = any(b.retain_graph for b in program.of(Backward) if b.forwards & event.value.forwards)
    return (
        not kept_whole
        and event.value.forwards <= program.uses.trained
        and all(e.loops[: len(event.loops)] == event.loops and any(map(over_data, e.loops[len(event.loops) :])) for e in made)
    )


def _is_of_one_update(program: Program, event: Keep, made: Sequence[Forward | Backward]) -> bool:
    """Whether the container lives for one iteration of a loop that trains what its tensors come from: steps of one computation.

    It is a record all the same where the loop over the data steps for itself, and the one around it for the batches that are left over.
    """
    around = set(event.loops) - set(event.carried)
    if any(over_data(loop) and loop in e.loops for e in program.of(Step) for loop in event.carried):
        return False
    trains = any(e.loops and e.loops[-1] in around for e in program.of(Backward, Step))
    return trains and any(isinstance(e, Backward) or program.is_trained(e) for e in made)


def keeps_history(program: Program, loop: Loop) -> bool:
    """Whether a loop iterates over data, or trains in turn after turn: what is collected there is a record, not a step of one computation."""
    if not loop.repeats or loop in program.member_loops:
        return False
    if over_data(loop) and not over_tensor(loop):
        return True
    # The members of an ensemble, each trained once, are as many as there are.
    return not over_parts(loop) and any(loop in e.loops for e in program.of(Backward, Step))
