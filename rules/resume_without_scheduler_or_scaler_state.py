"""Training is resumed with the optimizer, and with a learning-rate schedule or a loss scale that starts over.

## What it does

Reports `load_state_dict` of an optimizer from a checkpoint that also says where the training goes on (the epoch or the step), where a loop
that begins after it steps the optimizer together with a scheduler of it, or through a scaler, to which no state is given.

## Why it matters

The optimizer's state holds its present learning rate, the scheduler's the place in the schedule. A scheduler that counts from nothing again
takes what comes next from the beginning: a warm-up or `LambdaLR` jumps back to the first rate, `StepLR` and `MultiStepLR` decay too late,
and a cosine that was half done ends near a third of its first rate. A loss scale that begins at its first value
only costs the first steps, which overflow and are skipped: that is advice.

## Bad

```python
import torch
from torch import nn, optim


def train(resume: str, epochs: int):
    net = nn.Linear(8, 2)
    opt = optim.Adam(net.parameters(), lr=1e-3)
    schedule = optim.lr_scheduler.CosineAnnealingLR(opt, T_max=epochs)
    start = 0
    if resume:
        checkpoint = torch.load(resume, map_location="cpu")
        net.load_state_dict(checkpoint["model"])
        opt.load_state_dict(checkpoint["optimizer"])
        start = checkpoint["epoch"] + 1
    for epoch in range(start, epochs):
        opt.zero_grad()
        loss = net(torch.randn(4, 8)).pow(2).mean()
        loss.backward()
        opt.step()
        schedule.step()
        torch.save({"model": net.state_dict(), "optimizer": opt.state_dict(), "epoch": epoch}, "last.pt")
```

## Good

```python
import torch
from torch import nn, optim


def train(resume: str, epochs: int):
    net = nn.Linear(8, 2)
    opt = optim.Adam(net.parameters(), lr=1e-3)
    schedule = optim.lr_scheduler.CosineAnnealingLR(opt, T_max=epochs)
    start = 0
    if resume:
        checkpoint = torch.load(resume, map_location="cpu")
        net.load_state_dict(checkpoint["model"])
        opt.load_state_dict(checkpoint["optimizer"])
        schedule.load_state_dict(checkpoint["schedule"])
        start = checkpoint["epoch"] + 1
    for epoch in range(start, epochs):
        opt.zero_grad()
        loss = net(torch.randn(4, 8)).pow(2).mean()
        loss.backward()
        opt.step()
        schedule.step()
        states = {"model": net.state_dict(), "optimizer": opt.state_dict(), "schedule": schedule.state_dict()}
        torch.save({**states, "epoch": epoch}, "last.pt")
```

## Stays quiet

- A checkpoint that does not say where to go on, and one of which an entry named after a scheduler ("sched", "lr") or scaler ("scal", "amp") is read.
- A scheduler or scaler that is restored, that may be (a load whose object is not known), or that escapes into code that cannot be followed.
- A scheduler that is given its starting point: `last_epoch`, a step that gets a number, steps made up before the training, a factor that knows
  where the training began.
- `ExponentialLR`, whose next rate follows from the present one, and schedulers that are not torch's.
- A scaler that is switched off.
- A scheduler or scaler that each turn of the loop builds anew.

## Repair

Unsafe: the state is restored after the optimizer's, and saved in the dict that holds the optimizer's where it is not yet. Checkpoints that were written
before do not hold it. None where scheduler or scaler are built after the checkpoint is read, or elsewhere.

## Evidence

What a run shows: an optimizer's state is loaded; its scheduler's first step after that is number one, or its scaler never gets a state.
"""

from looplint.rule import (
    LoadState,
    Optimizer,
    Program,
    Report,
    Reports,
    RestoreState,
    Save,
    Scheduler,
    called_at,
    goes_on,
    name_of,
    note,
    starts_over,
    steps_after,
    subjects,
)

CODE = "LL805"
SEVERITY = "warning"
DEFAULT = False


def check(program: Program) -> Reports:
    for restored in program.of(LoadState):
        optimizers = subjects(restored, Optimizer)
        if not goes_on(restored) or not restored.certain or len(optimizers) != 1:
            continue  # a checkpoint that does not say where to go on
        optimizer = optimizers[0]
        anew = starts_over(program, restored, optimizer)
        if not anew or steps_after(program, optimizer, restored) is None:
            continue
        schedulers = [o for o, _ in anew if isinstance(o, Scheduler)]
        names = " and ".join(name_of(o) for o, _ in anew)
        consequence = "the schedule starts over" if schedulers else "the loss scale starts over, and the first steps may overflow"
        kept = next((e for e in program.of(Save) if any(s.owner is optimizer for s in e.states)), None)
        what = "with" if kept is not None and any(s.owner is anew[0][0] for s in kept.states) else "without"
        how = "load the state here too" if what == "with" else "save the state with the optimizer's, and load it here"
        message = f"{called_at(restored, optimizer, 'the optimizer')} is restored to train on, {names} {'are' if len(anew) > 1 else 'is'} not: {consequence}; {how}"
        notes = note(kept, f"the checkpoint is written {what} its state here") + note(anew[0][1], f"{name_of(anew[0][0])} goes on here")
        repair = RestoreState(restored=restored, objects=tuple(o for o, _ in anew), save=kept)
        yield Report(restored, message, notes, repair=repair, severity="warning" if schedulers else "advice")
