"""Mean losses of batches are added up, and the sum is divided by what does not fit: the number of items, or batches of which one is smaller.

## What it does

Reports the division of a sum of the mean losses of a loader's batches by the number of the dataset's items, or of all items of its batches; that of
such a mean by the size of its batch; and by the number of batches, where the last one is known to be smaller. The first two are errors, the last is
advice.

## Why it matters

A loss function gives the mean over a batch. A sum of such means has one summand for each batch: divided by the number of items it is too small by
the batch size, so that losses of runs with different batch sizes cannot be compared, and a threshold or a plot is off by that factor. Divided by
the number of batches it is right where all batches are of one size; a smaller last batch weighs as much as the others.

## Bad

```python
import torch
from torch import nn
from torch.utils.data import DataLoader


def validate(net: nn.Module, loader: DataLoader):
    net.eval()
    total = 0.0
    with torch.no_grad():
        for x, y in loader:
            total += nn.functional.mse_loss(net(x), y).item()
    return total / len(loader.dataset)
```

## Good

```python
import torch
from torch import nn
from torch.utils.data import DataLoader


def validate(net: nn.Module, loader: DataLoader):
    net.eval()
    total = 0.0
    with torch.no_grad():
        for x, y in loader:
            total += nn.functional.mse_loss(net(x), y).item() * x.size(0)
    return total / len(loader.dataset)
```

## Stays quiet

- Losses that are multiplied by the size of their batch or by a weight, and a quotient that is multiplied again.
- Losses that are summed (`reduction="sum"`, `.sum()`), and those whose reduction is not known.
- Batches of one item.
- Batches that no loader gives: an item at a time.
- A number of batches, where they may all be of one size: `drop_last`, or sizes that are not known.

## Repair

Unsafe: each mean is weighted with what the loop counts as its items, or the sum is divided by `len(loader)` in place of `len(loader.dataset)`, which is
right where all batches are of one size. None where the number of items is computed elsewhere, where a mean is divided by the size of its batch, which
can be left out, and for a smaller last batch: it can be dropped or weighted.

## Evidence

None: a run records tensors, and what the program makes of a number it has read is not seen.
"""

from looplint.rule import Average, AverageBatches, Program, Report, Reports, smaller_last

CODE = "LL404"
DEFAULT = False


def check(program: Program) -> Reports:
    for event in program.of(Average):
        if event.weighted:
            continue  # a quotient that is multiplied again
        if event.again:
            message = f"{event.total} is of mean losses of batches, and is divided by the size of a batch once more: it is too small by that factor; leave the division by {event.divisor} out"
            yield Report(event, message, repair=AverageBatches(average=event))
        elif event.loader is None:
            message = f"{event.total} adds up the mean loss of each batch and is divided by the number of items: it is too small by the batch size; divide by the number of batches"
            yield Report(event, message, repair=AverageBatches(average=event))
        elif (last := smaller_last(event.loader)) is not None:
            message = f"the mean of the last batch, {last.items} items and not {last.size}, counts in {event.total} like the others: the average is a little off; weight each by its number of items"
            yield Report(event, message, severity="advice", repair=AverageBatches(average=event))
