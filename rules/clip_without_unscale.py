"""Gradients are clipped while the scaler's factor is still in them.

## What it does

Reports a clip that on every path finds the gradients of a loss that a `GradScaler` has scaled, with no `scaler.unscale_(optimizer)` since
the backward, or no gradients at all; and one in a function that only finishes an update, where the program unscales nowhere.

## Why it matters

`scaler.scale(loss).backward()` multiplies every gradient by the scale, 65536 to begin with. `clip_grad_norm_` compares that norm with
`max_norm`, so nearly every gradient is clipped; `scaler.step()` then divides by the scale again, and what is left of `max_norm=1.0` is a
norm of at most 1 / 65536.

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
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
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
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
```

## Stays quiet

- Gradients that the program multiplies itself, as by `1 / scaler.get_scale()`, and a limit that it multiplies by the scale.
- A clip that may be of another optimizer's gradients, and an optimizer in whose place another one of the same parameters steps.
- A loss that only may be scaled: `GradScaler(enabled=False)`, bfloat16 without a scaler, one of several scalers.
- A clip under a condition on what also switches the scaler on or off, and one in a branch without the scaler whose other branch uses it,
  unless the condition only asks whether there is a limit.
- Libraries that unscale on their own (`accelerator.clip_grad_norm_`).

## Repair

Safe: insert `scaler.unscale_(optimizer)` just before the clip. None in a function that only finishes an update.

## Evidence

What a run shows: a clip meets gradients that have been scaled and not unscaled.
"""

from looplint.rule import (
    SCALING,
    Backward,
    Clip,
    Engine,
    InsertUnscale,
    Loop,
    Note,
    Optimizer,
    PathState,
    Program,
    Report,
    Reports,
    Scaler,
    Step,
    Visit,
    called_at,
    clipped_before_the_scaler,
    condition_of,
    construction_of,
    exclude_each_other,
    name_of,
    note,
    perhaps_off,
    scaler_of,
    switched,
    unscaled_by_hand,
)

CODE = "LL601"
# How many clips of one turn are shown.
_SHOWN = 4
_MESSAGE = "the gradients are clipped while they are still scaled: the limit leaves next to nothing of them; call {scaler}.unscale_({optimizer}) before the clip"


def check(program: Program) -> Reports:
    for optimizer in program.optimizers:
        if unscaled_by_hand(program, optimizer):
            continue  # gradients that the program multiplies itself
        turns: dict[tuple[Backward, str, tuple[Loop, ...]], list[list[Clip]]] = {}
        for visit in program.run(SCALING, optimizer, only_with=Clip):
            clip = visit.event
            if not isinstance(clip, Clip) or not (scaled := _scaled_if_there_are_any(visit)):
                continue
            if clip.scaled or not visit.certain:
                continue  # its limit has the factor too, or it may be of another optimizer's gradients
            backward = scaled[0].last(Backward)
            scaler = scaler_of(backward) if backward is not None else None
            if backward is None or scaler is None:
                continue  # one of several scalers
            if switched(program, clip, scaler):
                continue  # a clip under a condition on what also switches the scaler on or off
            if perhaps_off(program, clip, scaler):
                continue  # the branch without the scaler of a condition, where the scaler may be switched off
            _add(turns.setdefault((backward, clip.root, clip.loops), []), clip)
        for (backward, root, _), ways in turns.items():
            steps = [e for e in program.of(Step) if e.root == root]
            step = next((e for e in steps if optimizer in e.subjects), None)
            if steps and step is None:
                continue  # an optimizer of the same parameters that another one steps in the place of
            for clips in ways:
                yield _report(program, optimizer, backward, clips, step)
        for clip, step, scaler in clipped_before_the_scaler(program, optimizer):
            name = called_at(step, scaler)
            notes = note(step, f"{name}.step() divides them by the scale here, after the clip") + _built(program, scaler, name)
            yield Report(clip, _MESSAGE.format(scaler=name, optimizer=called_at(step, optimizer)), notes)


def _add(ways: list[list[Clip]], clip: Clip) -> None:
    """Put a clip with those that run in one turn with it."""
    for clips in ways:
        if not any(exclude_each_other(clip, other) for other in clips):
            clips.append(clip)
            return
    ways.append([clip])


def _report(program: Program, optimizer: Optimizer | Engine, backward: Backward, clips: list[Clip], step: Step | None) -> Report:
    """What is said of all clips of a turn that find the same scaled gradients: one `unscale_()` before the first is right for the others too."""
    scaler = scaler_of(backward)
    assert scaler is not None
    name = called_at(backward, scaler)
    opt = called_at(step, optimizer) if step is not None else name_of(optimizer)
    notes = note(backward, f"{name} scales the loss here, and its gradients with it") + _built(program, scaler, name)
    for other in clips[1:_SHOWN]:
        notes += note(other, "so are those that are clipped here")
    message = _MESSAGE.format(scaler=name, optimizer=opt)
    return Report(clips[0], message, notes, repair=InsertUnscale(clip=clips[0], backward=backward, scaler=scaler, optimizer=optimizer))


def _built(program: Program, scaler: Scaler, name: str) -> tuple[Note, ...]:
    """Where a scaler is built that is on under a condition."""
    built = construction_of(program, scaler)
    return note(built, f"{name} is built here, and is on where {condition_of(scaler)}") if condition_of(scaler) else ()


def _scaled_if_there_are_any(visit: Visit) -> list[PathState]:
    """The paths on which a clip finds scaled gradients, where there are no others: on what has been cleared a clip does nothing."""
    for loop in (None, *reversed(visit.event.loops)):
        states = visit.steady(loop)
        if all(s.state in ("scaled", "none") for s in states) and (scaled := [s for s in states if s.state == "scaled"]):
            return scaled
    return []
