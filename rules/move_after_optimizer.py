"""The model is moved or converted after the optimizer took its parameters.

## What it does

Reports a move or conversion of a model, or of a part of it, after an optimizer took its parameters and before its first step, on every
path. It is an error where the parameters are replaced (`to_empty`, XLA, the overwrite flag), and where the optimizer has its state already:
allocated when it was built (Adagrad), or loaded. Else a move works on CPU and CUDA, and it is advice.

## Why it matters

On CPU and CUDA a plain move changes the parameters in place and the optimizer goes on working; `to_empty()` from the meta device, XLA and
the overwrite flag replace them, and the optimizer is left with dead ones; Adagrad keeps its state on the old device. PyTorch's
documentation says to move first.

## Bad

```python
import torch
from torch import nn, optim


def train(net: nn.Module, loader, epochs: int):
    opt = optim.SGD(net.parameters(), lr=0.1)
    net.to("cuda")
    for epoch in range(epochs):
        net.train()
        for x, y in loader:
            opt.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            opt.step()
```

## Good

```python
import torch
from torch import nn, optim


def train(net: nn.Module, loader, epochs: int):
    net.to("cuda")
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

- Moves of tensors, and of layers that the same expression builds: the optimizer holds none of these.
- A move of the same kind before the optimizer was built, and models that are built where they are to be (`device_map`).
- A move to the CPU of a model that was built there, and was not moved before.
- An optimizer that another file builds with the model, in a program that never steps it.
- A move to where an earlier one, or an accelerator, has taken the model already.
- A model that wraps parts which were moved before, and losses of torch, which have nothing to be moved.
- A move on a path on which the optimizer never steps, such as that of a run for inference.
- An optimizer that is built again after the move, where the first one is never used.
- A move under a condition where the optimizer holds one of several sets of parameters: what decides one may decide the other.
- A move under the opposite of the condition under which the parameters are taken.
- Optimizers that are passed in, and those of one list or dict.

## Repair

Safe: move the statement before the construction, and before what collects the parameters for it. None where a caller collects them.

## Evidence

What a run shows: `param_groups` holds objects that the model does not, or state on another device; for a plain move, nothing.
"""

from looplint.rule import (
    Automaton,
    Construct,
    Event,
    Move,
    MoveBeforeConstruction,
    Optimizer,
    Program,
    Report,
    Reports,
    built_for_others,
    built_since,
    converts,
    held_under_the_opposite,
    is_used,
    moved_already,
    name_of,
    never_steps_after,
    note,
    state_loaded,
    stays_on_cpu,
)

CODE = "LL501"
SEVERITY = "advice"

AUTOMATON = Automaton(start="built", arrows={("*", "step"): "used"}, reads=frozenset({"move"}))
EAGER_STATE = ("Adagrad",)


def check(program: Program) -> Reports:
    reported = set()
    for optimizer in program.all_optimizers:
        if optimizer.symbolic or optimizer.many or not isinstance(optimizer, Optimizer):
            continue  # passed in, or of one list or dict
        for visit in program.run(AUTOMATON, optimizer, only_with=Move):
            event = visit.event
            if not isinstance(event, Move) or event in reported or not optimizer.holds or not all(s.state == "built" for s in visit.states):
                continue
            construct = visit.states[0].last(Construct)
            if construct is None:
                continue
            if moved_already(program, event, construct):
                continue  # a move of the same kind before, one to where an earlier one or an accelerator has taken the model, or a model built where it is to be
            if stays_on_cpu(program, event):
                continue  # it is on the CPU already
            if built_for_others(program, event, construct, optimizer):
                continue  # it is in what another file builds, and this program never steps it
            if built_since(event):
                continue  # layers that the same expression builds
            if program.built_after(event) and not is_used(program, optimizer):
                continue  # it is built again after the move, and the first one is never used
            if never_steps_after(program, event, optimizer):
                continue  # a path on which the optimizer never steps
            if event.guards and optimizer.alternatives:
                continue  # what decides which parameters it holds may decide the move
            if held_under_the_opposite(event):
                continue  # its parameters are taken under the opposite condition
            reported.add(event)
            loaded = state_loaded(program, optimizer, construct, event)
            message, breaks = _message(program, event, optimizer, loaded)
            yield Report(
                event,
                message,
                note(construct, f"{name_of(optimizer)} takes the parameters here") + note(loaded, "and its state here"),
                repair=MoveBeforeConstruction(event=event, construct=construct),
                severity="error" if breaks else None,
            )


def _message(program: Program, event: Move, optimizer: Optimizer, loaded: Event | None) -> tuple[str, bool]:
    """What this move does to the optimizer, and whether that breaks it."""
    name, held, kind = name_of(next(iter(event.subjects))), name_of(optimizer), optimizer.qualname.rpartition(".")[2]
    old = f"{held} goes on with the old ones, and nothing is learned; build {held} after it"
    stays = f"after {name}.{event.method}() that state is still on the old device"
    if program.flags.overwrites_params:
        return f"{name} gets new parameters here, as the overwrite flag is set: {old}", True
    if event.method == "to_empty":
        return f"{name}.to_empty() makes new parameters when it leaves the meta device: {old}", True
    if event.device == "xla":
        return f"{name}.{event.method}() makes new parameters on XLA: {old}", True
    if kind in EAGER_STATE:
        return f"{kind} allocates its state when it is built: {stays} and in the old type; build it after that", True
    if loaded is not None and converts(event) == "device":
        return f"{held} has been given its state: {stays}; move {name} before that", True
    what, do = ("moved", "move") if converts(event) == "device" else ("converted", "convert")
    works = "that works on CPU and CUDA, where they change in place, but not on XLA or with to_empty()"
    return f"{name} is {what} after {held} took its parameters: {works}; {do} it before", False
