"""The model is moved or converted after the optimizer took its parameters.

## What it does

Reports a move or conversion of a model, or of a part of it, after an optimizer took its parameters and before its first step, on every
path. The message says what follows from it: what `to_empty` and the overwrite flag do, what an optimizer does that allocates its state when
it is built, and that a plain move works on CPU and CUDA.

## Why it matters

On CPU and CUDA a plain move changes the parameters in place and the optimizer goes on working; `to_empty()` from the meta device, XLA and
the overwrite flag replace them, and the optimizer is left with dead ones; Adagrad keeps its state on the old device. PyTorch's
documentation asks for the move first.

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

- Moves of tensors.
- A move of the same kind before the optimizer was built, and models that are built where they are to be (`device_map`).
- An optimizer that is built again after the move, where the first one is never used.
- A move under a condition where the optimizer holds one of several sets of parameters: what decides one may decide the other.
- Optimizers that are handed in, and those of one list or dict.

## Repair

Safe: move the statement before the construction.

## Evidence

What a run shows: `param_groups` holds objects that the model does not, or state on another device; for a plain move, nothing.
"""

from looplint.rule import (
    Automaton,
    Construct,
    Module,
    Move,
    MoveBeforeConstruction,
    Obj,
    Optimizer,
    Program,
    Report,
    Reports,
    Step,
    constant_of,
    name_of,
    note,
    subjects,
)

CODE = "LL501"

AUTOMATON = Automaton(start="built", arrows={("*", "step"): "used"}, reads=frozenset({"move"}))
EAGER_STATE = ("Adagrad",)
CONVERSIONS = ("half", "double", "bfloat16", "float")


def check(program: Program) -> Reports:
    reported = set()
    for optimizer in program.optimizers:
        if optimizer.symbolic or optimizer.many or not isinstance(optimizer, Optimizer):
            continue  # handed in, or of one list or dict
        for visit in program.run(AUTOMATON, optimizer):
            event = visit.event
            if not isinstance(event, Move) or event in reported or not optimizer.holds or not all(s.state == "built" for s in visit.states):
                continue
            construct = visit.states[0].last(Construct)
            if construct is None or _moved_before(program, event, construct):
                continue
            if program.built_after(event) and not _is_used(program, optimizer):
                continue  # it is built again after the move, and the first one is never used
            if event.guards and optimizer.alternatives:
                continue  # what decides which parameters it holds may decide the move
            reported.add(event)
            module = next(iter(event.subjects))
            yield Report(
                event,
                _message(program, event, module, optimizer),
                note(construct, f"{name_of(optimizer)} takes the parameters here"),
                repair=MoveBeforeConstruction(event=event, construct=construct),
            )


def _is_used(program: Program, optimizer: Optimizer) -> bool:
    """Whether an optimizer steps, or may do so where that is not seen."""
    return program.escapes(optimizer) or any(optimizer in e.subjects for e in program.of(Step))


def _moved_before(program: Program, event: Move, construct: Construct) -> bool:
    """Whether a move of the same kind stood before the optimizer was built, or the model was built where it is to be."""
    # `from_pretrained(name, device_map="auto")` builds a model on its devices.
    if any(m.arguments is not None and "device_map" in m.arguments.keywords for m in subjects(event, Module)):
        return True
    return any(e.index < construct.index and e.subjects & event.subjects and _converts(e) == _converts(event) for e in program.of(Move))


def _converts(event: Move) -> str:
    """What a move changes: the device, or the type it converts to."""
    method = event.method
    if method in CONVERSIONS:
        return method
    return "type" if method == "type" or _is_conversion(event) else "device"


def _message(program: Program, event: Move, module: Obj, optimizer: Optimizer) -> str:
    name, held, method = name_of(module), name_of(optimizer), event.method
    if program.flags.overwrites_params:
        return f"{name} gets new parameters here (the overwrite flag is set), and {held} goes on with the old ones: nothing is learned"
    if method == "to_empty":
        return f"{name}.to_empty() makes new parameters when it leaves the meta device, and {held} goes on with the old ones: nothing is learned"
    kind = optimizer.qualname.rpartition(".")[2]
    if kind in EAGER_STATE:
        return f"{kind} allocates its state when it is built: after {name}.{method}() that state is still on the old device and in the old type"
    if method in CONVERSIONS or _is_conversion(event):
        return f"{name} is converted after {held} took its parameters; it works as the parameters change in place, but PyTorch's documentation asks for it before"
    return f"{name} is moved after {held} took its parameters; on CPU and CUDA the parameters change in place and it works, on XLA or with to_empty() it does not: move it before"


def _is_conversion(event: Move) -> bool:
    args = event.args
    first = constant_of(args.positional[0]) if args.positional else None
    return event.method == "to" and first is None and "dtype" in args.keywords
