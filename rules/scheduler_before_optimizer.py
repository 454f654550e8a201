"""The scheduler is stepped before the optimizer's first step.

## What it does

Reports a scheduler of `torch.optim.lr_scheduler`, or of a class that derives from one, whose `step()` comes before that of its optimizer in the
body of a loop, where in the first iteration no path has stepped the optimizer before. Each iteration that steps the scheduler steps the optimizer
too.

## Why it matters

The first value of the schedule is skipped. PyTorch warns once, in the middle of a log. Where the first values are the same, as those of a
`StepLR`, each change comes one step early: a warning, where the others are errors. So is the first value of a warm-up, which is next to none; where
the scheduler steps once in an epoch, nothing would be learned in the first one: advice.

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
            sched.step()
            opt.step()
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

- A scheduler whose optimizer is not known, or of which there are several; schedulers of one list or dict, which cannot be distinguished.
- `scheduler.step(epoch)`, with an argument.
- An optimizer that has stepped before, on some path into the first iteration, or may have in code that is not analysed.
- An optimizer's step under a condition of its own, which changes from iteration to iteration, other than that of every k-th batch of a loop within.
- Steps of other optimizers, and schedules that are constant.

## Repair

Safe: move the call after the optimizer's step, and behind what then reads the rate, such as a log. Unsafe where another scheduler steps beside
it, and stays: their rates would be one step apart; where a whole epoch would be made at the first rate of a warm-up; where what it is moved past reads `get_lr()` or `last_epoch`: that gives other numbers then,
`get_last_lr()` the rate in force; and where it cannot go behind what reads the rate, as in a caller.

## Evidence

What a run shows: the learning rate of the first step is the second value of the schedule.
"""

from collections.abc import Container, Iterator

from looplint.rule import (
    Automaton,
    Event,
    MoveAfterStep,
    Obj,
    Optimizer,
    Program,
    Report,
    Reports,
    Schedule,
    Scheduler,
    Step,
    Touch,
    called_at,
    note,
    refs,
    run,
    steps_in_each,
)

CODE = "LL203"

AUTOMATON = Automaton(start="fresh", arrows={("*", "step"): "warm", ("?", "schedule"): "?"})


def check(program: Program) -> Reports:
    found = list(_early(program))
    early = {event for event, _, _ in found}
    for event, scheduler, step in found:
        optimizer = refs(scheduler.optimizer, Optimizer)[0]
        name, held = called_at(event, scheduler), called_at(step, optimizer)
        lost = "each change of the rate comes one step early" if scheduler.in_stairs else "the first value of the schedule is skipped"
        idle = scheduler.warms_up and len(step.loops) > len(event.loops)
        message = f"{name}.step() runs before {held}.step(): {lost} (PyTorch warns about it once); step {name} after {held}"
        yield Report(
            event,
            message,
            note(step, f"{held} steps only here"),
            repair=MoveAfterStep(event=event, step=step, optimizer=optimizer, beside=_beside(program, event, early), idle=idle),
            severity="advice" if idle else "warning" if scheduler.in_stairs or scheduler.warms_up else None,
        )


def _early(program: Program) -> Iterator[tuple[Schedule, Scheduler, Step]]:
    """The steps of schedulers that come before the first one of their optimizers, each with the scheduler and that step."""
    steps = program.of(Step)
    for scheduler in program.schedulers:
        if scheduler.many or not scheduler.of_torch:
            continue  # schedulers of one list or dict, or of another library
        if scheduler.constant:
            continue  # a constant schedule, of which one value is every value
        optimizers = refs(scheduler.optimizer, Optimizer)
        if len(optimizers) != 1:
            continue  # a scheduler whose optimizer is not known, or of which there are several
        for event in program.of(Schedule):
            if scheduler not in event.subjects or not event.certain or not event.loops:
                continue
            if event.told:
                continue  # scheduler.step(epoch)
            after = [e for e in steps if optimizers[0] in e.subjects and event.loops[-1] in e.loops and e.index > event.index]
            loop = event.loops[-1]
            if not after or not program.in_each_iteration_of(after, event, loop):
                continue  # a call under a condition of its own, which changes from iteration to iteration: not in the first, perhaps
            if not any(steps_in_each(program, step, event, loop) for step in after):
                continue  # an optimizer's step under such a condition: behind it the call would come first all the same
            if not _always_first(program, event, scheduler, optimizers[0]):
                continue  # an optimizer that has stepped before
            yield event, scheduler, after[0]
            break


def _beside(program: Program, event: Schedule, early: Container[Event]) -> bool:
    """Whether another scheduler steps right there, and stays: two rates that went together would be one step apart."""
    steps = [e.index for e in program.of(Step)]
    others = (e for e in program.of(Schedule) if e not in early and e.loops == event.loops and e.guards == event.guards)
    return any(not any(min(e.index, event.index) < index < max(e.index, event.index) for index in steps) for e in others)


def _always_first(program: Program, event: Schedule, scheduler: Obj, optimizer: Obj) -> bool:
    """Whether on every path into the first iteration no step of the optimizer came before."""

    def touch(other: Event) -> Touch | None:
        if other is event:
            return "must"
        if other.kind in ("step", "copy", "escape") and optimizer in other.subjects:
            return "must" if other.certain else "may"
        return "must" if other.kind == "construct" and scheduler in other.subjects else None

    relevant = {e.index: certainty for e in program.events if (certainty := touch(e))}
    for visit in run(program.slices, AUTOMATON, relevant):
        if visit.event is event:
            first = [s for s in visit.states if not s.later]
            return bool(first) and all(s.state == "fresh" for s in first)
    return False
