"""After a validation pass the model goes on training in eval mode.

## What it does

Reports a training forward that finds its model in eval mode on every path, from the second iteration of an enclosing loop on, because
`eval()` was called in that loop and no `train()` followed. Only forwards whose model an optimizer of the program steps count.

It is a warning where the model is known to have neither dropout nor batch norm.

## Why it matters

From the second epoch on dropout is off and batch norm neither uses nor updates batch statistics.

## Bad

```python
import torch
from torch import nn, optim


def train(net: nn.Module, loader, valid, epochs: int):
    opt = optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(epochs):
        for x, y in loader:
            opt.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            opt.step()
        net.eval()
        with torch.no_grad():
            for x, y in valid:
                print(nn.functional.mse_loss(net(x), y).item())
```

## Good

```python
import torch
from torch import nn, optim


def train(net: nn.Module, loader, valid, epochs: int):
    opt = optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(epochs):
        net.train()
        for x, y in loader:
            opt.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            opt.step()
        net.eval()
        with torch.no_grad():
            for x, y in valid:
                print(nn.functional.mse_loss(net(x), y).item())
```

## Stays quiet

- Teachers, targets and frozen parts, whose parameters no optimizer steps.
- Forwards made for the gradient of their input.
- `train()` on some path before the forward, and helpers that restore the mode.
- An `eval()` before the loop: the model is meant to stay in that mode.
- An `eval()` before the forward, or before the loop that it is in, under its conditions and for no other one: it is meant for this forward, as in an epoch
  of linear probing.
- A `train()` of a part alone: what is trained was chosen, as a new head on a frozen encoder.

## Repair

Safe: insert `train()` at the top of the epoch body.

## Evidence

What a run shows: `module.training` is False during training forwards.
"""

from looplint.rule import (
    Eval,
    Event,
    Forward,
    InsertTrain,
    Loop,
    Obj,
    Program,
    Report,
    Reports,
    called_at,
    exclude_each_other,
    for_a_look,
    mode_effects,
    mode_matters,
    mode_states,
    note,
    over_data,
    stands_under,
    switched_both_ways,
    trains_a_part,
)

CODE = "LL301"

# How many of the other parts that one `eval()` leaves in eval mode are shown beside the first.
_SHOWN = 3


def check(program: Program) -> Reports:
    by_cause: dict[tuple[Event, Obj], list[tuple[Event, Obj, Loop]]] = {}
    for event in program.of(Forward):
        module = next(iter(event.subjects))
        if not program.certainly_trains(event, module):
            continue  # a teacher, a target or a frozen part, or a forward for the gradient of its input
        visit = mode_states(program, module, event)
        if visit is None:
            continue
        for loop in reversed(event.loops):
            later = visit.steady(loop)
            if not later or any(s.state != "eval" for s in later):
                continue  # train() on some path before the forward
            switch: Event | None = next((s.last(Eval) for s in later), None)
            if switch is not None and loop not in switch.loops and for_a_look(program, switch, loop, module):
                switch = next((e for e in program.of(Eval) if e.certain and module in e.subjects and loop in e.loops), None)
            if switch is None or loop not in switch.loops:
                continue  # an eval() before the loop
            if _for_this(program, switch, event, module):
                continue  # an eval() before the forward that is meant for this one
            if switched_both_ways(program, switch, module):
                continue  # a turn that takes one mode for some of its forwards, and the other for the rest
            if trains_a_part(program, module, loop):
                continue  # a train() of a part alone
            whole = next((each for each in module.lineage() if each in switch.subjects), module)
            by_cause.setdefault((switch, whole), []).append((event, module, loop))
            break
    for (cause, _), found in by_cause.items():
        yield _report(cause, found)


def _report(switch: Event, found: list[tuple[Event, Obj, Loop]]) -> Report:
    """What is said of all forwards that one `eval()` leaves in eval mode: at the first that it has an effect on."""
    event, module, loop = next((each for each in found if mode_matters(each[1]) is not False), found[0])
    matters = mode_matters(module)
    name = called_at(event, module)
    effect = mode_effects(module, dropout="dropout is off", norm="batch norm does not learn")
    if matters is False:
        effect = "without dropout and batch norm this has no effect now"
    turn, begin = ("batch", "in each turn, before it") if over_data(loop) else ("epoch", "at the start of each epoch")
    others = {part: other for other, part, _ in reversed(found) if part is not module}
    return Report(
        event,
        f"{name} is in eval mode here from the second {turn} on, as nothing calls {name}.train() again: {effect}; call it {begin}",
        (
            *note(switch, f"eval() is called here, in the {turn} before"),
            *(
                each
                for part, other in list(reversed(others.items()))[:_SHOWN]
                for each in note(other, f"{called_at(other, part)} is in eval mode too")
            ),
        ),
        repair=InsertTrain(module=module, loop=loop, event=event),
        severity="error" if matters else "advice" if matters is False else "warning",
    )


def _for_this(program: Program, switch: Event, event: Event, module: Obj) -> bool:
    """Whether eval mode is switched on for a forward: before it, or before the loop that it is in, and for no other forward in between."""
    between = (
        e for e in program.of(Forward) if module in e.subjects and switch.index < e.index < event.index and not exclude_each_other(e, event)
    )
    around = event.loops[: len(switch.loops)] == switch.loops
    return around and switch.index < event.index and stands_under(event, switch.guards) and not any(between)
