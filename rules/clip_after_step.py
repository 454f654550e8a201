"""Gradients are clipped after the optimizer has used them.

## What it does

Reports a clip that, on every path, follows the optimizer's step in the same iteration with no clear and no backward in between. At the
latest from the second iteration of an enclosing loop on it has to hold on every path.

## Why it matters

The step has used the gradients before the clip changes them.

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
            loss.backward()
            opt.step()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
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
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            opt.step()
```

## Stays quiet

- A clip in a loop that the step is not in: it is not run in the iteration of the step.
- Clipping of weights (WGAN), and a norm that is only measured.
- A clip that may be for another optimizer.
- A second clip, where the gradients were clipped before the step as well.
- An optimizer that escapes, in between, into code that cannot be followed.

## Repair

Safe: move the clip to just before the step.

## Evidence

What a run shows: the gradient norm at the step exceeds `max_norm`.
"""

from looplint.rule import Automaton, Clip, MoveBeforeStep, Program, Report, Reports, Step, called_at, note

CODE = "LL104"

AUTOMATON = Automaton(
    start="empty",
    arrows={
        ("applied", "clear"): "dropped",
        ("dropped", "clear"): "dropped",
        ("dropped", "iterate"): "empty",
        ("*", "clear"): "empty",
        ("*", "backward"): "filled",
        ("*", "step"): "applied",
        ("applied", "iterate"): "spent",
        ("filled", "clip"): "clipped",
        ("clipped", "step"): "applied clipped",
        ("applied clipped", "step"): "applied clipped",
    },
)


def check(program: Program) -> Reports:
    for optimizer in program.optimizers:
        for visit in program.run(AUTOMATON, optimizer, only_with=Clip):
            clip = visit.event
            if not isinstance(clip, Clip) or not visit.certain or not visit.always("applied", "dropped"):
                continue  # a clip that may be for another optimizer
            step = next((s.last(Step) for s in visit.states if s.state in ("applied", "dropped")), None)
            if step is None or not set(clip.loops) <= set(step.loops):
                continue  # a clip in a loop that the step is not in
            used = "the step has already used the unclipped gradients"
            if visit.always("dropped"):
                used += ", and they are cleared by now"
            message = f"the clip runs after {called_at(step, optimizer)}.step(): {used}; clip between backward() and the step"
            yield Report(
                clip,
                message,
                note(step, "the gradients are used here"),
                repair=MoveBeforeStep(clip=clip, step=step, optimizer=optimizer),
            )
