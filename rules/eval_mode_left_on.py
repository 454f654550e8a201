"""A validation in the middle of an epoch leaves the model in eval mode for the rest of it.

## What it does

Reports a training forward that on some path meets its model in eval mode, because an earlier iteration of the same batch loop has called
`eval()` for a validation forward in that loop, and nothing has called `train()` since.

## Why it matters

The call at the top of the epoch comes too early: from the first validation on, the batches of the epoch are trained without dropout and with
frozen batch norm statistics. The loss goes on falling, on most batches in the wrong mode, and jumps where the next epoch begins.

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
- A validation after which the loop is left.
- A model that is in eval mode on every path in some enclosing loop: missing-train-mode reports that.

## Repair

Safe: `train()` at the top of the batch body.

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
    mode_matters,
    mode_states,
    name_of,
    note,
)

CODE = "LL304"


def check(program: Program) -> Reports:
    reported = set()
    for event in program.of(Forward):
        module = next(iter(event.subjects))
        if not program.certainly_trains(event, module):
            continue  # a forward that trains no parameter which an optimizer steps
        visit, loop = mode_states(program, module, event), program.batch_loop(event)
        if visit is None or loop is None:
            continue
        if mode_matters(module) is False:
            continue  # a model known to have neither dropout nor batch norm
        left = next((s for s in visit.sometimes("eval") if _in_loop(s, loop)), None)
        if left is None:
            continue
        if _always_in_eval(visit):
            continue  # missing-train-mode reports that
        if any(loop in e.loops and program.touches(e, module) == "may" for e in program.of(Train)):
            continue  # a call that may be a train() of this model
        validated = _validated(program, module, left.since, loop)
        if validated is None:
            continue  # a part that is put into eval mode with no validation forward after it
        if (left.since, module) in reported:
            continue
        reported.add((left.since, module))
        name = name_of(module)
        message = f"after a validation {name} is still in eval mode here, to the end of the epoch: nothing in this loop calls {name}.train() again"
        notes = note(left.since, "eval() is called here, some batches before") + note(validated, "for this validation")
        yield Report(event, message, notes, repair=InsertTrain(module=module, loop=loop, event=event))


def _in_loop(state: PathState, loop: Loop) -> bool:
    """Whether a path got into eval mode in an iteration of the loop before this one."""
    return state.since is not None and state.since.kind == "eval" and loop in state.since.loops and loop in state.later


def _always_in_eval(visit: Visit) -> bool:
    """Whether the model is in eval mode on every path from the second iteration of some enclosing loop on."""
    return any(states and all(s.state == "eval" for s in states) for states in map(visit.steady, visit.event.loops))


def _validated(program: Program, module: Obj, switch: Event | None, loop: Loop) -> Event | None:
    """A forward in the loop that the switch was made for: of the same model, and not trained."""
    for event in program.of(Forward):
        if (
            module in event.subjects
            and loop in event.loops
            and not program.is_trained(event)
            and switch is not None
            and event.index > switch.index
        ):
            visit = mode_states(program, module, event)
            if visit is not None and any(s.since is switch for s in visit.sometimes("eval")):
                return event
    return None
