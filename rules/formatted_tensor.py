"""A loss tensor is printed or formatted without `.item()` in every batch.

## What it does

Reports a tensor of one element, computed from a model's output, that `print`, an f-string, `format` or `%` turns into text in every
iteration of a loop over batches.

## Why it matters

The text needs the number, and the number is on the device: each batch waits until the device has computed it, and the line does not show that.
`print(loss)`, `str(loss)` and `%s` also show `tensor(0.6931, device='cuda:0', grad_fn=<NllLossBackward0>)`; f-strings and `format` the number.

## Bad

```python
import torch
from torch import nn, optim


def train(net: nn.Module, loader, epochs: int):
    opt = optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(epochs):
        net.train()
        for i, (x, y) in enumerate(loader):
            opt.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            opt.step()
            print(f"epoch {epoch} batch {i} loss {loss}")
```

## Good

```python
import torch
from torch import nn, optim


def train(net: nn.Module, loader, epochs: int):
    opt = optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(epochs):
        net.train()
        for i, (x, y) in enumerate(loader):
            opt.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            opt.step()
            print(f"epoch {epoch} batch {i} loss {loss.item()}")
```

## Stays quiet

- `loss.item()` and `float(loss)`, which show that they wait.
- A line under a condition that changes from iteration to iteration, such as `if i % 100 == 0`.
- A line outside loops over batches, and loops that count epochs.

## Repair

Safe: `.item()`.

## Evidence

What a run shows: in how many training batches a tensor is formatted.
"""

from looplint.rule import Program, Report, Reports, Show, ShowItem, over_batches

CODE = "LL403"
DEFAULT = False
SEVERITY = "warning"


def check(program: Program) -> Reports:
    for event in program.of(Show):
        loop = next((at for at in reversed(event.loops) if over_batches(program, at)), None)
        if loop is None or program.counts_epochs(loop) or not event.certain:
            continue  # outside loops over batches, or in one that counts epochs
        if not program.every_iteration(event, loop):
            continue  # under a condition that changes from iteration to iteration
        message = f"{event.name} is formatted as a tensor in every batch: each waits for the device, which this line does not show; format its value, .item()"
        yield Report(event, message, repair=ShowItem(event=event))
