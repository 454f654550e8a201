"""The training data come in the order in which they are stored, epoch after epoch.

## What it does

Reports a `DataLoader` whose batches a loop trains on in every epoch, that is given neither `shuffle` nor a sampler, and whose dataset gives
its items by index.

## Why it matters

The default of `shuffle` is False. Every epoch then takes the same batches in the same order: where the dataset lists its classes or files
one after the other, whole batches are of one class, batch norm sees statistics that no validation batch has, and what comes last weighs most.

## Bad

```python
import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.randn(64, 8), torch.arange(64) // 32)
loader = DataLoader(data, batch_size=16)
net = nn.Linear(8, 2)
opt = optim.SGD(net.parameters(), lr=0.1)
for epoch in range(3):
    for x, y in loader:
        opt.zero_grad()
        loss = nn.functional.cross_entropy(net(x), y)
        loss.backward()
        opt.step()
```

## Good

```python
import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.randn(64, 8), torch.arange(64) // 32)
loader = DataLoader(data, batch_size=16, shuffle=True)
net = nn.Linear(8, 2)
opt = optim.SGD(net.parameters(), lr=0.1)
for epoch in range(3):
    for x, y in loader:
        opt.zero_grad()
        loss = nn.functional.cross_entropy(net(x), y)
        loss.backward()
        opt.step()
```

## Stays quiet

- `shuffle=False` in so many words, a sampler or a batch sampler.
- Iterable datasets and those that are not known.
- A dataset that mixes or draws its items itself.
- One batch of everything.
- A loader that is gone over once.
- What follows in time: a dataset whose name says so, or a hidden state that the loop or the model carries from batch to batch.

## Repair

Safe: `shuffle=True`.

## Evidence

What a run shows: the loader of the training batches draws with a SequentialSampler.
"""

from looplint.rule import Program, Report, Reports, SetArgument, follows_time, name_of, note

CODE = "LL901"


def check(program: Program) -> Reports:
    for loader, found in program.training_passes.items():
        if loader.order != "as stored":
            continue  # shuffle in so many words, a sampler, or one batch of everything
        if loader.style != "map":
            continue  # an iterable dataset, one that is not known, or one that mixes or draws its items itself
        if follows_time(loader, found.batches.assigned) or program.carries_state(found.batches):
            continue  # what follows in time
        message = f"{name_of(loader, 'this loader')} is trained on without shuffle: every epoch takes the same batches in the same order"
        yield Report(
            found.loader,
            message,
            note(found.backward, "its batches are trained on here"),
            repair=SetArgument(event=found.loader, name="shuffle", value="True"),
        )
