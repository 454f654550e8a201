"""Gradients are accumulated over k batches, and the loss is not divided by k.

## What it does

Gradients are accumulated over k batches, and the loss is not divided by k. It is reported where that holds on every path.

## Why it matters

The accumulated gradient is the sum over k batches: k times what one batch of that size would give. The learning rate is in effect k times
larger, and clipping bites k times earlier.

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

Division before or after, a factor of any kind on the loss, gradients divided by hand, a sum reduction, `accelerator.backward` (it
divides), DeepSpeed.

## Repair

Unsafe: divide the loss at the backward.

## Evidence

What a run shows: the gradient norm at the step is about k times that of the scaled loop.
"""

from dataclasses import replace

from looplint.rule import Binary, BoolOp, Compare, Const, Event, Expr, Guard, Loop, Obj, Program, Report, Reports, name_of, note, paths_in, render

CODE = "LL108"


def check(program: Program) -> Reports:
    for event in program.of("step"):
        optimizer = next(iter(event.subjects), None)
        loop = event.loops[-1] if event.loops else None
        if optimizer is None or optimizer.kind != "optimizer" or loop is None or loop not in program.batch_loops:
            continue
        every = next((k for g in event.guards if g.depth >= len(event.loops) and (k := period(g, loop))), None)
        if every is None or f"/ {every}" in optimizer.info.get("rate", "") or _used_each_time(program, optimizer, loop):
            continue
        backward = next((e for e in program.of("backward") if e.loops and e.loops[-1] is loop and program.touches(e, optimizer)), None)
        if backward is None or not _unscaled(program, backward, optimizer, loop):
            continue
        message = f"gradients of {every} batches are added up before {name_of(optimizer)}.step(), but the loss is not divided by {every}: they are {every} times too large"
        yield Report(backward, message, note(event, f"the step runs once in {every} batches"), repair=("divide-loss", backward, every, event))


def _used_each_time(program: Program, optimizer: Obj, loop: Loop) -> bool:
    """Whether some step uses, or some clear drops, the gradients of every single batch: then nothing is accumulated."""
    events = [e for e in program.of("step", "clear") if loop in e.loops and program.touches(e, optimizer)]
    return any(program.every_iteration(e, loop) for e in events)


def period(guard: Guard, loop: Loop) -> str | None:
    """The k of a condition that holds once in k turns of a loop; that it also holds on the last turn does not matter."""
    test, held = guard.test, guard.held
    if isinstance(test, BoolOp) and held and test.op == "or":
        return next((k for side in (test.left, test.right) if (k := period(replace(guard, test=side), loop))), None)
    return _modulus(test, held, guard, loop) or _counter(test, held, loop)


def _counter(test: Expr, held: bool, loop: Loop) -> str | None:
    """The k of `count == k` or `count >= k`, where the loop counts and starts again."""
    if not (held and isinstance(test, Compare) and test.ops in (["=="], [">="])):
        return None
    name, limit = render(test.left), test.rights[0]
    fixed = not paths_in(limit) & loop.assigned and not (isinstance(limit, Const) and limit.value in (0, 1))
    return render(limit) if name in loop.assigned and name in loop.reset and fixed else None


def _modulus(test: Expr, held: bool, guard: Guard, loop: Loop) -> str | None:
    """The k of `(i + 1) % k == 0` and its other forms, where i changes with the loop."""
    if isinstance(test, Compare) and test.ops in (["=="], ["!="]):
        held = held == (test.ops == ["=="])
        test = test.left
    else:
        held = not held  # `not (i + 1) % k`
    if not (held and isinstance(test, Binary) and test.op == "%" and guard.names & loop.assigned):
        return None
    if isinstance(test.right, Const) and test.right.value in (0, 1):
        return None
    return render(test.right)


def _unscaled(program: Program, backward: Event, optimizer: object, loop: Loop) -> bool:
    """Whether the whole way of the loss is known, and nothing on it changes its scale."""
    if not backward.data.get("known") or backward.data.get("via") or not backward.data.get("forwards"):
        return False
    tags = {tag for tag, _ in backward.data["tags"]}
    if tags & {"scaled", "sum-reduction", "sum", "scaler-unknown"} or "loss" not in tags and "mean" not in tags:
        return False
    depth = backward.loops.index(loop) + 1
    if any(g.depth >= depth for g in backward.guards) or program.facts.scaled_gradients:
        return False
    return not any(loop in e.loops for e in program.of("escape"))
