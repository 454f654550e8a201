"""The loader that feeds an accelerator prepares its batches in the training process.

## What it does

Reports a `DataLoader` with `num_workers` 0 or absent whose batches a loop trains on in every epoch, in a program that moves a model or a
batch to an accelerator.

## Why it matters

The default of `num_workers` is 0: the process that trains also reads and decodes each item, and the device stands idle meanwhile. With workers
the next batches are made while this one is computed.

## Bad

```python
import torch
from torch import nn, optim
from torch.utils.data import DataLoader
from torchvision.datasets import ImageFolder
from torchvision.transforms import ToTensor

device = torch.device("cuda")
loader = DataLoader(ImageFolder("photos", ToTensor()), batch_size=64, shuffle=True)
net = nn.Linear(8, 2).to(device)
opt = optim.SGD(net.parameters(), lr=0.1)
for epoch in range(3):
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        opt.zero_grad()
        loss = nn.functional.cross_entropy(net(x), y)
        loss.backward()
        opt.step()
```

## Good

```python
import torch
from torch import nn, optim
from torch.utils.data import DataLoader
from torchvision.datasets import ImageFolder
from torchvision.transforms import ToTensor

device = torch.device("cuda")
loader = DataLoader(ImageFolder("photos", ToTensor()), batch_size=64, shuffle=True, num_workers=4, persistent_workers=True)
net = nn.Linear(8, 2).to(device)
opt = optim.SGD(net.parameters(), lr=0.1)
for epoch in range(3):
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        opt.zero_grad()
        loss = nn.functional.cross_entropy(net(x), y)
        loss.backward()
        opt.step()
```

## Stays quiet

- Programs that are not known to use an accelerator.
- A number of workers that is not known.
- Datasets that are not known to read, decode or compute their items on access: of items in memory, workers would only send copies.
- Iterable datasets, whose items each worker would repeat unless they are split.

## Repair

Unsafe: `num_workers=4`, kept from epoch to epoch; what serves best depends on the machine, and a script needs `if __name__ == "__main__":` where processes are spawned.
Workers that stay take their seed once and not once an epoch (torch 2.13), so shuffling goes by other random numbers from the second epoch on.

## Evidence

What a run shows: the training batches that are made in the training process. What that costs depends on how long an item takes to
make: of items of 5 ms, eight batches of eight beside steps of 30 ms took 0.96 s without workers and 0.34 s with four.
"""

from looplint.rule import GiveArgument, Program, Report, Reports, name_of, note, off, on_accelerator

CODE = "LP001"
DEFAULT = False
SEVERITY = "warning"
WORKERS = {"num_workers": "4", "persistent_workers": "True"}


def check(program: Program) -> Reports:
    if not on_accelerator(program):
        return  # a program that is not known to use an accelerator
    for loader, found in program.training_passes.items():
        if not off(loader, "num_workers"):
            continue  # workers, or a number of them that is not known
        if not loader.makes_items:
            continue  # a dataset that is not known to read, decode or compute its items on access
        if loader.style == "iterable":
            continue  # an iterable dataset
        message = f"{name_of(loader, 'this loader')} makes its batches in the training process: the device waits for each; pass num_workers"
        notes = note(found.backward, "its batches are trained on here")
        yield Report(found.loader, message, notes, repair=GiveArgument(event=found.loader, values=WORKERS, applicability="unsafe"))
