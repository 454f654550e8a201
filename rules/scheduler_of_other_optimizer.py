"""A scheduler changes the learning rate of an optimizer that does not step where it does.

## What it does

Reports a scheduler whose own optimizer steps on no path of the outermost loop around the scheduler's step, while one optimizer steps there
that holds the same parameters. Where only one optimizer steps in the loop, some of the same parameters are enough. As a rule that one was
built after the scheduler.

## Why it matters

A scheduler keeps the optimizer it was built with. Where the optimizer is rebuilt - for a second phase, with parameters that were frozen,
after a move of the model - the scheduler goes on changing the old one's learning rate, and the new one trains with a constant.

## Bad

```python
import torch
from torch import nn, optim


def train(net: nn.Module, loader, epochs: int):
    opt = optim.SGD(net.parameters(), lr=0.1)
    sched = optim.lr_scheduler.CosineAnnealingLR(opt, T_max=epochs)
    opt = optim.AdamW(net.parameters(), lr=0.001)
    for epoch in range(epochs):
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
    opt = optim.AdamW(net.parameters(), lr=0.001)
    sched = optim.lr_scheduler.CosineAnnealingLR(opt, T_max=epochs)
    for epoch in range(epochs):
        for x, y in loader:
            opt.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            opt.step()
        sched.step()
```

## Stays quiet

- Programs that set a learning rate by hand.
- A loop in which some step's optimizer is not known, or may be one of several.
- Optimizers and schedulers that escape into code that cannot be followed, that are passed in, chosen at run time or wrapped, and classes
  of the project's own.
- Optimizers and schedulers that are built in different loops.
- Optimizers of other parameters, such as one that only carries a schedule.

## Repair

Unsafe: build the scheduler after the optimizer that steps, from that optimizer; a second one where its own optimizer steps elsewhere.

## Evidence

What a run shows: the learning rate of the optimizer that steps is constant, that of another one changes.
"""

from looplint.rule import (
    Construct,
    Obj,
    Optimizer,
    Program,
    RebuildScheduler,
    Report,
    Reports,
    Schedule,
    Scheduler,
    Step,
    name_of,
    note,
    only,
    refs,
    related,
    subjects,
)

CODE = "LL206"


def check(program: Program) -> Reports:
    if program.flags.sets_rates:
        return  # a program that sets a learning rate by hand
    steps = program.of(Step)
    built = {obj: e for e in program.of(Construct) for obj in e.subjects}
    reported = set()
    for event in program.of(Schedule):
        scheduler = only(event, Scheduler)
        if scheduler is None or not event.certain or not event.loops:
            continue
        own = refs(scheduler.optimizer, Optimizer)
        if scheduler in reported or scheduler not in built or len(own) != 1:
            continue
        if not plain(scheduler) or scheduler.wrapped or not plain(own[0]):
            continue  # known to other code, passed in, chosen at run time, wrapped, or of a class of the project
        here = [e for e in steps if event.loops[0] in e.loops]
        others = {o for e in here for o in subjects(e, Optimizer)}
        if own[0] in others:
            continue
        if not all(e.subjects and e.certain for e in here):
            continue  # a loop in which some step's optimizer is not known, or may be one of several
        heirs = [o for o in others if o in built and plain(o) and replaces(o, own[0], alone=len(others) == 1)]
        if len(heirs) == 1 and together(scheduler, own[0], heirs[0]):
            other = heirs[0]
            reported.add(scheduler)
            # Where its own optimizer steps in another loop, the scheduler is right there.
            needed = any(own[0] in e.subjects for e in steps)
            name, trains = name_of(scheduler, "the scheduler"), name_of(other, "the optimizer")
            message = f"{name} was built on another optimizer than the one that steps: the learning rate of {trains} never changes; build {name} on {trains}"
            notes = note(built[scheduler], f"{name} is built here") + note(built[other], f"{trains} is built here")
            yield Report(
                event,
                message,
                notes + note(here[0], "and steps here"),
                repair=RebuildScheduler(scheduler=built[scheduler], construct=built[other], again=needed),
            )


def plain(obj: Obj) -> bool:
    """Whether an object is of a class of torch, the only one of its place, and does not escape into code that cannot be followed."""
    alone = not (obj.many or obj.escaped or obj.symbolic) and obj.merged is None
    return alone and obj.cls is None and obj.qualname.startswith("torch.optim.")


def replaces(optimizer: Optimizer, old: Optimizer, *, alone: bool) -> bool:
    """Whether an optimizer holds what another one held; of several that step, the very same."""
    return optimizer.holds == old.holds != frozenset() or (alone and related(old.holds, optimizer.holds))


def together(*objects: Obj) -> bool:
    """Whether objects are built in the same loops."""
    return len({o.loops for o in objects}) == 1
