"""The last batches of an epoch are accumulated, and no step of that epoch uses them.

## What it does

Reports an optimizer's step under a condition that holds once in k batches and counts the batches of one epoch: `(i + 1) % k == 0`, with `i`
from `enumerate` over the batches. The optimizer steps nowhere else.

## Why it matters

The number of batches is rarely a multiple of k. What is left over stays in the gradients and goes into the first step of the next epoch,
which then adds up to nearly twice as many batches as its learning rate was chosen for; or it is dropped, where an epoch begins with a clear. With
fewer batches than k nothing is trained at all.

## Bad

```python
from torch import nn, optim


def train(net: nn.Module, loader, epochs: int, k: int):
    opt = optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(epochs):
        for i, (x, y) in enumerate(loader):
            loss = nn.functional.mse_loss(net(x), y) / k
            loss.backward()
            if (i + 1) % k == 0:
                opt.step()
                opt.zero_grad()
```

## Good

```python
from torch import nn, optim


def train(net: nn.Module, loader, epochs: int, k: int):
    opt = optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(epochs):
        for i, (x, y) in enumerate(loader):
            loss = nn.functional.mse_loss(net(x), y) / k
            loss.backward()
            if (i + 1) % k == 0 or i + 1 == len(loader):
                opt.step()
                opt.zero_grad()
```

## Stays quiet

- A condition that also holds for another reason, such as on the last batch.
- A step of the same optimizer at another place, such as after the batch loop; code that cannot be followed and may step it.
- A counter that goes on from epoch to epoch.
- A step that may be another optimizer's.
- Accumulation by a framework.

## Repair

Unsafe: the condition also holds on the last batch.

## Evidence

What a run shows: backwards after the last step.
"""

from looplint.rule import Clear, Escape, Event, Obj, Program, Report, Reports, Step, StepAtTheEnd, accumulated, left_over, name_of, note

CODE = "LL111"
DEFAULT = False
SEVERITY = "warning"


def check(program: Program) -> Reports:
    for event in program.of(Step):
        every, optimizer = accumulated(program, event), next(iter(event.subjects), None)
        if every is None or optimizer is None:
            continue
        if not event.certain:
            continue  # a step that may be another optimizer's
        if not left_over(program, event):
            continue  # a condition that also holds for another reason, or a counter that goes on from epoch to epoch
        if _steps_elsewhere(program, optimizer, event):
            continue  # a step of the same optimizer at another place, or code that cannot be followed and may step it
        cleared = next(
            (e for e in program.of(Clear) if program.touches(e, optimizer) and e.loops == event.loops[:-1] and e.index < event.index),
            None,
        )
        fate = "are dropped" if cleared is not None else "go into the first step of the next one"
        message = f"{name_of(optimizer)} steps once in {every} batches and not at the end: the gradients of the batches left over in an epoch {fate}; step once more after the loop"
        yield Report(event, message, note(cleared, "they are cleared here"), repair=StepAtTheEnd(step=event, loop=event.loops[-1]))


def _steps_elsewhere(program: Program, optimizer: Obj, step: Event) -> bool:
    """Whether the optimizer steps at another place too, or something unknown may do it."""
    return any(e is not step and e.site != step.site and program.touches(e, optimizer) for e in program.of(Step, Escape))
