"""An optimizer steps in a loop, and no backward() ever gives it gradients.

## What it does

Reports an optimizer's step in a loop that also runs a forward pass of its model with gradients enabled, where no backward of the program
can reach the parameters that the optimizer holds: there is none, or what goes backward is a new tensor that was made of the loss's value
(`Variable(loss, requires_grad=True)`, `torch.tensor(loss.item(), requires_grad=True)`, `loss.detach().requires_grad_()`). Also one in a loop that
trains a copy of its model, a model that took its name after the optimizer was built, or another one, where no optimizer holds that one; and a forward whose
outputs are put into such a new tensor, so that only other parts of the model learn.

## Why it matters

`step()` with every gradient None silently does nothing. A loss that is made into a new tensor goes backward without an error, because the new
tensor asks for gradients: it gets them itself, and the parameters get none. `Variable(x)` makes such a tensor too, since torch 0.4.

## Bad

```python
import torch
from torch import nn, optim


def train(net: nn.Module, loader, epochs: int):
    opt = optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(epochs):
        net.train()
        for x, y in loader:
            opt.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            opt.step()
            print(loss.item())
```

## Good

```python
import torch
from torch import nn, optim


def train(net: nn.Module, loader, epochs: int):
    opt = optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(epochs):
        net.train()
        for x, y in loader:
            opt.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            opt.step()
            print(loss.item())
```

## Stays quiet

- A program that could not be followed to its end.
- Code that cannot be followed may go backward: the optimizer or something in the loop escapes into it, and nothing clears the gradients afterwards, or
  it is given what a model put out, unless it computes a loss by its name, or a loss is computed of its result.
- Backwards by other names: `accelerator.backward`, `fabric.backward`, `engine.backward`, `scaler.scale(loss).backward()`,
  `torch.autograd.backward`; and a model whose own forward goes backward.
- Gradients by hand: `p.grad = ...`, evolution strategies; `p.grad.add_(...)` or `p.grad += ...` under no condition.
- A step that is given a closure.
- Optimizers of one list or dict, where it is not known which of them steps.

## Repair

None.

## Evidence

What a run shows: the parameters do not change.
"""

from looplint.rule import (
    Automaton,
    Backward,
    Clear,
    Escape,
    Forward,
    Loop,
    Optimizer,
    Program,
    Report,
    Reports,
    Step,
    called_at,
    cut_off,
    in_words,
    is_meant_for,
    may_be_of_any,
    name_of,
    note,
    objective_of,
    trains_a_copy,
    trains_another,
    trains_its_successor,
)

CODE = "LL107"
# A program that could not be followed to its end may go backward elsewhere.
WHOLE_PROGRAM = True

# What may be trained in place of what an optimizer holds: what asks for it, and the words on it and on its repair.
_ELSEWHERE = (
    (trains_a_copy, "{held}, and what goes backward is {trained}, a copy of it", "give the optimizer the parameters of the copy"),
    (trains_its_successor, "an earlier {trained}, and what goes backward was built after that", "build the optimizer behind it"),
    (trains_another, "{held}, and what goes backward is {trained}, which no optimizer holds", "give it the parameters of {trained}"),
)
_FILLING = Automaton(start="?", arrows={("*", "clear"): "empty", ("*", "backward"): "filled"}, reads=frozenset({"step"}))


def check(program: Program) -> Reports:
    for optimizer in program.optimizers:
        if not isinstance(optimizer, Optimizer):
            continue
        backwards = [e for e in program.of(Backward) if program.touches(e, optimizer)]
        in_sight = not backwards and not optimizer.lost and not any(program.touches(e, optimizer) for e in program.of(Escape))
        for event in program.of(Step):
            if optimizer not in event.subjects or not event.loops or (optimizer.many and not event.certain):
                continue
            if event.closure:
                continue  # a step that is given a closure
            loop = event.loops[-1]
            if any(loop in e.loops for e in backwards):
                forward = cut_off(program, optimizer, event) if optimizer.exact else None
                if forward is not None:
                    (module,) = forward.subjects
                    message = (
                        f"the graph of {name_of(module, 'this forward')} ends in a new tensor before backward(): its parameters get no gradients, and "
                        f"{name_of(optimizer)} steps without them; send the loss itself backward"
                    )
                    yield Report(event, message, note(forward, "the forward whose graph is lost"))
                    break
                continue
            cleared = _cleared_before(program, optimizer, event, none_before=not backwards)
            if not cleared and not (in_sight and not any(loop in e.loops for e in program.of(Escape))):
                continue  # code that cannot be followed may go backward
            report = _without_gradients(program, optimizer, event, loop, cleared)
            if report is not None:
                yield report
                break


def _cleared_before(program: Program, optimizer: Optimizer, step: Step, *, none_before: bool) -> bool:
    """Whether a step always comes after a clear in the same loop, with nothing between them that may fill the gradients again.

    Where the clear comes after the step, the first turn finds what was there before the loop: nothing, if nothing in sight goes backward.
    A clear before the loop leaves nothing to clear in it, and is passed over.
    """
    before = [e for e in program.of(Clear) if step.loops[-1] not in e.loops and program.touches(e, optimizer)]
    visit = next((v for v in program.run(_FILLING, optimizer, without=before) if v.event is step), None)
    states = [s for s in visit.states if not (none_before and s.state == "?" and s.since is None)] if visit is not None else []
    return bool(states) and all(s.state == "empty" and s.since is not None and step.loops[-1] in s.since.loops for s in states)


def _without_gradients(program: Program, optimizer: Optimizer, step: Step, loop: Loop, cleared: bool) -> Report | None:
    """The report of a step that has no gradients to use, with the forward pass that should have been followed by a backward."""
    forwards = [e for e in program.of(Forward) if loop in e.loops and (e.grad or (e.grad is None and cleared))]
    forward = next((e for e in forwards if program.may_apply(e, optimizer)), None)
    shown = forward or objective_of(program, optimizer, loop)
    if shown is not None:
        cut = next((e for e in program.of(Backward) if e.cut_off and loop in e.loops), None)
        if cut is not None:
            message = (
                f"{called_at(step, optimizer)}.step() finds no gradients: what goes backward is a new tensor, made of a value, whose graph "
                "does not reach the parameters, and the step silently does nothing; send the loss itself backward"
            )
            return Report(
                step, message, (*note(shown, "the graph of this forward pass is lost"), *note(cut, "this ends at the new tensor"))
            )
        if any(loop in e.loops and (may_be_of_any(program, e) or is_meant_for(program, e, step)) for e in program.of(Backward)):
            return None  # a backward that belongs to no optimizer, or stands before this step alone: it may be that of this one
        message = f"{called_at(step, optimizer)}.step() without any backward(): there are no gradients, and the step silently does nothing; call backward() on the loss before it"
        lost = "the forward pass whose loss is never sent backward" if forward is not None else "the loss that is never sent backward"
        return Report(step, message, note(shown, lost))
    for trains_elsewhere, what, how in _ELSEWHERE:
        forward = next((e for e in program.of(Forward) if loop in e.loops and trains_elsewhere(program, optimizer, e)), None)
        if forward is not None:
            names = {"trained": name_of(next(iter(forward.subjects))), "held": in_words(sorted({name_of(o) for o in optimizer.holds}))}
            what, how = what.format_map(names), how.format_map(names)
            message = f"{called_at(step, optimizer)} holds the parameters of {what}: the step changes nothing; {how}"
            return Report(step, message, note(forward, f"the forward pass of {names['trained']}"))
    return None
