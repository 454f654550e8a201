"""ReduceLROnPlateau is stepped without the metric it watches.

## What it does

Reports `scheduler.step()` without an argument, or with the counter of a loop, where the scheduler is a `ReduceLROnPlateau`.

## Why it matters

ReduceLROnPlateau.step() without its metric raises TypeError, at the end of the first epoch. The number of the epoch never falls: taken as a loss,
it lowers the learning rate after `patience` epochs, again and again, whatever the model does.

## Bad

```python
import torch
from torch import nn, optim


def train(net: nn.Module, loader, epochs: int):
    opt = optim.SGD(net.parameters(), lr=0.1)
    sched = optim.lr_scheduler.ReduceLROnPlateau(opt)
    for epoch in range(epochs):
        net.train()
        for x, y in loader:
            opt.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            opt.step()
        sched.step()
```

## Good

```python
import torch
from torch import nn, optim


def train(net: nn.Module, loader, epochs: int):
    opt = optim.SGD(net.parameters(), lr=0.1)
    sched = optim.lr_scheduler.ReduceLROnPlateau(opt)
    for epoch in range(epochs):
        net.train()
        for x, y in loader:
            opt.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            opt.step()
        sched.step(loss.item())
```

## Stays quiet

- A variable that may hold another scheduler.
- `scheduler.step(*values)`.

## Repair

Unsafe: pass the validation loss where it has a unique name in scope.

## Evidence

What a run shows: TypeError.
"""

from looplint.rule import (
    PassMetric,
    Program,
    Report,
    Reports,
    Schedule,
    construction_of,
    counter_given,
    name_of,
    note,
    ruled_out_by_settings,
)

CODE = "LL204"


def check(program: Program) -> Reports:
    for event in program.of(Schedule):
        if len(event.subjects) != 1 or not event.certain:
            continue  # a variable that may hold another scheduler
        (scheduler,) = event.subjects
        args = event.args
        if not scheduler.qualname.endswith(".ReduceLROnPlateau"):
            continue
        construct = construction_of(program, scheduler)
        if construct is not None and ruled_out_by_settings(program, event, construct):
            continue  # a branch for other schedulers, which the program does not build
        counter = counter_given(event)
        if counter is not None:
            message = f"{name_of(scheduler)}.step({counter}) gets {counter} as the metric: the learning rate follows the count of the loop, not the model; pass the validation loss"
            yield Report(event, message, note(construct, "ReduceLROnPlateau is built here"), repair=PassMetric(event=event))
        elif not args.positional and not args.keywords and not args.starred:
            message = f"{name_of(scheduler)}.step() needs the metric it watches: without it ReduceLROnPlateau raises TypeError; pass the validation loss"
            yield Report(event, message, note(construct, "ReduceLROnPlateau is built here"), repair=PassMetric(event=event))
