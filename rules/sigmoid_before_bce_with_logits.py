"""A binary cross-entropy with logits gets probabilities.

## What it does

Reports a call of `nn.BCEWithLogitsLoss` or `F.binary_cross_entropy_with_logits` whose prediction is the result of a sigmoid on every path, or
that of a softmax on every path. They are found through names and calls, and through the `forward` of the model itself.

## Why it matters

The loss applies a sigmoid to what it is given. A probability is at least 0, so the loss reads every prediction as "yes, with 50 to 73 %": no
example can be called negative, and the loss of one stays above 0.69. The model still learns which examples are more positive than others,
which is why nobody notices.

## Bad

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
            loss = criterion(torch.sigmoid(model(x)), y)
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

- A prediction that is the result of a sigmoid or a softmax on some path only, or whose origin is not known on some path.
- A sigmoid for metrics, or inside the model (gates).
- `BCELoss` after a sigmoid.
- Targets that are probabilities.

## Repair

Safe where the sigmoid is applied beside the loss: drop it, or give the loss what the sigmoid is applied to, where others use its result too.
Unsafe inside the model, whose other users may want probabilities, and none where a library is handed that model, or where the text
gives what it puts out to anything but the loss or what asks which is the largest. None for a
softmax: either it is one too many, or another loss is meant.

## Evidence

What a run shows: the inputs of the loss all lie between 0 and 1.
"""

from looplint.rule import ChooseLoss, DropActivation, Note, Program, Report, Reports, scored

CODE = "LL702"


def check(program: Program) -> Reports:
    for found in scored(program, "binary_cross_entropy_with_logits", "sigmoid"):
        message = f"this loss takes logits, and {found.what} is the result of a sigmoid: after its own sigmoid no prediction is below 0.5; give it the values before the sigmoid"
        notes = tuple(Note(site, "sigmoid is applied here") for site in found.sites[:3])
        yield Report(found.event, message, notes, repair=DropActivation(event=found.event, outcomes=found.outcomes))
    for found in scored(program, "binary_cross_entropy_with_logits", "softmax"):
        message = f"this loss takes logits, and {found.what} is the result of a softmax, between 0 and 1: after the loss's sigmoid no prediction is below 0.5; give it the values before the softmax"
        notes = tuple(Note(site, "softmax is applied here") for site in found.sites[:3])
        yield Report(found.event, message, notes, repair=ChooseLoss(activation="softmax"))
