"""A running sum adds up tensors with their graphs.

## What it does

Reports `total += loss` and `total = total + loss` in a loop, where `total` persists from one iteration to the next, and what is added has a
graph that comes from a forward pass in that loop. A sum over the turns that each batch takes, which begins again with the next batch, is
advice, as are one over the batches of an update, which the branch that steps sets back, and one of terms of the same data in a loop that counts.
In a loop that trains, a running average (`mean = 0.9 * mean + 0.1 * loss`) and a tensor with a place for each (`losses[i] = loss`) are reported too.

## Why it matters

The sum holds the graph of every batch added to it: 100 iterations of `total += loss` on one Linear held 502 nodes on torch 2.13.

## Bad

```python
import torch
from torch import nn, optim


def train(net: nn.Module, loader, epochs: int):
    opt = optim.SGD(net.parameters(), lr=0.1)
    total = 0.0
    for epoch in range(epochs):
        net.train()
        for x, y in loader:
            opt.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            opt.step()
            total += loss
```

## Good

```python
import torch
from torch import nn, optim


def train(net: nn.Module, loader, epochs: int):
    opt = optim.SGD(net.parameters(), lr=0.1)
    total = 0.0
    for epoch in range(epochs):
        net.train()
        for x, y in loader:
            opt.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            opt.step()
            total += loss.item()
```

## Stays quiet

- Values without a graph: `.item()`, `.detach()`, what is computed under `no_grad`.
- A sum that starts again in every iteration.
- A sum in a loop that is left in its first turn.
- A sum that goes backward, in this call of the function around it or in another one, or one on an object that another function in the text sends backward.
- A sum over the turns of a batch that steps, where nothing goes backward: the backward is missing (LL107).
- A sum that starts from an output of a model: that is an output in the making.
- A graph from a forward pass before the loop: it is held once, not once an iteration.
- An average, or a tensor that is filled, in a loop in which nothing is trained: it may be what comes out.
- A sum in a loop in which nothing is trained, over something else than a loader, of a model that the program does not train.
- A sum over the entries of a dict or the parts of a model in which nothing is trained: the terms of one loss, an output put together.

## Repair

Safe: `.item()`, or `float()` where what is added is a number on some paths.

## Evidence

What a run shows: the number of live autograd nodes grows with every batch.
"""

from collections.abc import Sequence

from looplint.rule import (
    Accumulate,
    Backward,
    DetachAdded,
    Forward,
    Loop,
    Program,
    Report,
    Reports,
    Step,
    computes_terms,
    is_sent_backward_by_others,
    note,
    over_data,
    over_entries,
    over_parts,
    records,
    set_back_at_updates,
    turns_after,
)

CODE = "LL402"
SEVERITY = "warning"
OF_GRAPHS = True


def check(program: Program) -> Reports:
    for event in program.of(Accumulate):
        value = event.value
        if not program.carries_graph(value):
            continue  # a value without a graph
        carried = turns_after(program, event, event.carried)
        if not carried:
            continue  # a sum that starts again in every iteration, or is left with it
        if program.goes_backward(event):
            continue  # a sum that goes backward
        if event.key in program.uses.added_to_outputs:
            continue  # a sum that starts from an output of a model
        loop = carried[-1]
        if not loop.repeats:
            continue  # a loop that is left in its first turn
        made = program.graph_of(value)
        if not any(loop in e.loops for e in made):
            continue  # a graph from a forward pass before the loop
        if not records(program, loop, made):
            continue  # the terms of what one call computes, of a model that the program does not train
        if (over_entries(loop) or over_parts(loop)) and not any(loop in e.loops for e in program.of(Backward, Step)):
            continue  # a sum over the entries of a dict or the parts of a model, as the terms of one loss
        if event.form != "sum" and not any(loop in e.loops for e in program.of(Backward, Step)):
            continue  # an average, or a tensor filled item by item, in a loop in which nothing is trained: it may be what comes out
        if _waits_for_backward(program, event, carried[0]):
            continue  # the loss of a step that has no gradients, as LL107 reports
        if is_sent_backward_by_others(program, event):
            continue  # a sum on an object that another function sends backward
        target = event.target
        of_a_batch = (
            set_back_at_updates(program, event)
            or (not over_data(loop) and _in_one_update(program, event, carried[0]))
            or _of_terms(program, event, made)
        )
        turn = "turn" if of_a_batch else "batch"
        does = {"sum": "adds up tensors", "average": "averages tensors", "tensor": "takes in tensors"}[event.form]
        message = f"{target} {does} with their autograd graphs: memory grows with each {turn} until {target} is gone; take only the values, with .detach() or .item()"
        source = "the graph comes from this forward pass" if isinstance(made[0], Forward) else "its graph is used here, and stays"
        yield Report(
            event,
            message,
            note(made[0], source),
            repair=DetachAdded(event=event),
            severity="advice" if of_a_batch else None,
        )


def _of_terms(program: Program, event: Accumulate, made: Sequence[Forward | Backward]) -> bool:
    """Whether a sum begins anew around its loop, and is one of the terms of a quantity of the same data."""
    return len(event.carried) == 1 and computes_terms(program, event.carried[0], made)


def _in_one_update(program: Program, event: Accumulate, loop: Loop) -> bool:
    """Whether each turn of what is around a loop has a batch of its own: it goes over data, or something goes backward right in it."""
    around = event.loops[: event.loops.index(loop)]
    return any(map(over_data, around)) or any(e.loops == around and e.root == event.root for e in program.of(Backward, Step))


def _waits_for_backward(program: Program, event: Accumulate, loop: Loop) -> bool:
    """Whether what is around a loop steps in each turn, and nothing goes backward there: the sum is what should."""
    around = event.loops[: event.loops.index(loop)]
    return any(step.loops[-1:] == (each,) and each not in program.differentiating_loops for each in around for step in program.of(Step))
