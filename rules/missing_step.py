"""A loop computes gradients, and its optimizer never steps.

## What it does

Reports a backward in a loop that fills the gradients of an optimizer which steps nowhere in the program. The optimizer is built in the code
that leads to the loop; one that is handed in counts where the loop clears it, so that no caller can step it in between.

## Why it matters

Gradients are computed and thrown away: the parameters never change.

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
            loss.backward()
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

- A program that could not be followed to its end, or in which a step's optimizer is not known.
- An optimizer that code which cannot be followed gets hold of; one that a framework steps.
- An optimizer that steps in another call of the function that builds it.
- Gradients that other code reads.
- Functions that only send a loss backward: their caller may step.
- An optimizer all of whose parameters other optimizers step on in the same loop: it was built anew.
- Gradients that are filled by hand.

## Repair

Unsafe: insert the step behind the backward.

## Evidence

What a run shows: the parameters do not change.
"""

from looplint.rule import (
    Backward,
    Clear,
    Construct,
    Engine,
    Escape,
    Event,
    InsertStep,
    Obj,
    Optimizer,
    Program,
    Report,
    Reports,
    Step,
    held_by,
    name_of,
    note,
    related,
)

CODE = "LL106"


def check(program: Program) -> Reports:
    if not program.complete:
        return  # a program that could not be followed to its end
    steps = program.of(Step)
    if program.steps_unknown_objects or any(not e.subjects for e in steps):
        return  # a step's optimizer is not known
    for optimizer in program.optimizers:
        if optimizer.many or _steps_in_some_call(steps, optimizer):
            continue
        if (optimizer.escaped and not optimizer.symbolic) or any(program.touches(e, optimizer) for e in program.of(Escape)):
            continue  # code that cannot be followed gets hold of it
        if _used_otherwise(program, optimizer):
            continue  # gradients that other code reads
        start = _beginning(program, optimizer)
        for event in program.of(Backward):
            if start is None or not event.loops or event.root != start.root or program.touches(event, optimizer) != "must":
                continue
            if event.manual:
                continue  # gradients that are filled by hand
            if optimizer.symbolic and event.loops[-1] not in start.loops:
                continue  # a function that only sends a loss backward: its caller may step
            if _others_step(steps, optimizer, event):
                continue  # it was built anew
            name = name_of(optimizer)
            message = f"gradients are computed in this loop, but {name}.step() is called on no path: the parameters never change"
            what = f"{name}'s gradients are cleared here" if optimizer.symbolic else f"{name} is built here"
            yield Report(event, message, note(start, what), repair=InsertStep(optimizer=optimizer, backward=event))
            break


def _steps_in_some_call(steps: list[Step], optimizer: Obj) -> bool:
    """Whether what is built where this optimizer is steps, in this call of the function around it or in another."""
    return any(o is optimizer or (o.node is not None and o.node is optimizer.node) for e in steps for o in e.subjects)


def _others_step(steps: list[Step], optimizer: Optimizer | Engine, backward: Event) -> bool:
    """Whether other optimizers step on all that this one holds, where the gradients are computed, in this call or in another: it was built anew."""
    inner = backward.loops[-1].site.node
    stepped = held_by(o for e in steps if any(loop.site.node is inner for loop in e.loops) for o in e.subjects)
    return bool(optimizer.holds) and all(related([h], stepped) for h in optimizer.holds)


def _used_otherwise(program: Program, optimizer: Optimizer | Engine) -> bool:
    """Whether the code reads gradients that may be this optimizer's: any at all, where it is not known which parameters it holds."""
    holds = optimizer.holds
    return program.gradients.read_unknown or (related(program.gradients.read, holds) if holds else bool(program.gradients.read))


def _beginning(program: Program, optimizer: Obj) -> Event | None:
    """Where an optimizer is built; for one that is handed in, where the loop clears it, so that no caller can step it in between."""
    kind = Clear if optimizer.symbolic else Construct
    return next((e for e in program.of(kind) if optimizer in e.subjects), None)
