"""A validation loop works with the batch that the training loop has left behind, and not with its own.

## What it does

Reports a forward in a loop over data in which nothing is trained, where the loop never reads a name that it gives a part of each batch, and
reads in its place a name that only other loops over data bind: as one of their batches, or, where the loop reads nothing of its own batches,
as what the forward is given.

## Why it matters

A loop's names outlive it: after the training loop they hold its last batch. A validation loop that binds other names and reads the old ones
measures that one training batch again and again, or compares its own outputs with the targets of another batch, without an error.

## Bad

```python
import torch
from torch import nn, optim


def train(net: nn.Module, loader, valid, epochs: int):
    opt = optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(epochs):
        net.train()
        for x, y in loader:
            opt.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            opt.step()
        net.eval()
        with torch.no_grad():
            for x_valid, y_valid in valid:
                print(nn.functional.mse_loss(net(x), y).item())
```

## Good

```python
import torch
from torch import nn, optim


def train(net: nn.Module, loader, valid, epochs: int):
    opt = optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(epochs):
        net.train()
        for x, y in loader:
            opt.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            opt.step()
        net.eval()
        with torch.no_grad():
            for x_valid, y_valid in valid:
                print(nn.functional.mse_loss(net(x_valid), y_valid).item())
```

## Stays quiet

- A loop that reads all names of its batches; counters of `enumerate` and names that begin with an underscore aside.
- Names that are bound outside of loops too, in the loop itself, or by a loop around it.
- Counters of other loops, and what else these loops leave behind, unless the forward is given it.
- A batch that a loop took as a sample, and ended.
- A loop that defines functions, which may read more.

## Repair

Unsafe, where the batches of both loops have as many parts: the parts at the same places are read. None elsewhere: which of the names was meant is for
the author to say.

## Evidence

What a run shows: the calls at one place of a validation pass, of the model or of the loss, all get the same tensor.
"""

from looplint.rule import Note, Program, ReadOwnBatch, Report, Reports, stale_batches

CODE = "LL306"
DEFAULT = False


def check(program: Program) -> Reports:
    for found in stale_batches(program):
        read, unread = " and ".join(found.read), " and ".join(found.unread)
        message = f"this validation loop reads {read}, which another loop left behind, and never its own {unread}: every turn measures the same batch; use {unread}"
        notes = (Note(found.loop.site, "these batches are not used"), Note(found.other, "what is read is the last batch of this loop"))
        repair = ReadOwnBatch(loop=found.loop, other=found.other, stale=found.read, unread=found.unread)
        yield Report(found.forward, message, notes, repair=repair)
