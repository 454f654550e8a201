"""A scheduler that counts steps is stepped once an epoch.

## What it does

Reports `scheduler.step()` in a loop around a training loop, once in each of its iterations or less, where the scheduler counts optimizer
steps: `OneCycleLR`, `CyclicLR`, or a horizon in steps such as `epochs * len(loader)`.

## Why it matters

A schedule planned for all steps gets one step an epoch: the learning rate stays near its first value.

## Bad

```python
import torch
from torch import nn, optim


def train(net: nn.Module, loader, epochs: int):
    opt = optim.SGD(net.parameters(), lr=0.1)
    sched = optim.lr_scheduler.OneCycleLR(opt, 0.1, total_steps=epochs * len(loader))
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
    sched = optim.lr_scheduler.OneCycleLR(opt, 0.1, total_steps=epochs * len(loader))
    for epoch in range(epochs):
        net.train()
        for x, y in loader:
            opt.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            opt.step()
            sched.step()
```

## Stays quiet

- A scheduler that counts epochs, or whose unit is not known.
- A scheduler that is stepped in the training loop too.
- `scheduler.step(epoch)`, with an argument: it is told where the schedule stands.
- A step outside the loop that is directly around a training loop.
- A step that may be another scheduler's.
- A loop over batches that steps several times with each (`for t in range(horizon)`): the schedule may count the batches.
- A loop that goes as far as the schedule does: `T_max=total` and `while step < total`, with several updates a turn; as many epochs as the schedule
  has steps, by their numbers or the defaults of options.

## Repair

Safe: move the call into the batch loop, after the optimizer's step. None where the schedule is as long as one epoch (`T_max=len(loader)`) and there are more.

## Evidence

What a run shows: the schedule ends far from its planned end.
"""

from looplint.rule import (
    MoveIntoBatchLoop,
    Optimizer,
    Program,
    Report,
    Reports,
    Schedule,
    Scheduler,
    Step,
    called_at,
    construction_of,
    note,
    only,
    over_data,
    reaches_the_end_of,
    refs,
)

CODE = "LL202"


def check(program: Program) -> Reports:
    training = program.batch_loops | program.stepping_loops
    schedules = program.of(Schedule)
    for event in schedules:
        scheduler = only(event, Scheduler)
        if scheduler is None or not event.certain:
            continue  # a step that may be another scheduler's
        if scheduler.unit != "steps":
            continue  # a scheduler that counts epochs, or whose unit is not known
        inner = next((loop for loop in training if event.loops and event.loops[-1] is loop.parent), None)
        if inner is None or any(loop in training for loop in event.loops):
            continue  # a step outside the loop that is directly around a training loop
        if any(scheduler in other.subjects and other is not event and any(loop in training for loop in other.loops) for other in schedules):
            continue  # a scheduler that is stepped in the training loop too
        if event.told:
            continue  # scheduler.step(epoch)
        if over_data(event.loops[-1]) and not over_data(inner):
            continue  # a loop over batches, in which several updates are made with each
        if reaches_the_end_of(scheduler, event.loops[-1]):
            continue  # a loop that goes as far as the schedule does: `while step < total`, or 20 epochs and a schedule of 20 steps
        name = called_at(event, scheduler)
        construct = construction_of(program, scheduler)
        short = scheduler.ends_with_an_epoch and event.loops[-1].repeats
        how = "give it the number of epochs" if short else "step it after each step of the optimizer"
        message = f"{name} counts optimizer steps, but is stepped once an epoch: the schedule hardly begins before training ends; {how}"
        steps, own = [e for e in program.of(Step) if inner in e.loops], refs(scheduler.optimizer, Optimizer)
        step = next((e for e in steps if not own or set(own) & set(e.subjects)), None)
        optimizer = next(iter(step.subjects), None) if step else None
        yield Report(
            event,
            message,
            note(construct, "its length is given in steps here"),
            repair=MoveIntoBatchLoop(event=event, step=step, optimizer=optimizer) if step and not short else None,
        )
