"""Mixed precision by names of `torch.cuda.amp`, which are deprecated.

## What it does

Reports calls of `autocast` and `GradScaler` of `torch.cuda.amp` and `torch.cpu.amp`.

## Why it matters

Since PyTorch 2.4 each line with such a call warns, once in every process. The names of `torch.amp` take the device as their first argument, so
that the same code runs on other devices.

## Bad

```python
import torch
from torch import nn


def train(model: nn.Module, loader, epochs: int):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scaler = torch.cuda.amp.GradScaler()
    for epoch in range(epochs):
        model.train()
        for x, y in loader:
            optimizer.zero_grad()
            with torch.cuda.amp.autocast():
                loss = nn.functional.mse_loss(model(x), y)
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
```

## Good

```python
import torch
from torch import nn


def train(model: nn.Module, loader, epochs: int):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scaler = torch.amp.GradScaler("cuda")
    for epoch in range(epochs):
        model.train()
        for x, y in loader:
            optimizer.zero_grad()
            with torch.amp.autocast("cuda"):
                loss = nn.functional.mse_loss(model(x), y)
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
```

## Stays quiet

- A `target-torch` below 2.3: the names that replace them were not there.
- `torch.autocast` and `torch.amp`.
- Classes of the same name that a project defines itself.

## Repair

Safe: the name of `torch.amp`, with the device. Positional arguments of `autocast`, whose order differs, get their names.

## Evidence

What a run shows: a FutureWarning that names the function.
"""

from looplint.rule import Outdated, Program, Report, Reports, UseTorchAmp

CODE = "LP007"
DEFAULT = False
SEVERITY = "advice"


def check(program: Program) -> Reports:
    if program.target_torch < (2, 3):
        return
    for event in program.of(Outdated):
        device, name = event.device, event.name
        message = f'torch.{device}.amp.{name} is deprecated: it warns wherever it is used; write torch.amp.{name}("{device}")'
        yield Report(event, message, repair=UseTorchAmp(event=event, device=device, name=name))
