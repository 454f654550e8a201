"""Training is resumed with the model and the epoch, and with an optimizer whose state is lost.

## What it does

Reports `load_state_dict` of a model from a checkpoint that also says where the training goes on (the epoch or the step), in a program that
then trains the model in a loop, with an optimizer that keeps moments or momentum and that no state is given to.

## Why it matters

Adam and momentum rely on averages over thousands of steps. An optimizer that is rebuilt starts with empty ones: Adam's first steps
are as large as the learning rate for every parameter, whatever its gradient, and the loss jumps at each resume. The number of the epoch says
that the run was meant to go on as if nothing had happened.

## Bad

```python
import torch
from torch import nn, optim


def train(resume: str, epochs: int):
    net = nn.Linear(8, 2)
    opt = optim.Adam(net.parameters(), lr=1e-3)
    start = 0
    if resume:
        checkpoint = torch.load(resume, map_location="cpu")
        net.load_state_dict(checkpoint["model"])
        start = checkpoint["epoch"] + 1
    for epoch in range(start, epochs):
        opt.zero_grad()
        loss = net(torch.randn(4, 8)).pow(2).mean()
        loss.backward()
        opt.step()
        torch.save({"model": net.state_dict(), "epoch": epoch}, "last.pt")
```

## Good

```python
import torch
from torch import nn, optim


def train(resume: str, epochs: int):
    net = nn.Linear(8, 2)
    opt = optim.Adam(net.parameters(), lr=1e-3)
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
        torch.save({"model": net.state_dict(), "optimizer": opt.state_dict(), "epoch": epoch}, "last.pt")
```

## Stays quiet

- Plain SGD, which has no state.
- Weights to begin with: a checkpoint that does not say where to go on.
- The best model, loaded after training.
- A checkpoint of which an entry with "optim" in its name is read.
- An optimizer that is restored, that may be (a load whose object is not known), or that escapes into code that cannot be followed.
- An optimizer that is passed in, and one that each turn of the loop builds anew, unless checkpoints are written within a turn.
- A program that refuses an option for it: `assert not args.resume_optimizer`.
- A checkpoint of which an entry is read that nothing has which the program saves: it fails before the training goes on.

## Repair

None: the checkpoint has to be written with the optimizer's state first.

## Evidence

What a run shows: a model's state is loaded, the optimizer steps after that, and no state was loaded into it.
"""

from looplint.rule import (
    LoadState,
    Module,
    Obj,
    Optimizer,
    Program,
    Report,
    Reports,
    Save,
    built_each_turn,
    called_at,
    given_no_state,
    goes_on_from_no_file_of_its_own,
    name_of,
    note,
    refuses_optimizers,
    related,
    steps_after,
    subjects,
)

CODE = "LL802"
SEVERITY = "warning"


def check(program: Program) -> Reports:
    for restored in program.of(LoadState):
        files = [f for f in restored.files if f.continues]
        models = subjects(restored, Module)
        if not models or not restored.certain:
            continue
        if not files:
            continue  # a checkpoint that does not say where to go on
        if any("optim" in key for f in files for key in f.keys):
            continue  # an entry with "optim" in its name is read
        if refuses_optimizers(restored):
            continue  # a program that says it leaves the optimizer out
        if any(goes_on_from_no_file_of_its_own(program, f) for f in files):
            continue  # an entry is read that no file of the program has: it fails before the training goes on
        for optimizer in program.all_optimizers:
            step = steps_after(program, optimizer, restored)
            if step is None or not related(optimizer.holds, models):
                continue  # the best model, loaded after training
            if not _starts_anew(program, optimizer) or built_each_turn(program, optimizer, restored):
                continue  # restored, or built anew in each turn of a loop
            name = name_of(optimizer, "the optimizer")
            kept = [e for e in program.of(Save) if any(related(optimizer.holds, {s.owner}) or s.owner in models for s in e.states)]
            whole = [e for e in kept if any(s.owner is optimizer for s in e.states)]
            kept, what = (whole, "with") if whole else (kept, "without")
            how = "load its state here too" if what == "with" else "save its state with the model's, and load it here"
            lost = "momentum starts" if optimizer.qualname.endswith(".SGD") else "momentum and averages start"
            message = (
                f"{called_at(restored, models[0], 'the model')} is restored to train on, {name} is not: its {lost} from nothing; {how}"
            )
            yield Report(
                restored,
                message,
                note(kept[0] if kept else None, f"the checkpoint is written {what} its state here") + note(step, f"{name} steps here"),
            )
            break


def _starts_anew(program: Program, optimizer: Obj) -> bool:
    """Whether an optimizer has a state, and nothing can have restored it."""
    return isinstance(optimizer, Optimizer) and optimizer.stateful and given_no_state(program, optimizer)
