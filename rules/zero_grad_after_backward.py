"""Gradients are cleared after they were computed and before the optimizer uses them.

## What it does

Reports a clear that on every path finds gradients which a backward of the same iteration has computed, where the optimizer then steps with
no backward in between, on every path; a clear for every batch where the only optimizer of the loop steps once in k batches, or in that turn
above its backward; and a clear above the backward in accelerate's `accumulate()`, which puts it off to the batch that steps.

## Why it matters

The step finds no gradients. With plain SGD nothing is learned at all; with momentum only stale momentum moves the parameters. Nothing
warns: a step with every gradient None is a complete no-op.

Where gradients are meant to add up over k batches, a clear for each of them leaves the step those of the last one: the other k - 1 are
computed for nothing, and what was divided by k is k times too small.

## Bad

```python
import torch
from torch import nn, optim


def train(net: nn.Module, loader, epochs: int):
    opt = optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(epochs):
        net.train()
        for x, y in loader:
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            opt.zero_grad()
            opt.step()
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
```

## Stays quiet

- A clear after the step, or between forward and backward.
- A clear that finds gradients of an earlier iteration or none, on some path.
- A step that on some path finds gradients, as those of another loss.
- A clear that may be another optimizer's, or is of what an attack has left: a backward in a loop that reads the gradients of inputs.
- An optimizer that escapes, in between, into code that cannot be followed, and one of a class of the program whose step reads no gradient.

## Repair

Safe: move the clear to the top of the batch body, or behind the step where gradients add up; unsafe there where another loss leaves some as well.

## Evidence

What a run shows: the parameters of the optimizer do not change over a step.
"""

from collections.abc import Sequence

from looplint.rule import (
    Automaton,
    Backward,
    Clear,
    MoveClear,
    Program,
    Report,
    Reports,
    Step,
    Visit,
    backwards_not_for,
    called_at,
    constant_of,
    note,
    stands_behind_its_own,
    wasted,
)

CODE = "LL101"

AUTOMATON = Automaton(
    start="empty",
    arrows={
        ("*", "backward"): "filled",
        ("filled", "iterate"): "of-last-iteration",
        ("filled", "clear"): "dropped",
        ("dropped", "clear"): "dropped",
        ("*", "clear"): "empty",
        ("*", "step"): "applied",
    },
)


# zero_grad() takes the gradients away since PyTorch 2.0; before, it made them zeros: https://github.com/pytorch/pytorch/releases/tag/v2.0.0
_NOTHING = "the step has nothing to apply, so nothing is learned"
_ZEROS = "the step applies zeros, so only momentum and weight decay go on"


def _drops(program: Program, clear: Clear) -> bool:
    """Whether a clear takes the gradients away."""
    given = clear.set_to_none
    if given is None:
        return program.target_torch >= (2, 0)
    known = constant_of(given)
    return known is None or bool(known.value)


def _skips(visits: Sequence[Visit], clear: Clear, step: Step, backward: Backward) -> bool:
    """Whether a clear and its step stand under a condition, and another step without it uses the gradients of the same backward."""
    others = [v for v in visits if isinstance(v.event, Step) and v.event is not step and not set(clear.guards) <= set(v.event.guards)]
    return any(s.last(Backward) is backward for v in others for s in v.sometimes("filled"))


def check(program: Program) -> Reports:
    yield from _accumulated(program)
    for optimizer in program.optimizers:
        visits = program.run(AUTOMATON, optimizer, only_with=Step, without=backwards_not_for(program, optimizer))
        # Clears of this optimizer that on every path find gradients of the same iteration, or what another such clear has left of them.
        clears = {v.event for v in visits if v.event.kind == "clear" and v.certain and v.always("filled", "dropped")}
        reported = set()
        for visit in visits:
            step = visit.event
            if not isinstance(step, Step) or not visit.always("dropped"):
                continue
            for state in visit.sometimes("dropped"):
                clear, backward = state.last(Clear), state.last(Backward)
                if clear in clears and backward is not None and clear not in reported:
                    if _skips(visits, clear, step, backward) or stands_behind_its_own(program, clear, step):
                        continue  # a branch that drops an update, beside a step that uses the same gradients; or those of another model
                    reported.add(clear)
                    harm = _NOTHING if _drops(program, clear) else _ZEROS
                    message = f"{called_at(step, optimizer)}'s gradients are cleared between backward() and step(): {harm}; clear them before backward()"
                    notes = note(backward, "the gradients are computed here") + note(step, "this step uses nothing")
                    yield Report(
                        clear,
                        message,
                        notes,
                        repair=MoveClear(optimizer=optimizer, clear=clear, backward=backward, step=step),
                    )


def _accumulated(program: Program) -> Reports:
    """Gradients that are meant to add up, and of which the step gets those of the last batch alone."""
    reported = set()
    for found in wasted(program):
        step = found.step
        optimizer = next((o for o in program.optimizers if o in step.subjects), None)
        cause = optimizer if found.others else found.clear.site
        if optimizer is None or cause in reported:
            continue
        reported.add(cause)
        name = called_at(step, optimizer)
        message = (
            f"{name}'s gradients are cleared {found.when}, and {name} steps once in {found.every}: the step uses those of the last batch alone; "
            f"clear them {found.better}"
        )
        if found.others:
            message = (
                f"{name} steps {len(found.others) + 1} times in accumulate(), which puts steps and clears off to the last batch: the first uses what all "
                "have left, the rest that of the last batch alone; add the losses up, and step once"
            )
        notes = note(found.backward, "the gradients are computed here") + note(step, f"the step is made once in {found.every} batches")
        for other in found.others:
            notes += note(other, "it steps here too")
        move = MoveClear(optimizer=optimizer, clear=found.clear, backward=found.backward, step=step, behind=found.put_off)
        yield Report(found.clear, message, notes, repair=move if found.every_turn and not found.others else None)
