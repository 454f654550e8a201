"""A binary cross-entropy gets logits where it expects probabilities.

## What it does

Reports a call of `nn.BCELoss` or `F.binary_cross_entropy` whose prediction is the output of a linear or convolution layer on every path.
The layer is found through names and calls, and through the `forward` of the model itself.

## Why it matters

The loss takes logarithms of what it is given. As soon as a value is below 0 or above 1 it raises "all elements of input should be between 0
and 1" on the CPU, and stops the whole process with a device-side assertion on CUDA.

## Bad

```python
import torch
from torch import nn


def train(loader, epochs: int):
    model = nn.Linear(16, 1)
    criterion = nn.BCELoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(epochs):
        for x, y in loader:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
```

## Good

```python
import torch
from torch import nn


def train(loader, epochs: int):
    model = nn.Linear(16, 1)
    criterion = nn.BCEWithLogitsLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(epochs):
        for x, y in loader:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
```

## Stays quiet

- A prediction that has gone through a sigmoid or a softmax on some path.
- A prediction that is clamped.
- A prediction whose origin is not known on some path.
- A loss that is one of several kinds, as an option says.

## Repair

Safe: `BCEWithLogitsLoss`, or `F.binary_cross_entropy_with_logits`, which is also the more exact one. Where other predictions go through the same
loss there is none.

## Evidence

What a run shows: the run ends with the error.
"""

from looplint.rule import Note, Program, Report, Reports, TakeLogits, scored

CODE = "LL703"


def check(program: Program) -> Reports:
    for found in scored(program, "binary_cross_entropy", "linear"):
        message = f"this loss takes probabilities, and {found.what} comes straight out of a layer: the first value that is not between 0 and 1 raises an error; use the loss that takes logits, BCEWithLogitsLoss"
        notes = tuple(Note(site, "no sigmoid follows this layer") for site in found.sites[:3])
        yield Report(found.event, message, notes, repair=TakeLogits(event=found.event))
