"""Gradients are clipped before backward() has computed them.

## What it does

Reports a clip that on every path finds no gradients of its own iteration: they are cleared, a step of an earlier iteration has used them, or
they are those that earlier batches have added up. A backward follows it in the same iteration, and the optimizer steps with no clip in between.

## Why it matters

Before backward() there is nothing to clip: `clip_grad_norm_` on empty gradients returns 0 and does nothing, silently. Where gradients of several
batches are added up, those of the batches before are clipped, and those of this one come on top. The step then uses gradients of any size.

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
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            loss.backward()
            opt.step()
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

- A clip that finds gradients of its own iteration on some path.
- A step whose gradients are clipped again after the backward.
- A norm that is only measured (`max_norm=inf`).
- A clip that may be for another optimizer.
- An optimizer that escapes, in between, into code that cannot be followed.

## Repair

Safe: move the clip to just before the step, after `unscale_`.

## Evidence

What a run shows: the gradient norm at the step exceeds `max_norm`.
"""

from looplint.rule import Automaton, Backward, Clip, MoveBeforeStep, Program, Report, Reports, Step, called_at, note

CODE = "LL103"

AUTOMATON = Automaton(
    start="empty",
    arrows={
        ("*", "clear"): "empty",
        ("empty", "clip"): "clipped-empty",
        ("spent", "clip"): "clipped-empty",
        ("carried", "clip"): "clipped-carried",
        ("clipped-empty", "iterate"): "empty",
        ("clipped-empty", "clear"): "clipped-empty",
        ("clipped-empty", "backward"): "unclipped",
        ("clipped-carried", "iterate"): "carried",
        ("clipped-carried", "backward"): "unclipped",
        ("unclipped", "clear"): "empty",
        ("unclipped", "iterate"): "carried",
        ("filled", "iterate"): "carried",
        ("*", "backward"): "filled",
        ("unclipped", "backward"): "unclipped",
        ("unclipped", "clip"): "clipped",
        ("filled", "clip"): "clipped",
        ("*", "step"): "applied",
        ("applied", "iterate"): "spent",
    },
)


def check(program: Program) -> Reports:
    for optimizer in program.optimizers:
        visits = program.run(AUTOMATON, optimizer, only_with=Clip)
        # Clips that on every path find no gradients of this iteration: cleared ones, those that a step has used, or those of the batches before.
        early = {v.event: v for v in visits if v.event.kind == "clip" and v.certain and v.always("empty", "spent", "carried")}
        reported = set()
        for visit in visits:
            step = visit.event
            if not isinstance(step, Step):
                continue
            for state in visit.sometimes("unclipped"):
                clip = state.last(Clip)
                if clip in early and clip not in reported:
                    reported.add(clip)
                    name = called_at(step, optimizer)
                    why = (
                        f"what that adds is unclipped, and {name} steps with it"
                        if early[clip].sometimes("carried")
                        else f"there are no gradients yet, and {name} steps with unclipped ones"
                    )
                    message = f"the clip runs before backward(): {why}; clip between backward() and the step"
                    notes = note(state.last(Backward), "the gradients are computed here") + note(step, "and used here, unclipped")
                    yield Report(clip, message, notes, repair=MoveBeforeStep(clip=clip, step=step, optimizer=optimizer))
