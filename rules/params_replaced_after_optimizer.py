"""A part of the model is replaced after the optimizer took the parameters.

## What it does

Reports an assignment, or a call such as `append`, that gives a model another submodule or parameter after an optimizer was built from all of
the model's parameters.

## Why it matters

The new part gets gradients, and no optimizer changes it: the head keeps its random weights.

## Bad

```python
import torch
from torch import nn, optim


def train(net: nn.Module, loader, epochs: int):
    opt = optim.SGD(net.parameters(), lr=0.1)
    net.head = nn.Linear(8, 2)
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
    net.head = nn.Linear(8, 2)
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

- A part that a method of the model makes anew where what it computes asks for it: `if len(answers) != self.n_answers:`.
- An optimizer that is given the new part by `add_param_group`.
- An optimizer of this model that is built after the assignment.
- A wrapper around the part that was there, which keeps its parameters; a part from elsewhere, which may.
- A part that has no parameters, such as `nn.Identity()`, or none that takes gradients, and parameters that the model has already: another name, a tie, what is computed from them.
- An optimizer that never steps, in a program in which others do, and one that has stepped for the last time.
- Optimizers that are passed in, those of one list or dict, and those that escape into code that cannot be followed.

## Repair

Unsafe: move the construction after the assignment.

## Evidence

What a run shows: the new parameters get gradients and never change.
"""

from looplint.rule import (
    Automaton,
    Construct,
    MoveConstruction,
    Obj,
    Optimizer,
    Program,
    Replace,
    Report,
    Reports,
    Step,
    called_at,
    contains_part,
    may_follow_in_its_life,
    name_of,
    note,
    stays_frozen,
    without_parameters,
)

CODE = "LL502"

AUTOMATON = Automaton(start="built", arrows={("*", "step"): "used"}, reads=frozenset({"replace"}))


def check(program: Program) -> Reports:
    reported = set()
    steps = program.of(Step)
    stepped = {obj for step in steps for obj in step.subjects} if all(step.subjects for step in steps) else set()
    for optimizer in program.all_optimizers:
        if not isinstance(optimizer, Optimizer) or optimizer.symbolic or optimizer.many:
            continue  # passed in, or of one list or dict
        if optimizer.extended:
            continue  # add_param_group
        if stepped and optimizer not in stepped:
            continue  # one that is left over: others step in its place
        for visit in program.run(AUTOMATON, optimizer, only_with=Replace):
            event = visit.event
            if not isinstance(event, Replace) or event in reported:
                continue
            if any(s.state == "?" for s in visit.states):
                continue  # the optimizer escapes into code that cannot be followed
            (module,) = event.subjects
            construct = visit.states[0].last(Construct)
            if construct is None or not _covers(optimizer, module):
                continue
            own = [e for e in steps if optimizer in e.subjects]
            if own and not any(may_follow_in_its_life(program, e, event, construct) for e in own):
                continue  # a part that is replaced when the optimizer has stepped for the last time
            if called_at(event, module) == "self" and _is_asked_for(event):
                continue  # a part that the model's own method makes anew where what it computes asks for it
            if program.built_after(event):
                continue  # an optimizer of this model that is built after the assignment
            if _keeps_parameters(event) or _brings_none(program, event):
                continue  # a wrapper around the part that was there, a part from elsewhere, or one without parameters that learn
            reported.add(event)
            name, held, attr = called_at(event, module), name_of(optimizer), event.attr
            changed = f"{name}{attr}" if attr.startswith("[") else f"{name}.{attr}"
            what = f"{changed} is replaced" if attr else f"a part is added to {name}"
            message = f"{what} after {held} took the parameters: the new ones get gradients, but {held} never changes them; build {held} after that"
            yield Report(
                event,
                message,
                note(construct, f"{held} takes the parameters here"),
                repair=MoveConstruction(construct=construct, event=event, optimizer=optimizer),
            )


def _covers(optimizer: Optimizer, module: Obj) -> bool:
    """Whether the optimizer holds all of the module's parameters, so that a new part is missing from it."""
    return any(h in set(module.lineage()) for h in optimizer.holds)


def _is_asked_for(event: Replace) -> bool:
    """Whether a condition around a replacement depends on more than options, within the call that makes it: whether it ever holds is not known."""
    return any(not guard.settled for guard in event.guards if guard.frame is event.key[0])


def _keeps_parameters(event: Replace) -> bool:
    """Whether the new part is the one that was there, a wrapper around it (`model.net = DataParallel(model.net)`), or comes from elsewhere."""
    return any(
        part.loops is None or part.joined.isdisjoint(event.subjects) or any(contains_part(part, whole) for whole in event.subjects)
        for part in event.new
    )


def _brings_none(program: Program, event: Replace) -> bool:
    """Whether the new part has no parameters, as `nn.Identity()`, or none that takes gradients."""
    return bool(event.new) and all(without_parameters(part) or stays_frozen(program, part) for part in event.new)
