"""retain_graph=True keeps a graph that nothing uses again.

## What it does

Reports `retain_graph=True` on the only backward in a loop through a graph that is built in every iteration of the loop.

## Why it matters

The saved activations of the graph are kept until the loss is replaced, and nothing goes through the graph again.

## Bad

```python
import torch
from torch import nn, optim


def train(net: nn.Module, loader, epochs: int):
    opt = optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(epochs):
        net.train()
        for x, y in loader:
            opt.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward(retain_graph=True)
            opt.step()
```

## Good

```python
import torch
from torch import nn, optim


def train(net: nn.Module, loader, epochs: int):
    opt = optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(epochs):
        net.train()
        for x, y in loader:
            opt.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            opt.step()
```

## Stays quiet

- Two backwards that share a part of a graph, or may: what the other one begins at is not known.
- `create_graph=True`, and forwards that `torch.autograd.grad` goes through after the backward, or in another turn.
- A graph that reaches back into the iteration before, such as a hidden state that is carried on.
- A forward outside the loop, whose graph every iteration goes through, what was computed there from parameters, and a model that keeps what its first
  forward computes.
- Advice only: a backward in a function that each turn calls, and that neither keeps nor returns its loss: the graph is gone with the call.
- A loss that a function sends backward and gives back to callers out of sight: they may send it backward again.
- A graph of parameters alone that may be kept from turn to turn, or that a derivative, another backward or code out of sight may go through as well.
- A backward in a comprehension or in a closure that an optimizer calls.
- A loss whose computation is not known, and a loop that passes objects to code that cannot be followed, but for models that it gets behind the backward, without anything that has the graph.

## Repair

Unsafe: drop the argument.

## Evidence

What a run shows: more memory is held at the end of the iteration.
"""

from looplint.rule import (
    Backward,
    DropArgument,
    Escape,
    Module,
    Program,
    Report,
    Reports,
    Scaler,
    Scheduler,
    Step,
    goes_through_what_is_older,
    goes_to_callers,
    is_dropped_at_the_return,
    is_rooted_in_the_turn,
    may_be_differentiated_again,
    may_keep_a_graph,
    note,
    reaches_into_the_turn_before,
)

CODE = "LL110"
SEVERITY = "warning"


def check(program: Program) -> Reports:
    backwards = program.of(Backward)
    for event in backwards:
        if event.retain_graph is not True or not event.loops:
            continue
        forwards, loop = event.forwards, event.loops[-1]
        if event.create_graph or may_be_differentiated_again(program, event):
            continue  # forwards that are differentiated after the backward
        if _shared(event, backwards):
            continue  # two backwards that share a part of a graph
        if reaches_into_the_turn_before(program, event):
            continue  # a graph that reaches back into the iteration before
        if event.repeated or any(e.closure for e in program.of(Step)):
            continue  # a backward in a comprehension or in a closure that an optimizer calls
        if not event.known or not (forwards or is_rooted_in_the_turn(program, event)):
            continue  # a loss whose computation is not known
        if any(loop in e.loops and _may_hold_the_graph(e, event) for e in program.of(Escape)):
            continue  # a loop that passes objects to code that cannot be followed
        made = program.forwards_of(forwards)
        if len(made) < len(forwards) or any(loop not in e.loops for e in made):
            continue  # a forward outside the loop
        if goes_through_what_is_older(program, event):
            continue  # a value that was computed from parameters outside the loop
        if any(may_keep_a_graph(program, o) for e in made for o in e.subjects) or goes_to_callers(program, event):
            continue  # a model that keeps what its first forward computes, or a loss that callers out of sight get, and may send backward again
        message = "retain_graph=True on the only backward of this graph: memory is kept for another backward, which never comes; leave retain_graph out"
        yield Report(
            event,
            message,
            note(next(iter(made), None), "the graph is built in every iteration here"),
            repair=DropArgument(event=event, keyword="retain_graph", position=1),
            severity="advice" if is_dropped_at_the_return(event) else None,
        )


def _may_hold_the_graph(escape: Escape, backward: Backward) -> bool:
    """Whether code that cannot be followed may keep the graph of what goes backward: not where it gets schedulers and scalers, or models alone behind that.

    Before it, such code may set what the forward of a model takes in.
    """
    apart = escape.graphs is not None and escape.graphs.isdisjoint(backward.forwards) and escape.index > backward.index
    kinds = (Scheduler, Scaler, Module) if apart else (Scheduler, Scaler)
    return not escape.subjects or not all(isinstance(o, kinds) for o in escape.subjects)


def _shared(event: Backward, backwards: list[Backward]) -> bool:
    """Whether another backward goes through a part of the same graph, or may: one in the loop, of which it is not known what it goes through."""
    others = [other for other in backwards if other is not event]
    return any(other.forwards & event.forwards or (event.loops[-1] in other.loops and _is_open(other)) for other in others)


def _is_open(event: Backward) -> bool:
    """Whether it is not known what a backward goes through: neither a forward nor parameters that a loss is computed of."""
    return not event.manual and not (event.known and (event.forwards or event.of_parameters or event.cut_off))
