"""A scaler steps in every iteration and is never updated.

## What it does

Reports a `scaler.step(optimizer)` that follows one of an earlier iteration of the same loop with no `scaler.update()` in between, on every
path. In a function that nobody calls, such as the step of a trainer, it reports the step of a scaler that nothing in the program updates.

## Why it matters

`update()` adapts the scale to the overflows that were found, and makes the scaler ready for the next step. Without it the second
`scaler.step(optimizer)` raises "step() has already been called since the last update()". With a scaler that is switched off, or an
exception that is swallowed, nothing is raised: the mistake shows in the first run in half precision.

## Bad

```python
import torch
from torch import nn


def train(model: nn.Module, loader, epochs: int):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scaler = torch.amp.GradScaler("cuda")
    for epoch in range(epochs):
        model.train()
        for x, y in loader:
            optimizer.zero_grad()
            with torch.autocast("cuda", dtype=torch.float16):
                loss = nn.functional.mse_loss(model(x), y)
            scaler.scale(loss).backward()
            scaler.step(optimizer)
```

## Good

```python
import torch
from torch import nn


def train(model: nn.Module, loader, epochs: int):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scaler = torch.amp.GradScaler("cuda")
    for epoch in range(epochs):
        model.train()
        for x, y in loader:
            optimizer.zero_grad()
            with torch.autocast("cuda", dtype=torch.float16):
                loss = nn.functional.mse_loss(model(x), y)
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
```

## Stays quiet

- One update after the steps of several optimizers; an update under the step's condition, or in a function that is called after the step.
- An update on some path between the two, and a function that is handed the scaler and steps it for one batch: its caller may update it.
- A scaler that escapes into code that cannot be followed, but for one that does so only in some of the iterations in which it steps.
- `GradScaler(enabled=False)`.
- Scalers of one list or dict, which cannot be distinguished.

## Repair

Safe: insert `scaler.update()` after the last step of the iteration.

## Evidence

What a run shows: the scaler steps and is never updated; the run ends with the error where the scaler is switched on.
"""

from looplint.rule import (
    UNSEEN,
    UPDATING,
    Escape,
    Event,
    InsertUpdate,
    Program,
    Report,
    Reports,
    Scaler,
    Step,
    Update,
    Visit,
    called_at,
    condition_of,
    construction_of,
    disabled,
    escapes_each_time,
    may_leave_the_update,
    note,
)

CODE = "LL602"


def check(program: Program) -> Reports:
    for scaler in program.scalers:
        if scaler.many:
            continue  # scalers of one list or dict, which cannot be distinguished
        if disabled(scaler):
            continue  # GradScaler(enabled=False)
        built = construction_of(program, scaler)
        stale: list[Event] = [
            v.event for v in program.run(UPDATING, scaler) if v.event.kind == "step" and v.certain and _never_updated(program, scaler, v)
        ] or (_of_functions_nobody_calls(program, scaler) if built is not None else [])
        for place in dict.fromkeys((e.root, e.loops[-1:]) for e in stale):
            steps = [e for e in stale if (e.root, e.loops[-1:]) == place]
            name = called_at(steps[-1], scaler)
            built_here = f"{name} is built here" + (f", and on where {condition_of(scaler)}" if condition_of(scaler) else "")
            message = f"{name}.update() is missing: the next {name}.step() raises an error, and the scale never adapts; call {name}.update() after it"
            yield Report(steps[-1], message, note(built, built_here), repair=InsertUpdate(scaler=scaler, steps=steps))


def _never_updated(program: Program, scaler: Scaler, visit: Visit) -> bool:
    """Whether a step follows one of an earlier iteration, and no path has an update in between."""
    if may_leave_the_update(program, scaler, visit.event):
        return False  # the steps of a generator for a caller's batch
    states = ["fresh", "stepped", "stale", UNSEEN]
    if not escapes_each_time(program, scaler, visit.event):
        states += ["escaped", "doubted"]
    return bool(visit.sometimes("stale")) and len(visit.sometimes(*states)) == len(visit.states)


def _of_functions_nobody_calls(program: Program, scaler: Scaler) -> list[Event]:
    """The steps that a caller out of sight repeats, where the program never updates their scaler and shows it to nobody.

    A base out of sight, to which the caller belongs, does not know what its subclass keeps.
    """
    if any(scaler in e.subjects for e in program.of(Update)) or any(scaler in e.subjects - e.kept for e in program.of(Escape)):
        return []
    return [e for e in program.of(Step) if e.scaler is scaler and e.certain and e.root and not e.loops]
