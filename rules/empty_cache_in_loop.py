"""The cached memory of the device is released in every batch.

## What it does

Reports `torch.cuda.empty_cache()` and its equivalents for other devices in every iteration of the loop that runs the backward.

## Why it matters

PyTorch keeps the memory of freed tensors for the next ones. Releasing it waits for the device, and each batch then requests the same memory from the
driver again. It frees nothing that the program could not use anyway.

## Bad

```python
import torch
from torch import nn, optim


def train(net: nn.Module, loader, epochs: int):
    net.cuda()
    opt = optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(epochs):
        for x, y in loader:
            opt.zero_grad()
            loss = nn.functional.mse_loss(net(x.cuda()), y.cuda())
            loss.backward()
            opt.step()
            torch.cuda.empty_cache()
```

## Good

```python
import torch
from torch import nn, optim


def train(net: nn.Module, loader, epochs: int):
    net.cuda()
    opt = optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(epochs):
        for x, y in loader:
            opt.zero_grad()
            loss = nn.functional.mse_loss(net(x.cuda()), y.cuda())
            loss.backward()
            opt.step()
        torch.cuda.empty_cache()
```

## Stays quiet

- A call outside such a loop, as once an epoch.
- A call under a condition that changes from iteration to iteration.
- A call where an exception is handled, as where a batch has failed for lack of memory.

## Repair

Unsafe: remove the call; another program on the same device may count on the memory.

## Evidence

What a run shows: in how many training batches the memory is released. What each costs depends on the device: on the CPU nothing.
"""

from looplint.rule import DropCall, Program, Release, Report, Reports

CODE = "LP005"
DEFAULT = False
SEVERITY = "warning"


def check(program: Program) -> Reports:
    for event in program.of(Release):
        loop = program.batch_loop(event)
        if loop is None:
            continue  # a call outside a loop that runs the backward
        if not event.certain:
            continue  # a call where an exception is handled
        if not program.every_iteration(event, loop):
            continue  # a call under a condition that changes from iteration to iteration
        message = f"{event.what}() in every batch: each waits for the device, and memory has to be allocated again; leave it out"
        yield Report(event, message, repair=DropCall(event=event))
