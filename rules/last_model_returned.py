"""The best state of a model is kept and never used: what is evaluated, saved or returned is the last one.

## What it does

Reports `best_state = ... model.state_dict() ...` in the branch of a training loop that keeps a running best, where nothing ever reads the
name, and the branch writes no file. It is an error where the model is applied, saved or returned after the loop, else a warning.

## Why it matters

Early stopping and the choice of the best epoch are there to keep the model from being trained too far. Without `load_state_dict(best_state)`
after the loop they only find the best number: the model goes on with the weights of the last epoch, and the number that is reported is that of
another one.

## Bad

```python
import copy

import torch
from torch import nn, optim


def fit(net: nn.Module, loader, validate, epochs: int):
    opt = optim.SGD(net.parameters(), lr=0.1)
    best = float("inf")
    for epoch in range(epochs):
        net.train()
        for x, y in loader:
            opt.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            opt.step()
        error = validate(epoch)
        if error < best:
            best = error
            best_state = copy.deepcopy(net.state_dict())
    return net, best
```

## Good

```python
import copy

import torch
from torch import nn, optim


def fit(net: nn.Module, loader, validate, epochs: int):
    opt = optim.SGD(net.parameters(), lr=0.1)
    best = float("inf")
    for epoch in range(epochs):
        net.train()
        for x, y in loader:
            opt.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            opt.step()
        error = validate(epoch)
        if error < best:
            best = error
            best_state = copy.deepcopy(net.state_dict())
    net.load_state_dict(best_state)
    return net, best
```

## Stays quiet

- A state that anything reads: it is loaded, returned, saved, or compared with None.
- A branch that saves the model to a file, or that calls something whose result is not used, which may.
- A state in an attribute or an entry, which others may read.
- A branch that does not keep the value it compares.
- A model that no optimizer steps.

## Repair

Unsafe: `net.load_state_dict(best_state)` after the loop, and a copy of the state where there was none. None where the function may return within the
loop, or more than the state is kept.

## Evidence

What a run shows: the states of a model are taken, and none is given back to it.
"""

from looplint.rule import Program, Report, Reports, RestoreBest, name_of, note, unread_best_states

CODE = "LL804"
DEFAULT = False


def check(program: Program) -> Reports:
    for found in unread_best_states(program):
        name = name_of(found.owner, "the model")
        goes_on = "is returned" if found.returned and found.used is None else "goes on after the loop" if found.used else "is left behind"
        message = f"{found.name} keeps the best state of {name} and is never read: what {goes_on} is the last state; load it, {name}.load_state_dict({found.name}), when training ends"
        used = found.used is not None or found.returned
        repair = RestoreBest(snapshot=found.event, loop=found.event.loops[-1], name=found.name)
        yield Report(found.event, message, note(found.used, f"{name} is used here"), repair=repair, severity="error" if used else "warning")
