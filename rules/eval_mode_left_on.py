"""A validation in some iterations leaves the model in eval mode for the training after it.

## What it does

Reports a training forward that on some path meets its model in eval mode, because `eval()` was called for a validation forward in the same
batch loop or in a loop around it, and nothing has called `train()` since. Several models that one validation leaves so are one finding, with the places of all.

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
- A model known to have neither dropout nor batch norm, and what may be a method of a model out of sight, unless it gives the loss by its name.
- `train()` after the validation or in each iteration, and a helper that restores the mode.
- A call that may be a `train()` of this model in the loop, and a `train()` of a part alone.
- Parts that are put into eval mode with no validation forward after it, such as frozen batch norm. A state that is taken for a checkpoint in the same
  branch is such a reason as well.
- A validation after which the loop is left, or that runs in its last iteration.
- A condition that chooses between `train()` and `eval()`: `net.train() if fine_tuned else net.eval()`.
- A `train()` under a condition that another function tests, or on the mode that the model was in.
- A model that is in eval mode on every path in some enclosing loop: missing-train-mode reports that.

## Repair

Safe: `train()` at the top of the loop's body. Unsafe in a loop over passes that share a forward (`for split in splits:`), where `eval()` comes after it.

## Evidence

What a run shows: the module's `training` is False in training forwards between a validation and the end of its epoch.
"""

from looplint.rule import (
    Case,
    Event,
    Forward,
    InsertTrain,
    Loop,
    Obj,
    Program,
    Report,
    Reports,
    Train,
    always_in_eval,
    are,
    as_one,
    call_of,
    eval_is_chosen,
    has_no_mode,
    left_in_eval,
    may_go_on,
    may_train_again,
    mode_effects,
    mode_matters,
    mode_states,
    note,
    over_data,
    same_phase,
    saved_after,
    trains_a_part,
    validation_before,
    whole_called_at,
)

CODE = "LL304"


def check(program: Program) -> Reports:
    reported = set()
    left: dict[tuple[object, Loop, str, str, str], list[Case]] = {}
    for event in program.of(Forward):
        module = next(iter(event.subjects))
        if not program.certainly_trains(event, module):
            continue  # a forward that trains no parameter which an optimizer steps
        visit, batches = mode_states(program, module, event), program.batch_loop(event)
        if visit is None or batches is None:
            continue
        if has_no_mode(program, module):
            continue  # a model known to have neither dropout nor batch norm, or a method out of sight
        if always_in_eval(visit):
            continue  # missing-train-mode reports that
        for loop in reversed(event.loops[: event.loops.index(batches) + 1]):
            switch = left_in_eval(program, module, visit, loop)
            if switch is None:
                continue
            if eval_is_chosen(program, module, visit):
                continue  # a condition that chooses between train() and eval()
            if loop is not batches and not may_go_on(program, switch, loop):
                continue  # a validation in the last iteration
            if may_train_again(program, module, switch, loop) or trains_a_part(program, module, loop):
                continue  # a call that may be a train() of this model, or of a part alone
            validation = validation_before(program, module, switch, event, loop)
            reason = validation or saved_after(program, module, switch, event, loop)
            if reason is None:
                continue  # a part that is put into eval mode with no validation forward and no checkpoint after it
            if not any((switch, whole) in reported for whole in module.lineage()):  # the mode of a whole model is that of its parts
                reported.add((switch, module))
                what = _purpose(program, switch, validation) if validation else "checkpoint"
                notes = note(switch, "eval() is called here, some iterations before") + note(reason, f"for this {what}")
                in_turn = switch if validation is not None and program.is_trained(validation) else None
                repair = InsertTrain(module=module, loop=loop, event=event, in_turn=in_turn)
                report = Report(event, "", notes, repair=repair, severity="error" if mode_matters(module) else "warning")
                name = whole_called_at(program, event, module)
                phase = same_phase(switch, switch.loops[-1] if switch.loops else None, len(switch.calls))
                words = phase, loop, what, *_words(program, event, module, loop)
                left.setdefault(words, []).append(Case(name, report, f"{name} is still in eval mode too"))
            break
    for (_, _, what, until, because), cases in left.items():
        names, modules = [case.name for case in cases], [next(iter(case.report.event.subjects)) for case in cases]
        effect = mode_effects(*modules, dropout="dropout is off", norm="batch norm does not learn")
        because = because.format(call_of("train", names))
        yield as_one(
            f"{are(names)} still in eval mode here after a {what}{until}, as {because}: {effect}; call it before training goes on", cases
        )


def _purpose(program: Program, switch: Event, forward: Forward) -> str:
    """What a model was put into eval mode for: a pass over data or one that is measured, or samples, which it makes of what it put out before."""
    if any(over_data(loop) for loop in forward.loops if loop not in switch.loops):
        return "validation"
    generates = forward.inputs is not None and forward.key in forward.inputs.origins
    return "validation" if not generates and forward.key in program.uses.scored | program.uses.compared else "prediction"


def _words(program: Program, event: Event, module: Obj, loop: Loop) -> tuple[str, str]:
    """Until when a model stays in eval mode, and why, where the call that would put it back has its place."""
    switches = [e for e in program.of(Train) if program.touches(e, module)]
    begins = any(loop not in e.loops and set(e.loops) & set(event.loops) for e in switches)  # each epoch in train mode
    until = f", to the end of {'the epoch' if begins else 'this loop'}" if loop is program.batch_loop(event) else ""
    if any(loop in e.loops for e in switches):
        return until, "on this path nothing calls {}"
    return until, f"nothing in {'it' if until.endswith('loop') else 'this loop'} calls {{}} again"
