"""The workers of a loader are restarted in every epoch.

## What it does

Reports a `DataLoader` with workers that a loop iterates over in every iteration of another loop, and that is not given
`persistent_workers=True`.

## Why it matters

Without it the workers end with the epoch. The next one starts processes, imports modules and copies the dataset again before its first batch,
which takes seconds where processes are spawned, as on Windows and macOS, or the dataset is large.

## Bad

```python
import torch
from torch import nn, optim
from torch.utils.data import DataLoader

from photos import Photos

device = torch.device("cuda")
loader = DataLoader(Photos("train"), batch_size=64, shuffle=True, num_workers=4)
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
loader = DataLoader(Photos("train"), batch_size=64, shuffle=True, num_workers=4, persistent_workers=True)
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

- Loaders that are built in the outer loop, or iterated over once.
- A number of workers that is not known, or that differs from call to call of the function that builds the loader.
- Loaders and datasets that a loop of the program changes: workers that stay would keep the old state.

## Repair

Unsafe: `persistent_workers=True`. Workers that stay take their seed once and not once an epoch (torch 2.13), so shuffling and dropout go by other
random numbers from the second epoch on: the run is as good, and not bitwise the same. Where the number of workers is not a literal in the call, it
may be 0 in another run, and torch refuses the argument then.

## Evidence

What a run shows: how many worker processes are started. With torch 2.13 on two busy processor cores, an epoch over a dataset that costs nothing took
0.13 to 0.2 s with two forked workers (0.4 to 0.6 s with a list of two million numbers to copy), 11 to 15 s with two spawned ones, and below 0.05 s
with workers that stay.
"""

from looplint.rule import GiveArgument, Program, Report, Reports, argument, changing, epoch_passes, name_of, off, same_everywhere

CODE = "LP008"
DEFAULT = False
SEVERITY = "warning"


def check(program: Program) -> Reports:
    for loader, found in epoch_passes(program).items():
        workers = argument(loader, "num_workers")
        if not isinstance(workers, int) or workers < 1 or not off(loader, "persistent_workers"):
            continue  # a number of workers that is not known, or none
        if changing(loader):
            continue  # a loader or dataset that a loop of the program changes
        if not same_everywhere(program, found.loader, "num_workers"):
            continue  # a number of workers that differs from call to call
        message = f"the {workers} workers of {name_of(loader, 'this loader')} end with each epoch and are started again for the next: every epoch begins with a wait; pass persistent_workers=True"
        yield Report(
            found.loader, message, repair=GiveArgument(event=found.loader, values={"persistent_workers": "True"}, applicability="unsafe")
        )
