"""The model is moved or converted after the optimizer took its parameters.

## What it does

Reports a move or conversion of a model, or of a part of it, after an optimizer took its parameters and before its first step, on every
path. It is an error where the parameters are replaced (`to_empty`, XLA, the overwrite flag), and where the optimizer has its state already:
allocated when it was built (Adagrad), or loaded. Else a move works on CPU and CUDA: it is a warning where the safe repair moves the
statement, and advice where it does not.

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
- A move to where an earlier one has taken the model already.
- A move on a way on which the optimizer never steps, such as that of a run for inference.
- An optimizer that is built again after the move, where the first one is never used.
- A move under a condition where the optimizer holds one of several sets of parameters: what decides one may decide the other.
- A move under the opposite of the condition under which the parameters are taken.
- Optimizers that are handed in, and those of one list or dict.

## Repair

Safe: move the statement before the construction.

## Evidence

What a run shows: `param_groups` holds objects that the model does not, or state on another device; for a plain move, nothing.
"""

from looplint.rule import (
    Automaton,
    Construct,
    Event,
    LoadState,
    Module,
    Move,
    MoveBeforeConstruction,
    Optimizer,
    Program,
    Report,
    Reports,
    Step,
    constant_of,
    exclude_each_other,
    may_follow,
    name_of,
    note,
    rule_each_other_out,
    subjects,
)

CODE = "LL501"
SEVERITY = "warning"

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
            steps = [e for e in program.of(Step) if optimizer in e.subjects]
            if (
                steps
                and not program.escapes(optimizer)
                and not any(may_follow(e, event) and not exclude_each_other(e, event) for e in steps)
            ):
                continue  # a way on which the optimizer never steps
            if event.guards and optimizer.alternatives:
                continue  # what decides which parameters it holds may decide the move
            if _is_held_elsewhere(event):
                continue  # its parameters are taken under the opposite condition
            reported.add(event)
            loaded = _loaded(program, optimizer, construct, event)
            message, breaks = _message(program, event, optimizer, loaded)
            yield Report(
                event,
                message,
                note(construct, f"{name_of(optimizer)} takes the parameters here") + note(loaded, "and its state here"),
                repair=MoveBeforeConstruction(event=event, construct=construct),
                severity="error" if breaks else "warning",
                severity_unrepaired=None if breaks else "advice",
            )


def _is_held_elsewhere(event: Move) -> bool:
    """Whether the parameters of what is moved are only asked for under conditions that rule out those of the move."""
    asked = [guards for module in subjects(event, Module) for guards in module.asked_under]
    return bool(asked) and all(rule_each_other_out(event.guards, guards) for guards in asked)


def _is_used(program: Program, optimizer: Optimizer) -> bool:
    """Whether an optimizer steps, or may do so where that is not seen."""
    return program.escapes(optimizer) or any(optimizer in e.subjects for e in program.of(Step))


def _moved_before(program: Program, event: Move, construct: Construct) -> bool:
    """Whether a move of the same kind stood before the optimizer was built, or the model was built where it is to be."""
    # `from_pretrained(name, device_map="auto")` builds a model on its devices.
    if any(m.arguments is not None and "device_map" in m.arguments.keywords for m in subjects(event, Module)):
        return True
    same = [e for e in program.of(Move) if e.subjects & event.subjects and _converts(e) == _converts(event)]
    return any(e.index < construct.index or _goes_there(e, event) for e in same)


def _goes_there(earlier: Move, event: Move) -> bool:
    """Whether a move has already taken a model where another one would."""
    return earlier.index < event.index and earlier.certain and earlier.args == event.args and set(earlier.guards) <= set(event.guards)


def _converts(event: Move) -> str:
    """What a move changes: the device, or the type it converts to."""
    method = event.method
    if method in CONVERSIONS:
        return method
    return "type" if method == "type" or _is_conversion(event) else "device"


def _loaded(program: Program, optimizer: Optimizer, construct: Event, move: Event) -> Event | None:
    """Where an optimizer is given a state between its construction and a move, unless the program moves that state itself."""
    given = [e for e in program.of(LoadState) if optimizer in e.subjects and construct.index < e.index < move.index and e.certain]
    return given[0] if given and not optimizer.state_asked else None


def _message(program: Program, event: Move, optimizer: Optimizer, loaded: Event | None) -> tuple[str, bool]:
    """What this move does to the optimizer, and whether that breaks it."""
    name, held, kind = name_of(next(iter(event.subjects))), name_of(optimizer), optimizer.qualname.rpartition(".")[2]
    old, stays = (
        f"{held} goes on with the old ones: nothing is learned",
        f"after {name}.{event.method}() that state is still on the old device",
    )
    if program.flags.overwrites_params:
        return f"{name} gets new parameters here (the overwrite flag is set), and {old}", True
    if event.method == "to_empty":
        return f"{name}.to_empty() makes new parameters when it leaves the meta device, and {old}", True
    if event.device == "xla":
        return f"{name}.{event.method}() makes new parameters on XLA, and {old}", True
    if kind in EAGER_STATE:
        return f"{kind} allocates its state when it is built: {stays} and in the old type", True
    if loaded is not None and _converts(event) == "device":
        return f"{held} has been given its state: {stays}", True
    what, do = ("moved", "move") if _converts(event) == "device" else ("converted", "convert")
    works = f"{name} is {what} after {held} took its parameters; on CPU and CUDA they change in place and it works, on XLA or with to_empty() it does not"
    return f"{works}: {do} it before", False


def _is_conversion(event: Move) -> bool:
    first = constant_of(event.args.positional[0]) if event.args.positional else None
    return event.method == "to" and first is None and "dtype" in event.args.keywords
