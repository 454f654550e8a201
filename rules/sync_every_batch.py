"""A training loop on an accelerator reads a value from the device in every batch.

## What it does

Reports the first place in a training loop where every iteration waits for a number that comes out of a model: `.item()`, `.tolist()`,
`.cpu()`, `.numpy()`, `float()`, a printed tensor, or a call that only waits (`torch.cuda.synchronize()`). The number is only added up,
printed or passed on, in a program that moves a model or a batch to an accelerator.

## Why it matters

The program runs ahead of the device and queues its work. A number can only be had when the queue is empty: the device then stands idle until the
program has queued the next batch. A running sum on the device, or a condition that holds in every hundredth batch, costs nothing.

## Bad

```python
import torch
from torch import nn, optim


def train(net: nn.Module, loader, epochs: int):
    net.cuda()
    opt = optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(epochs):
        total = 0.0
        for x, y in loader:
            opt.zero_grad()
            loss = nn.functional.mse_loss(net(x.cuda()), y.cuda())
            loss.backward()
            opt.step()
            total += loss.item()
        print(epoch, total)
```

## Good

```python
import torch
from torch import nn, optim


def train(net: nn.Module, loader, epochs: int):
    net.cuda()
    opt = optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(epochs):
        total = torch.zeros((), device="cuda")
        for x, y in loader:
            opt.zero_grad()
            loss = nn.functional.mse_loss(net(x.cuda()), y.cuda())
            loss.backward()
            opt.step()
            total += loss.detach()
        print(epoch, total.item())
```

## Stays quiet

- Programs that are not known to use an accelerator.
- A condition that changes from iteration to iteration.
- Loops that do not train, and loops that count epochs, each of one full batch.
- Numbers that a condition or further computation needs at once.
- A call where an exception is handled.

## Repair

None.

## Evidence

What a run shows: in how many training batches the value of a tensor is read. What each costs depends on the device and on how much work is
queued: on the CPU nothing.
"""

from looplint.rule import Fetch, Note, Program, Report, Reports, Show, is_record, on_accelerator, trains

CODE = "LP004"
DEFAULT = False
SEVERITY = "warning"


def check(program: Program) -> Reports:
    if not on_accelerator(program):
        return  # a program that is not known to use an accelerator
    waits: dict[object, list[Fetch | Show]] = {}
    for event in program.of(Fetch, Show):
        loop = event.loops[-1] if event.loops else None
        if loop is None or not trains(program, loop) or program.counts_epochs(loop):
            continue  # a loop that does not train, or that counts epochs, each of one full batch
        if not event.certain:
            continue  # a call where an exception is handled
        if not is_record(event):
            continue  # a number that a condition or further computation needs at once
        if not program.every_iteration(event, loop):
            continue  # a condition that changes from iteration to iteration
        waits.setdefault(loop.site.node, []).append(event)
    for events in waits.values():
        first, *others = sorted(events, key=lambda e: e.index)
        what = first.what if isinstance(first, Fetch) else f"the text of {first.name}"
        message = f"{what} waits for the device in every batch: the device then has nothing to do until the next one; read it once in many batches"
        yield Report(first, message, tuple(Note(e.site, "so does this") for e in others[:2]))
