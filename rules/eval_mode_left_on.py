"""A validation that is not made every time leaves the model in eval mode for the training after it.

## What it does

Reports a training forward that on some path meets its model in eval mode, because `eval()` was called for a validation forward in the same
batch loop or in a loop around it, and nothing has called `train()` since.

## Why it matters

A `train()` before the loop comes too early: from the first validation on, the model is trained without dropout and with frozen batch norm
statistics. The loss goes on falling, on most batches in the wrong mode.

## Bad

```python
import torch
from torch import nn, optim


def evaluate(net: nn.Module, held_out) -> float:
    net.eval()
    with torch.no_grad():
        return sum(nn.functional.mse_loss(net(x), y).item() for x, y in held_out)


def fit(loader, held_out, epochs: int):
    net = nn.Sequential(nn.Linear(8, 16), nn.Dropout(0.5), nn.Linear(16, 1))
    opt = optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(epochs):
        net.train()
        for step, (x, y) in enumerate(loader):
            opt.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            opt.step()
            if step % 100 == 99:
                print(evaluate(net, held_out))
```

## Good

```python
import torch
from torch import nn, optim


def evaluate(net: nn.Module, held_out) -> float:
    net.eval()
    with torch.no_grad():
        return sum(nn.functional.mse_loss(net(x), y).item() for x, y in held_out)


def fit(loader, held_out, epochs: int):
    net = nn.Sequential(nn.Linear(8, 16), nn.Dropout(0.5), nn.Linear(16, 1))
    opt = optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(epochs):
        for step, (x, y) in enumerate(loader):
            net.train()
            opt.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            opt.step()
            if step % 100 == 99:
                print(evaluate(net, held_out))
```

## Stays quiet

- A forward that trains no parameter which an optimizer of the program steps.
- A model known to have neither dropout nor batch norm.
- `train()` after the validation or in each iteration, and a helper that puts the mode back.
- A call that may be a `train()` of this model in the loop.
- Parts that are put into eval mode with no validation forward after it, such as frozen batch norm.
- A validation after which the loop is left, or that is made in its last iteration.
- A `train()` under a condition that another function tests, or on the mode that the model was in.
- A model that is in eval mode on every path in some enclosing loop: missing-train-mode reports that.

## Repair

Safe: `train()` at the top of the loop's body.

## Evidence

What a run shows: the module's `training` is False in training forwards between a validation and the end of its epoch.
"""

from looplint.rule import (
    Event,
    Forward,
    InsertTrain,
    Loop,
    Obj,
    PathState,
    Program,
    Report,
    Reports,
    Train,
    Visit,
    called_at,
    is_within,
    may_go_on,
    mode_matters,
    mode_states,
    note,
)

CODE = "LL304"


def check(program: Program) -> Reports:
    reported = set()
    for event in program.of(Forward):
        module = next(iter(event.subjects))
        if not program.certainly_trains(event, module):
            continue  # a forward that trains no parameter which an optimizer steps
        visit, batches = mode_states(program, module, event), program.batch_loop(event)
        if visit is None or batches is None:
            continue
        if mode_matters(module) is False:
            continue  # a model known to have neither dropout nor batch norm
        if _always_in_eval(visit):
            continue  # missing-train-mode reports that
        for loop in reversed(event.loops[: event.loops.index(batches) + 1]):
            left = next((s for s in visit.sometimes("eval") if _in_loop(s, loop)), None)
            if left is None or left.since is None:
                continue
            if loop is not batches and not may_go_on(program, left.since, loop):
                continue  # a validation in the last iteration
            if any(loop in e.loops and _may_be_called(program, e, module, left.since, loop) for e in program.of(Train)):
                continue  # a call that may be a train() of this model
            validated = _validated(program, module, left.since, event, loop)
            if validated is None:
                continue  # a part that is put into eval mode with no validation forward after it
            if (left.since, module) in reported:
                break
            reported.add((left.since, module))
            name = called_at(event, module)
            until = ", to the end of the epoch" if loop is batches else ""
            again = any(loop in e.loops and program.touches(e, module) for e in program.of(Train))
            because = f"on this way nothing calls {name}.train()" if again else f"nothing in this loop calls {name}.train() again"
            message = f"after a validation {name} is still in eval mode here{until}: {because}"
            notes = note(left.since, "eval() is called here, some iterations before") + note(validated, "for this validation")
            yield Report(event, message, notes, repair=InsertTrain(module=module, loop=loop, event=event))
            break


def _in_loop(state: PathState, loop: Loop) -> bool:
    """Whether a path got into eval mode in an iteration of the loop before this one."""
    return state.since is not None and state.since.kind == "eval" and loop in state.since.loops and loop in state.later


def _always_in_eval(visit: Visit) -> bool:
    """Whether the model is in eval mode on every path from the second iteration of some enclosing loop on."""
    return any(states and all(s.state == "eval" for s in states) for states in map(visit.steady, visit.event.loops))


def _may_be_called(program: Program, event: Train, module: Obj, switch: Event, loop: Loop) -> bool:
    """Whether a call may be a `train()` of this model, for all one can tell: conditions of two functions are not known to agree."""
    touched = program.touches(event, module)
    if touched == "may":
        return True
    return touched == "must" and any(program.varies(g, loop) and not is_within(switch, g) for g in event.guards if g.depth >= loop.depth)


def _validated(program: Program, module: Obj, switch: Event, trained: Event, loop: Loop) -> Event | None:
    """A forward in the loop that the switch was made for, before the training goes on: of the same model, and not trained."""
    for event in program.of(Forward):
        if module in event.subjects and loop in event.loops and not program.is_trained(event) and event.index > switch.index:
            visit = mode_states(program, module, event)
            between = trained.index < switch.index or event.index < trained.index
            if between and visit is not None and any(s.since is switch for s in visit.sometimes("eval")):
                return event
    return None
