"""Each process shuffles with a seed of its own: the parts of the dataset overlap, and miss items.

## What it does

Reports a `DistributedSampler` that shuffles with a `seed` that differs between processes: one that is computed from the rank. It is an error
where the batches are trained on epoch after epoch and nothing calls `set_epoch`, else a warning.

## Why it matters

Each process shuffles the whole dataset by itself and takes every n-th item of its order. The parts are disjoint only where all processes draw the
same order. With a seed for each rank an epoch takes some items several times and others never: of 1,000 items two processes saw 760 between them,
and eight 647. Where nothing tells the sampler the epoch, it draws the same items in every epoch, and the others are never trained on. A seed that
depends on the rank is right for augmentation and dropout, not for the sampler.

## Bad

```python
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler


def build(data, seed: int):
    rank = dist.get_rank()
    torch.manual_seed(seed + rank)
    sampler = DistributedSampler(data, seed=seed + rank)
    return DataLoader(data, batch_size=16, sampler=sampler)
```

## Good

```python
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler


def build(data, seed: int):
    rank = dist.get_rank()
    torch.manual_seed(seed + rank)
    sampler = DistributedSampler(data, seed=seed)
    return DataLoader(data, batch_size=16, sampler=sampler)
```

## Stays quiet

- A seed that is the same everywhere, and none, which is 0.
- `shuffle=False`, or a value that is not known: nothing is drawn.
- Other samplers than torch's DistributedSampler.

## Repair

Unsafe, where the rank is a summand of the seed in the call: without it.

## Evidence

None: one process knows one seed.
"""

from looplint.rule import BuildSampler, Program, Report, Reports, Sampler, ShareSeed, drawn_by, only, refs

CODE = "LL905"
SEVERITY = "warning"
DEFAULT = False


def check(program: Program) -> Reports:
    for event in program.of(BuildSampler):
        sampler = only(event, Sampler)
        if sampler is None or not sampler.seed_by_rank or not sampler.by_epoch:
            continue
        always = any(
            refs(drawn_by(loader).samplers, Sampler) == [sampler] and not program.epoch_is_set(sampler, loader)
            for loader in program.training_passes
        )
        each = ", the same in every epoch" if always else ""
        message = (
            f"each process shuffles with a seed of its own: their parts of the dataset overlap, and miss items{each}; give all one seed"
        )
        yield Report(event, message, repair=ShareSeed(sampler=event), severity="error" if always else None)
