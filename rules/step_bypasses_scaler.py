"""The loss is scaled, but the optimizer is stepped without the scaler.

## What it does

Reports `optimizer.step()` where on every path its gradients are those of a loss that a `GradScaler` has scaled, be they unscaled or not,
and one after which a scaler is updated that no optimizer has stepped through.

## Why it matters

`scaler.step(optimizer)` divides the gradients by the scale and skips the step where they hold infinities. `optimizer.step()` does neither:
plain SGD takes steps that are tens of thousands of times too long, and after an `unscale_` the overflowed gradients are applied. A
`scaler.update()` after it raises "No inf checks were recorded prior to update" unless `unscale_` has run.

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
            optimizer.step()
            scaler.update()
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

- A loss that only may be scaled: `GradScaler(enabled=False)`, one of several scalers.
- Gradients of losses with a scaler and without one: a second optimizer's, for one.
- A step under a condition on what also switches the scaler on or off, and the other branch of one in which the scaler steps the optimizer.
- Gradients that the program multiplies itself, as by `1 / scaler.get_scale()`.
- A step that may be another optimizer's.
- Advice only: an optimizer whose steps are the same for a multiple of all gradients (Adam and its like), a factor that nothing updates, and no clip.

## Repair

Safe: `scaler.step(optimizer)`, followed by `scaler.update()` where nothing updates the scaler, and `scaler.unscale_(optimizer)` before a clip.
Unsafe where the program reads gradients that the optimizer does not hold: the scaler leaves these scaled.

## Evidence

What a run shows: a step uses the gradients of a scaled loss, and the scaler does not take part in it.
"""

from looplint.rule import (
    SCALING,
    UNSEEN,
    Backward,
    Optimizer,
    Program,
    Report,
    Reports,
    Scaler,
    Step,
    StepThroughScaler,
    Unscale,
    Visit,
    called_at,
    condition_of,
    construction_of,
    evens_out,
    keeps_its_factor,
    note,
    only,
    perhaps_off,
    scaler_of,
    switched,
    unscaled_by_hand,
    update_without_step,
)

CODE = "LL604"


def check(program: Program) -> Reports:
    for optimizer in program.optimizers:
        if unscaled_by_hand(program, optimizer):
            continue  # gradients that the program multiplies itself
        for visit in program.run(SCALING, optimizer, only_with=Step):
            step = visit.event
            if not isinstance(step, Step) or step.scaler is not None:
                continue
            if not visit.certain:
                continue  # a step that may be another optimizer's
            found = visit.sometimes("scaled", "unscaled") if visit.always("scaled", "unscaled", "none", UNSEEN) else []
            backward = found[0].last(Backward) if found else None
            update = update_without_step(program, step) if backward is None and _may_be_scaled(visit) else None
            cause = backward or update
            scaler = scaler_of(backward) if backward is not None else only(update, Scaler) if update is not None else None
            if cause is None or scaler is None:
                continue  # one of several scalers
            if switched(program, step, scaler):
                continue  # a step under a condition on what also switches the scaler on or off
            if perhaps_off(program, step, scaler):
                continue  # the other branch of a condition in which the scaler steps the optimizer
            scale, opt = called_at(cause, scaler), called_at(step, optimizer)
            unscaled = not visit.sometimes("scaled") and any(s.last(Unscale) for s in visit.states)
            harm = "overflowed gradients are applied too" if unscaled else "its gradients are still scaled"
            bypass = (
                f"{scale} is updated for this step, but {opt} steps without it"
                if update
                else f"the loss is scaled, but {opt} steps without {scale}"
            )
            message = f"{bypass}: {harm}; call {scale}.step({opt}), which unscales them and skips overflows"
            notes = note(backward, f"{scale} scales the loss here, and its gradients with it") + note(update, f"{scale} is updated here")
            built = construction_of(program, scaler)
            if condition_of(scaler):
                notes += note(built, f"{scale} is built here, and does so where {condition_of(scaler)}")
            harmless = isinstance(optimizer, Optimizer) and evens_out(program, optimizer) and keeps_its_factor(program, scaler)
            repair = StepThroughScaler(step=step, scaler=scaler, optimizer=optimizer)
            yield Report(step, message, notes, repair=repair, severity="advice" if harmless else None)


def _may_be_scaled(visit: Visit) -> bool:
    """Whether a step may meet the gradients of a scaled loss: those of a backward out of sight, or of one of several ways to go backward."""
    return bool(visit.sometimes("scaled", "unscaled", "mixed", UNSEEN)) and not visit.sometimes("applied")
