"""A state that is kept to be restored later is the model's own, and goes on changing with it.

## What it does

Reports `best = model.state_dict()` where, on some path, an optimizer steps the model or a part of it after that, and the state is then
saved, or given to `load_state_dict`, also as one of a list of those of all epochs; where another state is loaded into the model in between,
as that of a moving average for a validation; and `best = model`, where a branch that keeps a running best gives the model that further name.

## Why it matters

`state_dict()` returns a new dict of the same tensors. Every step of the optimizer changes them in place, so that what is restored in the
end is the last state of the training and not the best one: early stopping and "best model" selection have no effect, silently.

## Bad

```python
import torch
from torch import nn, optim


def fit(net: nn.Module, loader, validate, epochs: int):
    opt = optim.SGD(net.parameters(), lr=0.1)
    best, best_state = float("inf"), None
    for epoch in range(epochs):
        net.train()
        for x, y in loader:
            opt.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            opt.step()
        error = validate(epoch)
        if error < best:
            best, best_state = error, net.state_dict()
    net.load_state_dict(best_state)
```

## Good

```python
import copy

import torch
from torch import nn, optim


def fit(net: nn.Module, loader, validate, epochs: int):
    opt = optim.SGD(net.parameters(), lr=0.1)
    best, best_state = float("inf"), None
    for epoch in range(epochs):
        net.train()
        for x, y in loader:
            opt.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            opt.step()
        error = validate(epoch)
        if error < best:
            best, best_state = error, copy.deepcopy(net.state_dict())
    net.load_state_dict(best_state)
```

## Stays quiet

- A deep copy, a dict of clones, or a state into which the program puts other entries, as to load what a file has of them.
- A further name of a model that each iteration rebuilds.
- A state that is saved to a file before the next step or in whose place the next one is put first, and one that is taken in the call, or the iteration, which saves it.
- A state that is taken outside the loop in which the model is stepped and then saved: it is meant to be the current one. Where such a state
  is loaded back into its own model it is reported.
- A model that is moved to another device before its next step, which copies.
- A state that may be of one of several models.
- States of optimizers and schedulers.

## Repair

Safe: `copy.deepcopy(...)`, with the import, in each branch that takes the state. Unsafe where a state from before the training is all that is loaded after it: its copy would undo the training.

## Evidence

What a run shows: the tensors of the state that is restored share their storage with the model's own parameters.
"""

from collections.abc import Iterator

from looplint.rule import (
    Automaton,
    Case,
    CopyValue,
    Event,
    LoadState,
    Module,
    Obj,
    PathState,
    Program,
    Report,
    Reports,
    Save,
    Site,
    Snapshot,
    as_one,
    called_at,
    in_one_turn,
    is_mixed,
    is_set_anew,
    note,
    picked_of_all_turns,
    related,
    taken_too,
    undoes_training,
)

CODE = "LL801"

AFTER = {("fresh", "step"): "stale", ("fresh", "load"): "loaded", ("loaded", "step"): "stale", ("fresh", "move"): "none"}
AUTOMATON = Automaton(start="none", arrows={("*", "snapshot"): "fresh", **AFTER}, reads=frozenset({"load", "save"}))
# A state that is one of those of all turns stays in its container when the next is taken.
OF_ALL_TURNS = Automaton(start="none", arrows={("none", "snapshot"): "fresh", ("?", "snapshot"): "fresh", **AFTER}, reads=AUTOMATON.reads)


def check(program: Program) -> Reports:
    read = {state for event in program.of(Save, LoadState) for state in event.states}
    reported: set[Site] = set()
    for state in program.states:
        if state not in read or not isinstance(state.owner, Module):
            continue  # a state that nothing reads, or that of an optimizer or a scheduler
        if (found := next(_stale_reads(program, state, state.owner), None)) is None:
            continue
        reading, taken, path = found
        held, name = f"{state.name} holds" if state.name else "this state holds", called_at(taken, state.owner, "the model")
        what = "restored" if reading.kind == "load" else "saved"
        loaded = isinstance(path.since, LoadState)
        changes = (
            f"what is loaded next is copied over them, and what is {what} is that"
            if loaded
            else "the steps that follow change them, and what is kept is the last state"
        )
        alone = undoes_training(program, reading, taken)
        message = f"{held} the tensors of {name} themselves: {changes}, not this one; keep copy.deepcopy({name}.state_dict())"
        if alone:
            message += " whenever it is the best, or of this one if its weights are to come back"
        since = "another state is loaded here" if loaded else "the parameters change here"
        notes = note(path.since, since) + note(reading, f"and the state is {what} here")
        taken_in = [e for e in (taken, *taken_too(program, state, taken, reading)) if e.site not in reported]
        reported.update(e.site for e in taken_in)
        cases = [Case(name, Report(e, message, notes, repair=CopyValue(event=e, alone=alone)), "it is taken here too") for e in taken_in]
        if cases:
            yield as_one(message, cases)


def _stale_reads(program: Program, state: Obj, owner: Module) -> Iterator[tuple[Event, Snapshot, PathState]]:
    """The events that save or restore a state after a step has changed it, each with where it was taken and the path on which it was."""
    picked = picked_of_all_turns(program, state)
    older = [visit for visit in program.run(OF_ALL_TURNS, state) if visit.event in picked] if picked else []
    for visit in (*program.run(AUTOMATON, state), *older):
        event = visit.event
        if not isinstance(event, Save | LoadState) or state not in event.states or is_mixed(program, state, event):
            continue  # a state that is loaded in its place, or one that is put together of several
        stale, overwritten = visit.sometimes("stale"), [s for s in visit.sometimes("loaded") if _is_overwritten(s, state)]
        path = next(iter([*overwritten, *stale] if isinstance(event, LoadState) else [*stale, *overwritten]), None)
        if path is not None and (taken := path.last(Snapshot)) and _is_one_of_its_time(program, event, taken, path, owner):
            yield event, taken, path


def _is_overwritten(path: PathState, state: Obj) -> bool:
    """Whether the model got another state since, which was copied over the tensors that this one holds."""
    return isinstance(path.since, LoadState) and state not in path.since.states


def _is_one_of_its_time(program: Program, read: Event, taken: Event, path: PathState, owner: Obj) -> bool:
    """Whether a state is meant to be that of the time it was taken: it goes back to its own model, or is taken in the loop in which the model is stepped."""
    if not taken.certain:
        return False  # a state that may be of one of several models
    if read.kind == "load" and related(read.subjects, [owner]):
        return True
    step = path.since
    if step is None or not taken.loops or taken.loops[-1] not in step.loops:
        return False
    if not isinstance(read, Save):
        return True
    if is_set_anew(program, taken, step, read):
        return False
    in_the_call = read.made_in is not None and step.calls[: len(read.made_in)] != read.made_in
    in_the_turn = read.made_each is not None and not in_one_turn(program, (taken, step, read), read.made_each)
    return not in_the_call and not in_the_turn  # taken in the call, or the iteration, that saves it
