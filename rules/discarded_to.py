"""A tensor is converted or moved, and the result is discarded.

## What it does

Reports a statement that only calls `to`, `cuda`, `cpu`, `half`, `float` or a similar method of a tensor: the returned copy is not used.
That it is a tensor has to show in the code: it is computed, comes from a loader of tensors, or is used as only a tensor can be.

## Why it matters

On a module these methods work in place, on a tensor they return a new one. The tensor stays on its device and in its type; the next
operation that mixes devices raises, or, where everything stays on the CPU, the training quietly runs there or in the other precision.

## Bad

```python
import torch
from torch import nn, optim


def train(net: nn.Module, loader, epochs: int, device: str):
    net.to(device)
    opt = optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(epochs):
        net.train()
        for x, y in loader:
            x = x.to(device).view(len(x), -1)
            y.to(device)
            opt.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            opt.step()
```

## Good

```python
import torch
from torch import nn, optim


def train(net: nn.Module, loader, epochs: int, device: str):
    net.to(device)
    opt = optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(epochs):
        net.train()
        for x, y in loader:
            x = x.to(device).view(len(x), -1)
            y = y.to(device)
            opt.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            opt.step()
```

## Stays quiet

- Modules, which change in place.
- Batches of graph libraries and of tokenizers, which change in place too: objects with fields of their own.
- A tensor that is made in the same expression: `torch.zeros(1).cuda()` starts the CUDA context.
- The last line of a cell, which is shown.
- Advice only: a tensor that is moved again before anything else reads it (`y = y.long().to(device)` below), one that meets nothing which wants it
  moved (no model, no function of the program's own, no tensor but those beside it), and a parameter, which is moved with its module. The line does
  nothing, and can go.

## Repair

Safe: assign the result. Unsafe where a move would reach what is read as an array, or a file that hands things to other processes, where
a model that the function applies may not be on that device, or a tensor that it computes with (`y * torch.ones(n)`), and with `memory_format=`, as `view()` may refuse another layout.

## Evidence

What a run shows: the tensor's device or type is the same before and after.
"""

from looplint.rule import AssignResult, Discard, Program, Report, Reports, leaves_models_behind

CODE = "LL503"


def check(program: Program) -> Reports:
    for event in program.of(Discard):
        if not event.certain:
            continue  # it may be something else than a tensor
        does, stays = ("converts", "keeps its type") if event.changes == "type" else ("moves", "stays where it is")
        instead = "leave the call out, and convert the module" if event.of_parameter else "assign the result, or leave the call out"
        message = (
            f"{event.receiver}.{event.method}() {does} nothing by itself: its result is not used, and {event.receiver} {stays}; {instead}"
        )
        repair = AssignResult(event=event, left_behind=event.meets or leaves_models_behind(program, event))
        needless = event.again or event.of_parameter or not event.wanted
        yield Report(event, message, severity="advice" if needless else None, repair=repair)
