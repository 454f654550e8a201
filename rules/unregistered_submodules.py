"""Modules are kept in a plain list, tuple or dict, which does not register them.

## What it does

Reports a list, tuple or dict that becomes an attribute of an `nn.Module` and holds parameters, or modules with parameters, that the object made
itself, where one of its methods uses the attribute.

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

- Modules that are also registered, or whose parts are: `nn.Sequential(*layers)`, `nn.Sequential(*resnet.children())`, `ModuleList`, `add_module`, `setattr`.
- Modules whose `parameters()` are requested explicitly, that are passed to another object, or that are frozen; parameters that an optimizer gets.
- An attribute that one of the methods returns.
- Modules without parameters, as norms with `affine=False` are, modules that were passed in, and those around nothing but such modules.
- Trainers that are modules: they train what they hold in their own methods.
- A list of one, written as one, which hides a module on purpose.
- An attribute that may be something else than a container.

## Repair

Safe: wrap the container in `nn.ModuleList` or `nn.ModuleDict`. Unsafe for parameters, in `nn.ParameterList` or `nn.ParameterDict`: these take no
plain tensor in the place of a parameter.

## Evidence

What a run shows: `parameters()` of the owner misses those of the modules in the container.
"""

from looplint.rule import (
    Note,
    Program,
    Report,
    Reports,
    Shelve,
    Site,
    WrapModules,
    known_elsewhere,
    only_containers,
    unregistered,
    wrapper_for,
)

CODE = "LL505"


def check(program: Program) -> Reports:
    # Methods are also looked at alone, on an object of their own, of which the program's other code knows nothing.
    reported = {(e.constructor, e.name) for e in program.of(Shelve) if known_elsewhere(e, program.optimizers)}
    for event in program.of(Shelve):
        which = (event.constructor, event.name)
        if which in reported or not event.used:
            continue
        if not event.certain or not only_containers(event):
            continue  # an attribute that may be something else than a container
        lost = unregistered(event)
        if not lost:
            continue  # modules that are registered, whose parameters are requested, passed in or on, or without parameters
        reported.add(which)
        name = event.name
        wrapper = wrapper_for(event)
        what = "parameters" if wrapper and wrapper.startswith("Parameter") else "modules"
        message = (
            f"{name} is a plain container: its {what} are not in parameters(), to() or state_dict(), so they are neither trained nor saved; "
            f"{f'use nn.{wrapper}' if wrapper else 'register each of them'}"
        )
        made = tuple(Note(Site(o.source, o.node), "made here") for o in lost[:2] if o.source is not None and o.node is not None)
        yield Report(event, message, made, repair=WrapModules(event=event, wrapper=wrapper))
