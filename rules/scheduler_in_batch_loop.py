"""A scheduler that counts epochs is stepped on every batch.

## What it does

Reports `scheduler.step()` in the loop that runs the backward, inside an outer loop, where the scheduler counts epochs: its horizon is an
expression over epochs, is as long as the outer loop, or is a list of milestones of which the last lies in the second half of it. Also an
`ExponentialLR` that takes a tenth or more off the rate in each step, in a loop over data in one over epochs.

## Why it matters

A horizon given in epochs is used up after that many batches: the learning rate is at its end within the first epoch.

## Bad

```python
import torch
from torch import nn, optim


def train(net: nn.Module, loader, epochs: int):
    opt = optim.SGD(net.parameters(), lr=0.1)
    sched = optim.lr_scheduler.CosineAnnealingLR(opt, T_max=epochs)
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
    sched = optim.lr_scheduler.CosineAnnealingLR(opt, T_max=epochs)
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

- Schedulers that count steps: `OneCycleLR`, a horizon over `len(loader)`.
- A scheduler whose unit is not known: an `ExponentialLR` with a gamma near one.
- `scheduler.step(epoch + i / iters)`, with an argument.
- A step under a condition that no optimizer's step in the loop stands under, but for one on the scheduler itself; or under one that
  holds on some batches alone, where the optimizer steps on the others as well.
- A loop that counts epochs by its name, each of one full batch.
- A step that may be another scheduler's.

## Repair

Safe: move the call to the end of the epoch body. Unsafe for a scheduler of whose unit nothing is said, or that may be such a one.

## Evidence

What a run shows: the learning rate changes len(loader) times an epoch.
"""

from looplint.rule import (
    Guard,
    Loop,
    MoveToEpochEnd,
    Optimizer,
    Program,
    Report,
    Reports,
    Schedule,
    Scheduler,
    Step,
    called_at,
    constant_of,
    construction_of,
    note,
    only,
    over_data,
    refs,
)

CODE = "LL201"
# A factor of which less than a ten-thousandth is left after 100 steps: nobody trains on so few batches, and programs take it for epochs.
_FAST = 0.9


def check(program: Program) -> Reports:
    for event in program.of(Schedule):
        loop, scheduler = program.batch_loop(event), only(event, Scheduler)
        if loop is None or loop.parent is None:
            continue
        if scheduler is None or not event.certain:
            continue  # a step that may be another scheduler's
        if program.counts_epochs(loop):
            continue  # a loop that counts epochs by its name
        if event.told:
            continue  # scheduler.step(epoch + i / iters)
        told = epoch_unit(scheduler, loop)
        if not told and not (vanishes(scheduler, loop) and program.counts_epochs(loop.parent)):
            continue  # a scheduler that counts steps, or whose unit is not known
        if _guarded(program, event, loop, scheduler):
            continue  # a step under a condition that no optimizer's step in the loop stands under
        name = called_at(event, scheduler)
        construct = construction_of(program, scheduler)
        if told:
            message = f"{name} counts epochs, but is stepped on every batch: the schedule ends within the first epochs; call {name}.step() once an epoch"
        else:
            message = (
                f"{name} multiplies the learning rate by {scheduler.factor:g} on every batch: after 100 batches less than a "
                f"ten-thousandth of it is left; call {name}.step() once an epoch"
            )
        notes = note(construct, "it is made to count epochs here" if told else "its factor is given here")
        of_all = all(isinstance(o, Scheduler) and o.unit is not None for o in scheduler.one_of)
        of_an_epoch = next((each for each in loop.lineage() if each.parent is not None and program.counts_epochs(each.parent)), loop)
        yield Report(event, message, notes, repair=MoveToEpochEnd(event=event, loop=of_an_epoch, told=told and of_all))


def _guarded(program: Program, event: Schedule, loop: Loop, scheduler: Scheduler) -> bool:
    """Whether the step stands under a condition that no optimizer's step in the loop stands under, or without which its own optimizer steps as well."""
    depth = event.loops.index(loop) + 1
    steps, own = [e for e in program.of(Step) if loop in e.loops], set(refs(scheduler.optimizer, Optimizer))
    with_step = {g.test for e in steps for g in e.guards}

    def holds_back(guard: Guard) -> bool:
        if guard.test not in with_step:
            return True
        others = [e for e in steps if own & e.subjects and not any((g.test, g.held) == (guard.test, guard.held) for g in e.guards)]
        return bool(others) and program.varies(guard, loop)

    return any(g.depth >= depth and not g.stays and scheduler.name not in g.names and holds_back(g) for g in event.guards)


def vanishes(scheduler: Scheduler, loop: Loop) -> bool:
    """Whether a scheduler of all epochs leaves nothing of the rate where it is stepped on every batch of data, though nothing says what it counts."""
    factor, around = scheduler.factor, scheduler.loops or ()
    return scheduler.unit is None and factor is not None and 0 < factor <= _FAST and over_data(loop) and loop.parent not in around


def epoch_unit(scheduler: Scheduler, loop: Loop) -> bool:
    """Whether the scheduler's horizon is in epochs: by its expression, or because it fits the epoch loop's bound."""
    if scheduler.unit is not None:
        return scheduler.unit == "epochs"
    horizon, milestone = scheduler.horizon, scheduler.milestone
    known = [constant_of(frozenset({atom})) for atom in (loop.parent.bound if loop.parent is not None else ())]
    bounds = [constant.value for constant in known if constant is not None and isinstance(constant.value, int)]
    # Milestones that end in the second half of the epochs are laid out over them: counted in batches they would lie in the first ones.
    return any(
        (horizon is not None and b == horizon.value) or (milestone is not None and b <= 2 * milestone and milestone < b) for b in bounds
    )
