"""A parameter is moved or converted where it is built: the module keeps a copy of it, which is no parameter.

## What it does

Reports `self.weight = nn.Parameter(...).to(device)` in a method of a module, where the parameter is made of a tensor on the CPU, and the same with
`.cuda()` and with a method that gives another type.

## Why it matters

`to()` of a parameter that changes anything gives a tensor that is computed from the parameter, not a parameter. The module does not register it: it is
not in `parameters()`, so no optimizer learns it, and not in the state dict, so no checkpoint has it. On the CPU `to(device)` gives back the
parameter itself, so tests pass, and the same program on a GPU trains without this weight.

## Bad

```python
import torch
from torch import nn


class Scale(nn.Module):
    def __init__(self, width: int, device: torch.device):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width)).to(device)

    def forward(self, x):
        return x * self.weight
```

## Good

```python
import torch
from torch import nn


class Scale(nn.Module):
    def __init__(self, width: int, device: torch.device):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width).to(device))

    def forward(self, x):
        return x * self.weight
```

## Stays quiet

- Parameters that are made on the device already, or of a tensor that is made elsewhere and may be there.
- Moves to the CPU, and conversions to `torch.float32`.
- Parameters that take no gradient.
- Programs that put all new tensors on an accelerator.

## Repair

Unsafe: move the tensor before it becomes a parameter. The module has one more parameter then, and its state dict one more entry.

## Evidence

What a run shows: the optimizer holds fewer parameters than the model has weights.
"""

from looplint.rule import MoveBeforeRegistering, Program, Report, Reports, Unregistered, render

CODE = "LL508"


def check(program: Program) -> Reports:
    if program.flags.needs_accelerator:
        return  # a program that puts all new tensors on an accelerator
    reported = set()
    for event in program.of(Unregistered):
        if event.site in reported:
            continue
        reported.add(event.site)
        where = "" if event.changes == "type" else " on a GPU" if event.device == "accelerator" else " on any device but the CPU"
        copied = render(event.copy).rpartition(").")[2]
        message = (
            f"{event.name} is no parameter{where}: .{copied} makes a plain tensor of the new parameter, which no optimizer learns "
            "and no checkpoint has; convert first, and make the parameter of the result"
        )
        yield Report(event, message, repair=MoveBeforeRegistering(event=event))
