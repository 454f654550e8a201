"""A loop computes gradients, and its optimizer never steps.

## What it does

Reports a backward in a loop that fills the gradients of an optimizer which steps nowhere in the program. The optimizer is built in the code
that leads to the loop or by its class, whose method goes over all epochs; one that is passed in counts where the loop clears it: no caller steps it then.
Also a backward of a module that no optimizer holds, where the optimizer that steps behind it holds exactly what another one does: copied, and not changed.

## Why it matters

Gradients are computed and thrown away: the parameters never change.

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
            loss.backward()
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

- A program that could not be followed to its end, or in which a step's optimizer is not known.
- Code that is not analysed may step: the optimizer escapes into it, and the loop does not clear the gradients each time. A framework may.
- An optimizer that steps in another call of the function that builds it, unless only another setting (`if args.amp:`) makes that step.
- A class that calls methods of its own which do nothing, or which it does not have: a subclass may step in them.
- Gradients that other code reads to apply them: not where it measures them, or changes them in place, or runs before or behind a loop that clears them each time.
- Functions that only send a loss backward: their caller may step.
- An optimizer all of whose parameters other optimizers step on in the same loop: it was rebuilt.
- An optimizer of a target network, which is given the state of the model that another optimizer steps on in the loop.
- A backward behind which another optimizer steps in its loop, where this one's gradients are not cleared for it: an input or a mask is searched for.
- Gradients that are filled by hand, and backwards for the gradients of inputs.
- A program whose hooks step as soon as a gradient is there (`register_post_accumulate_grad_hook`).

## Repair

Unsafe: insert the step after the backward.

## Evidence

What a run shows: the parameters do not change.
"""

import re

from looplint.rule import (
    Backward,
    Clear,
    Construct,
    Engine,
    Escape,
    InsertStep,
    Optimizer,
    Program,
    Report,
    Reports,
    Step,
    built_by_its_trainer,
    is_beside,
    is_given_states_of,
    may_apply_gradients,
    name_of,
    note,
    only_where,
    others_step,
    ruled_out_by_settings,
    steps_in_some_call,
    steps_in_the_turn,
    unheld,
)

CODE = "LL106"
# A program that could not be followed to its end may step elsewhere.
WHOLE_PROGRAM = True
# What functions are called that use a model and do not train it.
_EVALUATING = r"(?i)^(?!.*(?:train|fit|optim)).*(?<![a-z])(?:eval|val|valid|test|sampl|predict|infer|log|plot|save|visual|ema)"


def check(program: Program) -> Reports:
    if program.flags.steps_in_backward:
        return  # a program whose hooks step as soon as a gradient is there
    steps = program.of(Step)
    for optimizer in program.optimizers:
        own = steps_in_some_call(steps, optimizer)
        rest = [e for e in steps if e not in own]
        if program.steps_unknown_objects or program.gradients.applied_unknown:
            continue  # a step's optimizer is not known, or other code may apply the gradients
        unused = [(e, start) for e in program.of(Backward) if (start := _lost(program, optimizer, e, own, rest)) is not None]
        if not unused:
            continue
        event, start = next((found for found in unused if program.touches(found[0], optimizer) == "must"), unused[-1])
        name, where = name_of(optimizer), only_where(event, own)
        run = f"where {where}, gradients" if where else "gradients"
        message = f"{run} are computed in this loop, but nothing calls {name}.step(): the parameters never change; call it after backward()"
        what = f"{name} is built here" if isinstance(start, Construct) else f"{name}'s gradients are cleared here"
        yield Report(event, message, note(start, what), repair=InsertStep(optimizer=optimizer, backward=event))
    for lost in unheld(program):
        name, module, twin = name_of(lost.optimizer), name_of(lost.module), name_of(lost.twin)
        message = f"no optimizer holds {module}, whose gradients are computed here: it never learns; {name} holds what {twin} does: build it on {module}"
        yield Report(lost.backward, message, note(lost.construct, f"{name} is built here"))


def _lost(program: Program, optimizer: Optimizer | Engine, event: Backward, own: list[Step], rest: list[Step]) -> Clear | Construct | None:
    """What shows that nothing uses the gradients of a backward: where the optimizer is built, or its gradients are cleared; None where that is not sure."""
    touch = program.touches(event, optimizer)
    if not event.loops or touch is None:
        return None
    if event.manual or event.loops[-1] in program.gradients.read_of_tensors:
        return None  # gradients that are filled by hand, or wanted of the inputs
    beside = [step for step in own if is_beside(step, optimizer, event)]
    own = [step for step in own if step not in beside]
    if not all(ruled_out_by_settings(program, event, step) for step in own) or others_step(rest, optimizer, event):
        return (
            None  # it steps, in this or another call of the function that builds it, or was rebuilt: others step on all of its parameters
        )
    cleared = _cleared_each_time(program, optimizer, event, own)
    if may_apply_gradients(program, optimizer, event, cleared):
        return None
    others = [o for step in (*rest, *beside) if steps_in_the_turn(program, step, event) for o in step.subjects if program.touches(event, o)]
    if others and (cleared is None or is_given_states_of(program, optimizer, others, event)):
        return None  # what another optimizer steps on is trained here
    if touch == "must":
        return cleared or _built_and_kept(program, optimizer, event.root) or built_by_its_trainer(program, optimizer, event)
    if cleared is None or any(event.index < step.index < cleared.index for step in program.of(Step)):
        return None  # another optimizer may hold the parameters, and steps on these gradients
    return cleared if event.index < cleared.index else None


def _cleared_each_time(program: Program, optimizer: Optimizer | Engine, backward: Backward, own: list[Step]) -> Clear | None:
    """The clear that drops the gradients of each turn of a loop, where nothing in the loop may use them before: no caller can step in between.

    Code that gets the model alone may apply them, but not where the optimizer steps with another setting (`own`): that code runs there as well.
    """
    loop = backward.loops[-1]
    if any(loop in e.loops and not e.subjects for e in program.of(Step)):
        return None
    escapes = [e for e in program.of(Escape) if loop in e.loops and not e.output and program.touches(e, optimizer)]
    escapes = [e for e in escapes if optimizer in e.subjects or not re.search(_EVALUATING, e.callee)]
    if any(optimizer in e.subjects or not (own and e.subjects) for e in escapes):
        return None
    clears = (e for e in program.of(Clear) if e.loops and e.loops[-1] is loop)
    each = (e for e in clears if program.every_iteration(e, loop) or set(e.guards) <= set(backward.guards))
    return next((e for e in each if optimizer in e.subjects and program.touches(e, optimizer) == "must"), None)


def _built_and_kept(program: Program, optimizer: Optimizer | Engine, root: str) -> Construct | None:
    """Where an optimizer is built that does not escape into code that cannot be followed."""
    if optimizer.symbolic or optimizer.escaped or any(not e.subjects for e in program.of(Step)):
        return None
    if any(not e.output and program.touches(e, optimizer) for e in program.of(Escape)):
        return None
    return next((e for e in program.of(Construct) if optimizer in e.subjects and e.root == root), None)
