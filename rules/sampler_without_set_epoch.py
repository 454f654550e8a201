"""The epoch of a distributed sampler is never set: it repeats the order of the first epoch.

## What it does

Reports a `DistributedSampler` that shuffles, of a loader or of its `BatchSampler`, whose batches a loop trains on in every epoch, in a program that
calls `set_epoch` neither on the sampler nor on the loader.

## Why it matters

The sampler seeds its order with the number of the epoch, which stays 0 until `set_epoch` says otherwise. Each process then sees the same
batches in the same order in every epoch: the data look shuffled and are so only once, and each process goes on seeing its own part alone.

## Bad

```python
import torch
from torch import nn, optim
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

data = TensorDataset(torch.randn(64, 8), torch.arange(64) % 2)
sampler = DistributedSampler(data, num_replicas=2, rank=0)
loader = DataLoader(data, batch_size=16, sampler=sampler)
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
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

data = TensorDataset(torch.randn(64, 8), torch.arange(64) % 2)
sampler = DistributedSampler(data, num_replicas=2, rank=0)
loader = DataLoader(data, batch_size=16, sampler=sampler)
net = nn.Linear(8, 2)
opt = optim.SGD(net.parameters(), lr=0.1)
for epoch in range(3):
    sampler.set_epoch(epoch)
    for x, y in loader:
        opt.zero_grad()
        loss = nn.functional.cross_entropy(net(x), y)
        loss.backward()
        opt.step()
```

## Stays quiet

- `shuffle=False`, or a value that is not known.
- A loader that is not trained on, or that is iterated over once.
- `sampler.set_epoch(...)`, `loader.sampler.set_epoch(...)`, and a `set_epoch` of something that is not known.
- A sampler or loader that escapes into code that cannot be followed, or that others may have who take part in the epochs: subclasses, hooks, callbacks.
- Loaders prepared by accelerate or Fabric, which set the epoch themselves.
- A loader that may have one of several samplers, if one of them draws the same order whatever the epoch, or is told it; having one or none does not
  matter, nor that another loader may be built in the place of this one.

## Repair

Safe: the call, at the top of the epoch loop, where the sampler or its loader has a name there. None for one of several samplers.

## Evidence

What a run shows: several passes over a loader with a DistributedSampler, and no call of `set_epoch`.
"""

from looplint.rule import (
    BuildSampler,
    Note,
    Program,
    Report,
    Reports,
    Sampler,
    SetEpoch,
    Site,
    constant_of,
    drawn_by,
    name_of,
    note,
    refs,
    runs_by_itself,
)

CODE = "LL903"
SEVERITY = "warning"


def check(program: Program) -> Reports:
    built = {obj: event for event in program.of(BuildSampler) for obj in event.subjects}
    for loader, found in program.training_passes.items():
        drawn = drawn_by(loader)
        samplers = refs(drawn.samplers, Sampler)
        if not samplers or not all(each in built for each in samplers):
            continue  # a sampler that is not built in sight
        if not all(each.by_epoch for each in samplers):
            continue  # shuffle=False, a value that is not known, or one of several samplers that draws one order
        if any(program.epoch_is_set(each, loader, by_callers=not runs_by_itself(found)) for each in samplers):
            continue  # set_epoch is called, or may be: by a framework, or by code that cannot be followed
        first, *further = sorted(samplers, key=lambda each: built[each].index)
        event, name = built[first], name_of(first, "this sampler")
        message = f"nothing calls set_epoch on {name}: it draws the order of the first epoch in every epoch; call set_epoch(epoch) at the start of each"
        others = frozenset(a for a in drawn.samplers if not refs(frozenset({a}), Sampler))
        repair = SetEpoch(
            sampler=event,
            loader=found.loader,
            epochs=found.epochs,
            batches=found.batches,
            path=drawn.path,
            others=found.others,
            unless="" if not others else "None" if constant_of(others) is not None else "another",
        )
        notes = note(found.backward, "its batches are trained on here, epoch after epoch")
        # Another program that gets it of the same helper may tell it the epoch.
        notes += tuple(Note(site, "the training that gets it here") for site in _calls_of_other_files(event)[-1:])
        for each in further:
            notes += note(built[each], "or the loader gets this one, which is not told the epoch either")
        yield Report(event, message, notes, repair=None if further else repair)


def _calls_of_other_files(event: BuildSampler) -> list[Site]:
    """The calls that lead to a sampler from files other than its own, outer ones first."""
    return [site for site in event.calls if site.module is not event.site.module]
