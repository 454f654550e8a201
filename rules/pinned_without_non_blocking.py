"""A batch in pinned memory is copied to the device while the program waits.

## What it does

Reports `.to(device)` and `.cuda()` without `non_blocking=True` on a part of a batch whose loader is given `pin_memory=True`.

## Why it matters

Pinned memory costs a copy in the loader, and pays when the copy to the device runs beside the program. Without `non_blocking=True` the program
waits for it.

## Bad

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

- Loaders that do not pin, or whose arguments are not known.
- Moves to the CPU.
- Tensors that no loader made, or one of several loaders.
- A flag that is not known.

## Repair

Safe: `non_blocking=True`; what runs on the device afterwards waits for the copy by itself.

## Evidence

What a run on an accelerator shows: copies from pinned memory that the program waits for. On the CPU there is no copy.
"""

from looplint.rule import BuildLoader, GiveArgument, Loader, Program, Report, Reports, Transfer, argument, name_of, note, subjects

CODE = "LP003"
DEFAULT = False
SEVERITY = "warning"


def check(program: Program) -> Reports:
    built = {obj: e for e in program.of(BuildLoader) for obj in e.subjects}
    for event in program.of(Transfer):
        loaders = [o for o in subjects(event, Loader) if o in built]
        if event.waits is not True:
            continue  # non_blocking=True, or a flag that is not known
        if event.device == "cpu":
            continue  # a move to the CPU
        if len(loaders) != 1 or not event.certain:
            continue  # a tensor that no loader made, or one of several loaders
        (loader,) = loaders
        if argument(loader, "pin_memory") is not True:
            continue  # a loader that does not pin, or whose arguments are not known
        message = (
            f"the program waits for the copy of {event.name}, which is in pinned memory: it could go on meanwhile; pass non_blocking=True"
        )
        yield Report(
            event,
            message,
            note(built[loader], f"{name_of(loader, 'the loader')} pins its batches"),
            repair=GiveArgument(event=event, values={"non_blocking": "True"}),
        )
