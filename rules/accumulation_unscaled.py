"""Gradients are accumulated over k batches, and the loss is not divided by k.

## What it does

Reports the backward in a loop whose optimizer steps once in k batches, or after a loop over k batches or over the parts of one (`chunk`, `split`), where
nothing divides the loss by k: every operation between the forward pass and the backward is known, it ends in a loss or a mean, and none of them
changes its scale.

It is a warning where nothing clips the gradients and the optimizer, such as Adam, divides by their size.

## Why it matters

The accumulated gradient is the sum over k batches: k times what one batch of that size would give. The learning rate is in effect k times
larger, and clipping takes effect k times earlier.

## Bad

```python
import torch
from torch import nn, optim


def train(net: nn.Module, loader, epochs: int, k: int):
    opt = optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(epochs):
        net.train()
        for i, (x, y) in enumerate(loader):
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            if (i + 1) % k == 0:
                opt.step()
                opt.zero_grad()
```

## Good

```python
import torch
from torch import nn, optim


def train(net: nn.Module, loader, epochs: int, k: int):
    opt = optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(epochs):
        net.train()
        for i, (x, y) in enumerate(loader):
            loss = nn.functional.mse_loss(net(x), y) / k
            loss.backward()
            if (i + 1) % k == 0:
                opt.step()
                opt.zero_grad()
```

## Stays quiet

- A loss that is divided, or multiplied by any factor, before the backward; a weight on another summand does not count.
- A loss with `reduction="sum"`, or that is a sum.
- A backward under a condition of its own, or by a framework that divides (`accelerator.backward`, DeepSpeed).
- Programs that multiply or divide gradients themselves, and optimizers whose learning rate is divided by k.
- A k that is 1, a step under two such conditions, and gradients that are clipped with each batch. Where the text has no number above 1 for a k,
  the finding is a warning that names the condition.
- A loss that is computed by code that cannot be followed, on some path or on each, and a loop that passes objects to such code.

## Repair

Unsafe: divide the loss at the backward.

## Evidence

What a run shows: the gradient norm at the step is about k times that of the scaled loop.
"""

from looplint.rule import (
    Backward,
    DivideLoss,
    Escape,
    Loop,
    Obj,
    Optimizer,
    Program,
    Report,
    Reports,
    Step,
    added_up,
    called_at,
    clipped_before,
    evens_out,
    may_be_one,
    note,
    subjects,
    takes_batches,
)

CODE = "LL108"


def check(program: Program) -> Reports:
    for event in program.of(Step):
        found, optimizer = added_up(program, event), next(iter(subjects(event, Optimizer)), None)
        if found is None or optimizer is None:
            continue
        every, loop = found
        if clipped_before(program, optimizer, event, loop):
            continue  # gradients that are clipped with each batch
        if f"/ {every}" in optimizer.rate:
            continue  # an optimizer whose learning rate is divided by k
        backward = next((e for e in program.of(Backward) if e.loops and e.loops[-1] is loop and program.touches(e, optimizer)), None)
        if backward is None or not _unscaled(program, backward, optimizer, loop):
            continue
        what = "batches" if loop is event.loops[-1] or takes_batches(loop) else "parts of a batch"
        even = evens_out(program, optimizer)
        evened = f" ({optimizer.qualname.rpartition('.')[2]} evens that out, a clip or another optimizer would not)" if even else ""
        where = f"where {every} is more than 1, " if (open_ := may_be_one(event, every)) else ""
        message = (
            f"{where}gradients of {every} {what} are added up before {called_at(event, optimizer)}.step(), but the loss is not divided by {every}: "
            f"they are that many times too large{evened}; divide the loss by it"
        )
        yield Report(
            backward,
            message,
            note(event, f"the step runs once in {every} {what}"),
            repair=DivideLoss(backward=backward, every=every, step=event),
            severity="warning" if even or open_ else "error",
        )


def _unscaled(program: Program, backward: Backward, optimizer: Obj, loop: Loop) -> bool:
    """Whether the computation of the loss is known, and nothing in it changes its scale."""
    if not (backward.known and backward.mean and backward.forwards):
        return False  # computed by code that cannot be followed, divided or multiplied before the backward, or a sum
    if backward.via or any(g.depth > backward.loops.index(loop) for g in backward.guards):
        return False  # by a framework, or under a condition of its own
    if program.gradients.scaled:
        return False  # a program that multiplies or divides gradients itself
    return not any(loop in e.loops for e in program.of(Escape))
