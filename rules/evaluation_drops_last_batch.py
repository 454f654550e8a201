"""A model is measured over a loader that drops the last batch where it is smaller, so that some items are never measured.

## What it does

Reports a `DataLoader` with `drop_last=True` on which nothing is trained, where a forward in a loop over it has a result that is measured, or where
Lightning evaluates on it: `val_dataloader()` and `test_dataloader()` return it, or `fit`, `validate` or `test` of a Trainer get it. Where
the length of the dataset is known, the message says how many items are left out.

## Why it matters

`drop_last` is for training, where a small batch disturbs batch norm and the size of the steps. In a validation or a test it leaves out up to
one item less than a batch has, and always the same ones where the loader does not shuffle: of 420 items in batches of 64, 36. What is measured is
then that of another set, and it changes with the batch size. Where predictions are kept and compared with labels by position, they no
longer fit.

## Bad

```python
import torch
from torch import nn
from torch.utils.data import DataLoader


def test(net: nn.Module, data):
    loader = DataLoader(data, batch_size=64, drop_last=True)
    net.eval()
    right = seen = 0
    with torch.no_grad():
        for x, y in loader:
            right += (net(x).argmax(1) == y).sum().item()
            seen += len(y)
    return right / seen
```

## Good

```python
import torch
from torch import nn
from torch.utils.data import DataLoader


def test(net: nn.Module, data):
    loader = DataLoader(data, batch_size=64)
    net.eval()
    right = seen = 0
    with torch.no_grad():
        for x, y in loader:
            right += (net(x).argmax(1) == y).sum().item()
            seen += len(y)
    return right / seen
```

## Stays quiet

- A loader that is trained on, that a framework prepares, or that has a sampler.
- `drop_last` that hangs on a flag, as in a helper that builds all loaders.
- A dataset whose length is known to be a multiple of the batch size, and batches of one.
- Forwards whose results are not measured.

## Repair

Unsafe: `drop_last=False`. A model that counts on one batch size fails at a smaller batch.

## Evidence

What a run shows: a pass in which nothing is trained, over a loader that leaves out items.
"""

from looplint.rule import GiveArgument, Program, Report, Reports, note, shortened_passes

CODE = "LL907"
SEVERITY = "warning"
DEFAULT = False


def check(program: Program) -> Reports:
    for found in shortened_passes(program):
        how_many = f"{found.items} items are" if found.items is not None else "its items are"
        message = f"this loader drops its last batch where it is smaller: {how_many} left out of what is measured; leave drop_last out"
        repair = GiveArgument(event=found.built, values={"drop_last": "False"}, applicability="unsafe")
        yield Report(found.built, message, note(found.measured, "the model is measured here"), repair=repair)
