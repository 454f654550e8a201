"""Modules are kept in a plain list, tuple or dict, where their owner does not know of them.

## What it does

Reports an `nn.Module` that makes modules with parameters, keeps them in a plain container as an attribute, and uses them.

## Why it matters

A module finds its parts among its attributes, and does not look into lists. `parameters()` misses what is in them, so no optimizer trains
it; `to()`, `train()`, `eval()` and `state_dict()` miss it too: it stays on its device and in its mode, and no checkpoint holds it.

## Bad

```python
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.layers = [nn.Linear(width, width) for _ in range(3)]
        self.head = nn.Linear(width, 1)

    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x))
        return self.head(x)
```

## Good

```python
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(width, width) for _ in range(3)])
        self.head = nn.Linear(width, 1)

    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x))
        return self.head(x)
```

## Stays quiet

Lists whose modules are also registered (`nn.Sequential(*layers)`, `ModuleList`, `add_module`, `setattr`); modules without parameters;
modules that were handed in; a list of one, which hides a module on purpose; modules whose `parameters()` are asked for by hand.

## Repair

Safe: wrap the container in `nn.ModuleList` or `nn.ModuleDict`.

## Evidence

What a run shows: `parameters()` of the owner misses those of the modules in the container.
"""

from looplint.rule import Note, Program, Report, Reports, Site, WrapModules, known_elsewhere, unregistered, wrapper_for

CODE = "LL505"


def check(program: Program) -> Reports:
    # Methods are also looked at alone, on an object of their own, of which the program's other code knows nothing.
    reported = {(e.data["constructor"], e.data["name"]) for e in program.of("shelve") if known_elsewhere(e)}
    for event in program.of("shelve"):
        which = (event.data["constructor"], event.data["name"])
        if which in reported or not event.certain or not event.data["used"]:
            continue
        lost = unregistered(event)
        if not lost:
            continue
        reported.add(which)
        name = event.data["name"]
        message = (
            f"{name} is a plain container: its modules are not in parameters(), to() or state_dict(), so they are neither trained nor saved"
        )
        made = tuple(Note(Site(o.source, o.node), "made here") for o in lost[:2] if o.source is not None and o.node is not None)
        yield Report(event, message, made, repair=WrapModules(event=event, wrapper=wrapper_for(event)))
