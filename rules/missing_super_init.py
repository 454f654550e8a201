"""A module takes its first part before the constructor of `nn.Module` has run.

## What it does

Reports the first module or parameter that an `__init__` assigns to `self` while nothing before it has called the constructor of
`nn.Module`.

## Why it matters

The constructor of `nn.Module` makes the tables in which a module keeps its parts. Without them the assignment raises AttributeError:
"cannot assign module before Module.__init__() call". A branch or a class that nobody has built yet hides it until then.

## Bad

```python
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, width: int):
        self.body = nn.Linear(width, width)
        self.head = nn.Linear(width, 1)

    def forward(self, x):
        return self.head(torch.relu(self.body(x)))
```

## Good

```python
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.body = nn.Linear(width, width)
        self.head = nn.Linear(width, 1)

    def forward(self, x):
        return self.head(torch.relu(self.body(x)))
```

## Stays quiet

- `super(Net, self).__init__()`, `nn.Module.__init__(self)`, and a base class or a function of the project that makes the call.
- Classes of which some base class is not known, and classes that are no modules.
- Values that may be something else than a module or a parameter: numbers, lists and tensors may come first.

## Repair

Safe: call `super().__init__()` first; a bare call further down moves there. None where the base class takes arguments.

## Evidence

What a run shows: AttributeError at the assignment.
"""

from looplint.rule import CallSuperInit, Program, Report, Reports, Unready

CODE = "LL506"


def check(program: Program) -> Reports:
    reported = set()
    for event in program.of(Unready):
        if not event.certain:
            continue  # a value that may be something else than a module or a parameter
        if event.constructor in reported:
            continue
        reported.add(event.constructor)
        message = f"{event.part} is set before super().__init__() has run: until then a module takes no {event.what} and raises AttributeError; call it first"
        yield Report(event, message, repair=CallSuperInit(event=event))
