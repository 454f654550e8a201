"""After a validation pass the model goes on training in eval mode.

## What it does

Reports a training forward that finds its model in eval mode on every path, from the second iteration of an enclosing loop on, because
`eval()` was called in that loop and no `train()` followed, or because `from_pretrained()` of a library leaves it so and nothing calls `train()`.
Only forwards whose model an optimizer of the program steps count. Several models that one validation leaves so are one finding, with the places of all.

## Why it matters

From then on dropout is off and batch norm neither uses nor updates batch statistics.

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
- An `eval()` before the loop: the model is meant to stay in that mode. That `from_pretrained` leaves it so is no such choice.
- An `eval()` before the forward, or before the loop that it is in, under its conditions and for no other one: it is meant for this forward, as in an epoch
  of linear probing.
- A `train()` of a part alone, as a new head on a frozen encoder, and one of the program's own that calls `eval()`: what is trained was chosen.

## Repair

Safe: insert `train()` at the top of the epoch body.

## Evidence

What a run shows: `module.training` is False during training forwards.
"""

from typing import NamedTuple

from looplint.rule import (
    Case,
    Eval,
    Event,
    Forward,
    InsertTrain,
    Loop,
    Obj,
    Program,
    Report,
    Reports,
    are,
    as_one,
    built_in_eval,
    call_of,
    for_a_look,
    is_for_one,
    is_for_training,
    mode_effects,
    mode_matters,
    mode_states,
    note,
    same_phase,
    switch_in_words,
    switched_both_ways,
    trains_a_part,
    whole_called_at,
    word_for_turn,
)

CODE = "LL301"

_NO_EFFECT = "without dropout and batch norm this has no effect now"
_SHOWN = 3  # of the other parts that one `eval()` leaves in eval mode, beside the first


def check(program: Program) -> Reports:
    by_cause: dict[tuple[Event, Obj], list[_Found]] = {}
    as_built: dict[tuple[Eval, Obj], Forward] = {}
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
            if is_for_one(program, switch, event, module):
                continue  # an eval() before the forward that is meant for this one
            if switched_both_ways(program, switch, module):
                continue  # a turn that takes one mode for some of its forwards, and the other for the rest
            if trains_a_part(program, module, loop) or is_for_training(switch, event):
                continue  # a train() of a part alone, or one that puts the model into eval mode
            whole = next((each for each in module.lineage() if each in switch.subjects), module)
            from_the_first = all(s.state == "eval" for s in visit.states)
            by_cause.setdefault((switch, whole), []).append(_Found(event, module, loop, from_the_first))
            break
        else:
            construct = built_in_eval(visit)
            if construct is not None and event.loops and mode_matters(module):
                as_built.setdefault((construct, module), event)
    left: dict[tuple[object, Loop, str, str, bool], list[Case]] = {}
    for (cause, _), found in by_cause.items():
        alike, case = _case(program, cause, found)
        left.setdefault(alike, []).append(case)
    for (_, _, since, begin, matters), cases in left.items():
        names, modules = [case.name for case in cases], [next(iter(case.report.event.subjects)) for case in cases]
        effect = mode_effects(*modules, dropout="dropout is off", norm="batch norm does not learn") if matters else _NO_EFFECT
        causes = {case.report.message for case in cases}
        since = since.format(cause=causes.pop() if len(causes) == 1 else "eval()", call=call_of("train", names))
        yield as_one(f"{are(names)} in eval mode here {since}: {effect}; call it {begin}", cases)
    for (construct, module), event in as_built.items():
        name = whole_called_at(program, event, module)
        message = f"{name} is in eval mode here, as from_pretrained() leaves it so and nothing calls {name}.train(): dropout is off; call it before the training"
        repair = InsertTrain(module=module, loop=event.loops[0], event=event)
        yield Report(event, message, note(construct, "it is built in eval mode here"), repair=repair)


class _Found(NamedTuple):
    event: Event
    module: Obj
    loop: Loop
    from_the_first: bool


def _case(program: Program, switch: Event, found: list[_Found]) -> tuple[tuple[object, Loop, str, str, bool], Case]:
    """What is said of all forwards that one `eval()` leaves in eval mode, at the first that it has an effect on; and what others of its phase share of it."""
    event, module, loop, from_the_first = next((each for each in found if mode_matters(each.module) is not False), found[0])
    matters, turn = mode_matters(module), word_for_turn(program, loop, event)
    before = from_the_first and switch.index < event.index
    begin = "at the start of each epoch" if turn == "epoch" and not before else "right after that"
    where = "between {cause} and here calls {call}" if before else "in this loop calls {call} after {cause}"
    since = f"from the {'first' if from_the_first else 'second'} {turn} on, as nothing {where}"
    others = list({each.module: each.event for each in reversed(found) if each.module is not module}.items())[: -_SHOWN - 1 : -1]
    report = Report(
        event,
        switch_in_words(switch, event),
        note(switch, "eval() is called here, before it" if before else f"eval() is called here, in the {turn} before"),
        repair=InsertTrain(module=module, loop=loop, event=event),
        severity="error" if matters else "advice" if matters is False else "warning",
        also=tuple(each for part, other in others for each in note(other, f"{whole_called_at(program, other, part)} is in eval mode too")),
    )
    name = whole_called_at(program, event, module)
    phase = same_phase(switch, switch.loops[-1] if switch.loops else None, len(switch.calls))
    return (phase, loop, since, begin, matters is not False), Case(name, report, f"{name} is in eval mode too")
