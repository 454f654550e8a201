"""A batch is copied with non_blocking=True from memory that is not pinned.

## What it does

Reports `.to(device, non_blocking=True)` and `.cuda(non_blocking=True)` on a part of a batch whose loader is not given `pin_memory=True`.

## Why it matters

A copy to the device can only run beside the program when it starts from pinned memory. From other memory it is staged first, and the flag
changes nothing.

## Bad

```python
import torch
from torch import nn, optim
from torch.utils.data import DataLoader

from photos import Photos

device = torch.device("cuda")
loader = DataLoader(Photos("train"), batch_size=64, shuffle=True)
net = nn.Linear(8, 2).to(device)
opt = optim.SGD(net.parameters(), lr=0.1)
for epoch in range(3):
    for x, y in loader:
        x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
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

from photos import Photos

device = torch.device("cuda")
loader = DataLoader(Photos("train"), batch_size=64, shuffle=True, pin_memory=True)
net = nn.Linear(8, 2).to(device)
opt = optim.SGD(net.parameters(), lr=0.1)
for epoch in range(3):
    for x, y in loader:
        x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
        opt.zero_grad()
        loss = nn.functional.cross_entropy(net(x), y)
        loss.backward()
        opt.step()
```

## Stays quiet

- Batches that are pinned by hand.
- Loaders whose arguments are not known, and those that a framework prepares.
- Moves to the CPU.
- Tensors that no loader made, or one of several loaders.

## Repair

Safe: `pin_memory=True` on the loader, and `non_blocking=True` on the other copies of its batches.

## Evidence

What a run on an accelerator shows: copies with `non_blocking=True` from memory that is not pinned. On the CPU there is no copy.
"""

from looplint.rule import BuildLoader, Loader, PinLoader, Program, Report, Reports, Transfer, name_of, note, off, subjects

CODE = "LP002"
DEFAULT = False
SEVERITY = "warning"


def check(program: Program) -> Reports:
    built = {obj: e for e in program.of(BuildLoader) for obj in e.subjects}
    reported = set()
    for event in program.of(Transfer):
        loaders = [o for o in subjects(event, Loader) if o in built and not o.prepared]
        if event.waits is not False:
            continue
        if event.pinned:
            continue  # a batch that is pinned by hand
        if event.device == "cpu":
            continue  # a move to the CPU
        if len(loaders) != 1 or not event.certain:
            continue  # a tensor that no loader made, or one of several loaders; a loader that a framework prepares
        (loader,) = loaders
        if not off(loader, "pin_memory"):
            continue  # a loader whose arguments are not known
        if loader in reported:
            continue
        reported.add(loader)
        name = name_of(loader, "the loader")
        waiting = [e for e in program.of(Transfer) if loader in e.subjects and e.waits and e.device != "cpu"]
        message = f"non_blocking=True has no effect: the batches of {name} are not in pinned memory; give the loader pin_memory=True"
        yield Report(
            event, message, note(built[loader], "built without pin_memory"), repair=PinLoader(loader=built[loader], waiting=waiting)
        )
