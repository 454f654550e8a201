"""A cross-entropy gets probabilities where it expects logits.

## What it does

Reports a call of `nn.CrossEntropyLoss` or `F.cross_entropy` whose prediction is the result of a softmax on every path, or that of a sigmoid on
every path. They are found through names and calls, and through the `forward` of the model itself.

## Why it matters

The loss applies `log_softmax` to what it is given. Probabilities lie between 0 and 1, so the second softmax makes them nearly equal: with 10
classes the loss never falls below 1.46 however good the model is, and the gradients are a fraction of what they should be. The model still
learns, slowly, which is why nobody notices.

## Bad

```python
import torch
from torch import nn


def train(loader, epochs: int):
    model = nn.Sequential(nn.Linear(16, 10), nn.Softmax(dim=1))
    criterion = nn.CrossEntropyLoss()
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
    model = nn.Sequential(nn.Linear(16, 10))
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(epochs):
        for x, y in loader:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
```

## Stays quiet

- A prediction that is the result of a softmax or a sigmoid on some path only, or whose origin is not known on some path.
- A softmax or a sigmoid for metrics, or inside the model (attention).
- `NLLLoss` after a `log_softmax`.
- A `log_softmax` before the cross-entropy, which changes nothing: the logarithm of a softmax is its own.

## Repair

Safe where the softmax is applied beside the loss: drop it, or give the loss what the softmax is applied to, where others use its result too.
Unsafe inside the model, whose other users may want probabilities, and none where a library is handed that model, or where the text
gives what it puts out to anything but the loss, a metric or what asks which is the largest. None for a sigmoid: either it is one too
many, or a binary cross-entropy is meant.

## Evidence

What a run shows: the inputs of the cross-entropy all lie between 0 and 1; behind a softmax, each row sums to 1.
"""

from looplint.rule import ChooseLoss, DropActivation, Note, Program, Report, Reports, Scored, scored

CODE = "LL701"


def check(program: Program) -> Reports:
    for found in scored(program, "cross_entropy", "softmax"):
        message = f"cross-entropy takes logits, and {found.what} is the result of a softmax: its own softmax makes the classes nearly equal, and {_harm(found)}; give it the values before the softmax"
        notes = tuple(Note(site, "softmax is applied here") for site in found.sites[:3])
        yield Report(found.event, message, notes, repair=DropActivation(event=found.event, outcomes=found.outcomes))
    for found in scored(program, "cross_entropy", "sigmoid"):
        message = (
            f"cross-entropy takes logits, and {found.what} is the result of a sigmoid, between 0 and 1: its softmax makes the classes nearly equal, "
            f"and {_harm(found)}; give it the values before the sigmoid"
        )
        notes = tuple(Note(site, "sigmoid is applied here") for site in found.sites[:3])
        yield Report(found.event, message, notes, repair=ChooseLoss(activation="sigmoid"))


def _harm(found: Scored) -> str:
    """What nearly equal classes do to a loss."""
    return "the loss says little" if found.measures else "training slow"
