"""A model is measured over a distributed sampler that repeats items, so that these count twice.

## What it does

Reports a forward whose result is measured, in a loop over a loader on which nothing is trained, where the loader's `DistributedSampler` does not
drop what is left over.

## Why it matters

A `DistributedSampler` gives each process as many items: where the dataset does not divide evenly, it repeats some. 10 items for four processes
become 12. The repeated ones count twice in the mean of all processes: up to one item less than there are processes, and others each time where
the sampler shuffles, as it does by default. On small sets, and for published numbers, that matters; the number also changes with the number of
processes.

## Bad

```python
import torch
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler


def evaluate(net: nn.Module, data):
    loader = DataLoader(data, batch_size=16, sampler=DistributedSampler(data))
    net.eval()
    right = torch.zeros(2, device="cuda")
    with torch.no_grad():
        for x, y in loader:
            right[0] += (net(x).argmax(1) == y).sum()
            right[1] += len(y)
    torch.distributed.all_reduce(right)
    return right[0] / right[1]
```

## Good

```python
import torch
from torch import nn
from torch.utils.data import DataLoader, Subset


def evaluate(net: nn.Module, data, rank: int, processes: int):
    loader = DataLoader(Subset(data, range(rank, len(data), processes)), batch_size=16)
    net.eval()
    right = torch.zeros(2, device="cuda")
    with torch.no_grad():
        for x, y in loader:
            right[0] += (net(x).argmax(1) == y).sum()
            right[1] += len(y)
    torch.distributed.all_reduce(right)
    return right[0] / right[1]
```

## Stays quiet

- `drop_last=True` of the sampler, or a value that is not known: then items are left out, and none is repeated.
- A loader that is trained on, that may have another sampler or none, or that a framework prepares.
- Other samplers than torch's DistributedSampler.
- Forwards whose results are not measured.

## Repair

None: items that are left over can be measured apart, or counted once.

## Evidence

None: one process sees its own items alone.
"""

from looplint.rule import BuildSampler, Program, Report, Reports, note, padded_passes

CODE = "LL906"
SEVERITY = "advice"
DEFAULT = False


def check(program: Program) -> Reports:
    for found in padded_passes(program):
        event = next(e for e in program.of(BuildSampler) if found.sampler in e.subjects)
        drawn = ", others each time it shuffles" if found.sampler.by_epoch else ""
        message = f"this sampler repeats items until each process has as many{drawn}: in what is measured here they count twice; measure in one process, or leave the repeated ones out"
        yield Report(event, message, note(found.forward, "the model is measured here"))
