"""The optimizer steps before backward() has computed the gradients of the batch.

## What it does

Reports an optimizer's step in a loop that finds cleared gradients on every path, at the latest from the second iteration of an enclosing
loop on, where a backward follows it in the same iteration.

## Why it matters

The step runs on cleared gradients, and the gradients of this batch are cleared before any step uses them.

## Bad

```python
import torch
from torch import nn, optim


def train(net: nn.Module, loader, epochs: int):
    opt = optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(epochs):
        net.train()
        for x, y in loader:
            opt.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            opt.step()
            loss.backward()
```

## Good

```python
import torch
from torch import nn, optim


def train(net: nn.Module, loader, epochs: int):
    opt = optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(epochs):
        net.train()
        for x, y in loader:
            opt.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            opt.step()
```

## Stays quiet

- A step that finds gradients on some path: a special case in the first iteration, or a pipeline that steps on the batch before and clears
  after the step.
- A step that may be another optimizer's. One behind a backward whose gradients no optimizer has, because it was built on the parameters of another one:
  missing-step reports that.
- A step that is given a closure.
- An optimizer that escapes, in between, into code that cannot be followed.

## Repair

Unsafe: move the step after the backward.

## Evidence

What a run shows: the steps change nothing.
"""

from looplint.rule import (
    Automaton,
    Backward,
    Clear,
    MoveAfterBackward,
    Program,
    Report,
    Reports,
    Step,
    Visit,
    backwards_not_for,
    called_at,
    note,
    stands_behind_its_own,
)

CODE = "LL105"

AUTOMATON = Automaton(
    start="empty",
    arrows={
        ("*", "clear"): "empty",
        ("empty", "step"): "stepped-empty",
        ("stepped-empty", "iterate"): "empty",
        ("stepped-empty", "clear"): "stepped-empty",
        # What is cleared behind the backward of its own turn is a clear at the wrong place (LL101).
        ("filled", "iterate"): "left",
        ("filled", "clear"): "wiped",
        ("wiped", "clear"): "wiped",
        ("wiped", "iterate"): "empty",
        # Code out of sight that gets an output may go backward: what is cleared behind that is cleared, wherever the clear belongs.
        ("*", "backward:output"): "perhaps-filled",
        ("*", "backward"): "filled",
        ("*", "step"): "applied",
    },
)


def check(program: Program) -> Reports:
    for optimizer in program.optimizers:
        visits = program.run(AUTOMATON, optimizer, only_with=Step, without=backwards_not_for(program, optimizer))
        # Steps of this optimizer in a loop that find cleared gradients on every path; those of an earlier backward, which a step may skip, on some.
        steps = [v for v in visits if v.event.kind == "step" and v.event.loops and v.certain]
        early = {
            v.event for v in steps if v.always("empty") or (v.always("empty", "wiped") and v.sometimes("empty") and _are_left(v, steps))
        }
        # A step behind the backward that it was written for, which fills the parameters of what no optimizer holds: the order is right.
        early -= {
            v.event for v in visits if v.event in early and any(stands_behind_its_own(program, s.last(Clear), v.event) for s in v.states)
        }
        reported = set()
        for visit in visits:
            backward = visit.event
            if not isinstance(backward, Backward):
                continue
            for state in visit.sometimes("stepped-empty"):
                step = state.last(Step)
                if step is None or set(step.loops).isdisjoint(backward.loops):
                    continue  # a backward that does not follow it in an iteration of any loop
                if step.closure:
                    continue  # a step that is given a closure
                if step in early and step not in reported:
                    reported.add(step)
                    message = f"{called_at(step, optimizer)}.step() runs before backward(): it finds no gradients, and those of this batch are never used; step after backward()"
                    yield Report(
                        step,
                        message,
                        note(backward, "the gradients are computed here, after the step"),
                        repair=MoveAfterBackward(step=step, backward=backward, optimizer=optimizer),
                    )


def _are_left(visit: Visit, steps: list[Visit]) -> bool:
    """Whether the gradients that are cleared before a step are those of which another step has made use, but for the paths that skip it."""
    for state in visit.sometimes("wiped"):
        backward, clear = state.last(Backward), state.last(Clear)
        if backward is None or clear is None or not any(backward.index < v.event.index < clear.index for v in steps):
            return False
    return True
