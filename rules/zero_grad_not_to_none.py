"""Gradients are filled with zeros where they could be dropped.

## What it does

Reports `zero_grad(set_to_none=False)`.

## Why it matters

Zeros have to be written, are added to by the next backward, and take memory while the forward pass runs. With `set_to_none=True`, the default
since PyTorch 2.0, the backward writes the gradients instead. The results differ only for parameters that get no gradient: with zeros an optimizer
with momentum or weight decay still moves them.

## Bad

```python
import torch
from torch import nn


def train(model: nn.Module, loader, epochs: int):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(epochs):
        model.train()
        for x, y in loader:
            optimizer.zero_grad(set_to_none=False)
            loss = nn.functional.mse_loss(model(x), y)
            loss.backward()
            optimizer.step()
```

## Good

```python
import torch
from torch import nn


def train(model: nn.Module, loader, epochs: int):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(epochs):
        model.train()
        for x, y in loader:
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(x), y)
            loss.backward()
            optimizer.step()
```

## Stays quiet

- A setting that is not written in the call, or whose value is not known.
- Programs that read or write gradients themselves, which may need them to be tensors.
- A `target-torch` below 2.0: zeros were the default there.

## Repair

Safe: remove the argument.

## Evidence

What a run shows: clears that leave gradients in memory, filled with zeros. The same numbers come out. Of a net with 8.4 MB of parameters 8.4 MB of
zeros stayed, and an iteration on the CPU took 6.0 ms in place of 5.4 ms (the best of five runs each, torch 2.13).
"""

from looplint.rule import Clear, DropSetting, Program, Report, Reports, constant_of

CODE = "LP006"
DEFAULT = False
SEVERITY = "warning"


def check(program: Program) -> Reports:
    gradients = program.gradients
    if gradients.read or gradients.read_unknown or gradients.scaled:
        return  # a program that reads or writes gradients itself
    if program.target_torch < (2, 0):
        return  # zeros were the default there
    for event in program.of(Clear):
        given = event.set_to_none
        known = constant_of(given) if given is not None else None
        if known is not None and known.value is False:
            message = "set_to_none=False fills the gradients with zeros: dropping them saves a write, an addition and memory; leave it out"
            yield Report(event, message, repair=DropSetting(event=event, keyword="set_to_none"))
