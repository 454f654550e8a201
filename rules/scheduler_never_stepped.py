"""A scheduler is built, and nothing ever steps it.

## What it does

Reports a scheduler of `torch.optim.lr_scheduler` that is built and stepped on no path, where its optimizer steps in a loop after that.
It is advice where another scheduler of the optimizer is stepped, or its rate is set by hand: the learning rate follows that.

## Why it matters

The learning rate keeps the value that the scheduler set when it was built.

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

- A program that could not be followed to its end, or in which it is not known what is stepped.
- A scheduler that is wrapped in another one, or that escapes into code that cannot be followed: it is returned, stored or passed on.
- Schedulers that are kept in one list or dict, and that of one of several trainers. Those that branches build under one name are one.
- A scheduler whose optimizer does not step in a loop after it.
- One whose name another scheduler of its optimizer takes, which is stepped, or that is built anew after one pass, as to time it.
- One that is told where it begins (`last_epoch=epoch`): its construction sets the rate of that epoch, and each round may build one. Not before
  epochs that go on from a number as well (`range(start_epoch, epochs)`).

## Repair

None.

## Evidence

What a run shows: the learning rate is constant.
"""

from looplint.rule import (
    Construct,
    Optimizer,
    Program,
    Report,
    Reports,
    Schedule,
    Scheduler,
    SetRate,
    Step,
    called_at,
    construction_of,
    exclude_each_other,
    is_for_one_round,
    may_follow,
    name_of,
    note,
    refs,
    subjects,
)

CODE = "LL205"
# A program that could not be followed to its end may step it elsewhere.
WHOLE_PROGRAM = True


def check(program: Program) -> Reports:
    stepped = {o for e in program.of(Schedule) for o in e.subjects}
    if any(not e.subjects for e in program.of(Schedule)):
        return  # it is not known what is stepped
    for event in program.of(Construct):
        if not event.certain:
            continue  # of one of several trainers: which of them steps what is not known
        for scheduler in subjects(event, Scheduler):
            one_of = [each for each in scheduler.one_of or (scheduler,) if isinstance(each, Scheduler)]
            if not all(each.qualname.startswith("torch.optim.lr_scheduler.") for each in one_of) or not stepped.isdisjoint(
                {scheduler, *one_of}
            ):
                continue
            if any(each.wrapped or each.escaped for each in (scheduler, *one_of)):
                continue  # wrapped in another one, returned, stored or passed on
            if scheduler.merged is not None or scheduler.many:
                continue  # one of several that are chosen from, or kept in one list or dict
            optimizers = refs(scheduler.optimizer, Optimizer)
            if any(isinstance(o, Scheduler) and _takes_name(program, o, scheduler, event) for o in stepped):
                continue  # one whose name another scheduler of its optimizer takes
            step = next(
                (e for e in program.of(Step) if e.loops and may_follow(e, event) and any(o in e.subjects for o in optimizers)), None
            )
            if step is None:
                continue  # a scheduler whose optimizer does not step in a loop after it
            if is_for_one_round(program, scheduler, event, step):
                continue  # one that is told where it begins: its construction sets the rate of that epoch
            built = construction_of(program, one_of[0]) or event
            name = called_at(built, one_of[0])
            plateau = scheduler.qualname.endswith(".ReduceLROnPlateau")
            when = "step(metric) each time the metric is measured" if plateau else "step() as the optimizer trains"
            call = f"{name}.{when}" if name == scheduler.name else f"its {when}"
            others = (o for o in stepped if isinstance(o, Scheduler) and not set(optimizers).isdisjoint(refs(o.optimizer, Optimizer)))
            beside = (o for o in others if not _is_another_choice(program, o, event))
            other = min(beside, key=lambda o: o.number, default=None)
            effect = (
                "the learning rate never falls" if plateau else "the learning rate keeps the value the scheduler gave it when it was built"
            )
            set_rates = (e for e in program.of(SetRate) if set(e.loops) & set(step.loops) and not e.subjects.isdisjoint(optimizers))
            by_hand = next(set_rates, None)
            if other is not None or by_hand is not None:
                effect = f"the learning rate follows {'what is set by hand' if other is None else name_of(other)} alone"
            message = f"{name} is never stepped: {effect}; call {call}, or leave the scheduler out"
            yield Report(
                event,
                message,
                note(step, f"{name_of(optimizers[0])} trains here") + note(by_hand, "its rate is set here"),
                site=built.site,
                severity="advice" if other is not None or by_hand is not None else None,
            )


def _takes_name(program: Program, other: Scheduler, scheduler: Scheduler, built: Construct) -> bool:
    """Whether another scheduler takes the name of one that is built: of its optimizer, or of one built anew after a single pass, as to time it."""
    alike = other.optimizer == scheduler.optimizer or (_names(other) == _names(scheduler) and _goes_over_data_once(program, scheduler))
    return other.name == scheduler.name and alike and not _is_another_choice(program, other, built)


def _names(scheduler: Scheduler) -> set[str]:
    return {o.name for o in refs(scheduler.optimizer, Optimizer)}


def _goes_over_data_once(program: Program, scheduler: Scheduler) -> bool:
    """Whether the optimizer of a scheduler steps in one loop alone, with no epochs around it."""
    optimizers = set(refs(scheduler.optimizer, Optimizer))
    return all(len(e.loops) < 2 for e in program.of(Step) if not optimizers.isdisjoint(e.subjects))


def _is_another_choice(program: Program, other: Scheduler, built: Construct) -> bool:
    """Whether a scheduler is built in another branch than the one that is told of: a run has only one of them."""
    return any(exclude_each_other(e, built) for e in program.of(Construct) if other in e.subjects)
