"""A schedule is laid out over batches, and is stepped once in k of them.

## What it does

Reports the step of a scheduler whose end is a number of batches, such as `epochs * len(loader)`, where it is made with the optimizer's step once in k
batches, whose gradients add up.

## Why it matters

The schedule takes one step where it counts k. When the training ends, it has gone 1/k of its way: a warm-up lasts k times too long, and a rate that was to
fall to 0 has hardly fallen. Nothing warns, and with k = 1 all is well, so that it goes wrong when accumulation is switched on.

## Bad

```python
import torch
from torch import nn
from torch.utils.data import DataLoader


def train(net: nn.Module, data, epochs: int, k: int):
    loader = DataLoader(data, batch_size=32, shuffle=True)
    opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=epochs * len(loader))
    for epoch in range(epochs):
        for i, (x, y) in enumerate(loader):
            (nn.functional.mse_loss(net(x), y) / k).backward()
            if (i + 1) % k == 0 or i + 1 == len(loader):
                opt.step()
                schedule.step()
                opt.zero_grad()
```

## Good

```python
import math

import torch
from torch import nn
from torch.utils.data import DataLoader


def train(net: nn.Module, data, epochs: int, k: int):
    loader = DataLoader(data, batch_size=32, shuffle=True)
    opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=epochs * math.ceil(len(loader) / k))
    for epoch in range(epochs):
        for i, (x, y) in enumerate(loader):
            (nn.functional.mse_loss(net(x), y) / k).backward()
            if (i + 1) % k == 0 or i + 1 == len(loader):
                opt.step()
                schedule.step()
                opt.zero_grad()
```

## Stays quiet

- A number of batches that is divided by anything: by k, or by the number of processes.
- A scheduler that is stepped for every batch, or once an epoch.
- An end that is a number of its own, or comes from a setting.
- A step of which it is not known that it adds up several batches.

## Repair

None: the number that the schedule is built with has to be divided by k, where k is known.

## Evidence

What a run shows: it ends when the schedule has not gone three quarters of its way, though there were as many backwards as it has steps.
"""

from looplint.rule import Optimizer, Program, Report, Reports, Schedule, Scheduler, construction_of, name_of, note, only, refs, stepped_with

CODE = "LL207"
SEVERITY = "warning"
DEFAULT = False


def check(program: Program) -> Reports:
    for event in program.of(Schedule):
        scheduler = only(event, Scheduler)
        if scheduler is None or not event.certain or not scheduler.ends_with_batches or event.told:
            continue
        found = next((f for o in refs(scheduler.optimizer, Optimizer) if (f := stepped_with(program, event, o))), None)
        if found is None:
            continue
        every, step = found
        construct = construction_of(program, scheduler)
        name = name_of(scheduler)
        message = (
            f"{name} counts batches, but is stepped once in {every} of them: the training ends when it has gone 1/{every} of its way; "
            f"divide the number of steps that it is built for by {every}"
        )
        yield Report(event, message, note(construct, "its end is a number of batches") + note(step, "the optimizer steps once in them too"))
