"""A model is validated in train mode: dropout and batch norm are active.

## What it does

Reports a forward pass whose result is measured (or collected as arrays over a loader: embeddings) and does not go backward, in a loop over data in which
nothing is trained, where on every path the model is in train mode. The model is one that an optimizer of the program steps, and it has dropout or batch norm,
or may have them; or one that is built in sight, is known to have such a layer (or is one of several, of which one has) and has got trained weights on every
path (`load_state_dict`, `resnet50(pretrained=True)`), in a program that does not train it. Outside such a loop the forward is reported where gradients are
disabled, its result is compared with something and the model is known to have such a layer; and of a model with loaded weights where its result is given out as
an array or a list (`numpy()`, `tolist()`).

It is an error where the model is seen to have such a layer. Where its layers are out of sight, it is a warning if the program switches its mode anywhere, and
advice if it never does: then its author may know that the mode changes nothing. Several models of one pass are one finding, with the places of all.

## Why it matters

Dropout is active, and batch norm uses the statistics of the validation batches and learns from them: the numbers are noisy and too low,
and validation changes the model.

## Bad

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

- Forwards whose results go backward, or are what another forward is trained on or towards: a generator's samples, pseudo-labels.
- Forwards whose results are not measured, nor given out; what is collected of a model that another is trained with, or after a `train()` for that alone.
- A second look at the batch that the model is trained on in the same iteration.
- One input that is run again and again with no training in between: Monte-Carlo dropout. A pass after `reset_running_stats()`: it estimates these anew.
- A part that alone is put back to train mode in a model in eval mode, with no training after it: dropout that is wanted. Layers that are put into eval
  mode one by one before the forward: `for dropout in model.dropouts: dropout.eval()`.
- Methods out of sight that evaluate by their names, and those that a class leaves to its subclasses: they may set the mode themselves.
- Models that are frozen, or that no optimizer steps and no weights are loaded into.
- Policies that a function of evaluation tries out, `evaluate(env)`, where it is not known that a layer differs.
- Models known to have neither dropout nor batch norm, besides parts in eval mode or left out by this call, and dropouts all of which get `p = 0`.
- A pass over the very loader that the model is trained on is advice: it measures the training.
- Where a dropout is 0 by default, by an option of the command line or an object on which options are set, this is advice, unless the program sets modes.

## Repair

Safe: insert `eval()` before the pass, and after it what a function found, or `train()` where it is needed. Unsafe where a `return` comes before that, where
only a caller names the model, and where a norm has `momentum=1`: the model must be trained with a smaller one first.

## Evidence

What a run shows: two passes over one batch differ; running statistics change.
"""

from looplint.rule import (
    Case,
    Forward,
    InsertEval,
    Program,
    Report,
    Reports,
    Severity,
    Train,
    are,
    as_one,
    call_of,
    called_at,
    collects_arrays,
    estimates_statistics,
    gives_out,
    goes_over_training_data,
    is_switched,
    keeps_one_batch,
    layers_are_set,
    may_be_trained,
    measuring_loop,
    mode_effects,
    mode_matters_at,
    mode_matters_for_some,
    mode_states,
    name_of,
    name_of_whole,
    note,
    note_of_pass,
    parts_without_train_mode,
    put_back_on_purpose,
    related,
    repeats_since,
    same_phase,
    samples,
    trained_before,
    tries_out,
    whole_in_train_mode,
    whose_modes,
)

CODE = "LL302"

_AROUND = "call {off} before it, and {on} before training goes on"
_BEFORE = "call {off} before it"
_OF_ONE_BATCH = "train with a momentum below 1 (1 keeps the statistics of one batch), and call {off} before it"
_BY_ITSELF = "its forward calls train() itself, whatever its caller sets: take that out"


def check(program: Program) -> Reports:
    reported = set()
    passes: dict[tuple[object, str, str], list[Case]] = {}
    for event in program.of(Forward):
        module = next(iter(event.subjects))
        if may_be_trained(program, event) or program.feeds_training(event) or not event.certain:
            continue  # a forward whose result goes backward or may do so, or is what another one is trained on
        is_stepped = related(program.stepped_modules, {module})
        loaded = None if is_stepped else trained_before(program, module, event)
        given_out = loaded is not None and gives_out(program, event)
        measured = event.key in program.uses.scored or given_out or (is_stepped and collects_arrays(program, module, event))
        tried = tries_out(program, event) if is_stepped and not measured else None
        if not (measured or tried):
            continue  # a forward whose result is not measured, collected, tried out nor given out by a program that was made for that
        if event.decides or program.looks_again(event):
            continue  # a method out of sight that evaluates, or a second look at the batch that is trained on
        if samples(program, event) or estimates_statistics(program, module, event):
            continue  # Monte-Carlo dropout, or a pass that estimates the running statistics anew
        if event.frozen or not (is_stepped or loaded):
            continue  # a model that is frozen, or that no optimizer steps and no weights are loaded into
        loop = measuring_loop(program, event) or tried
        if loop is None and not given_out and not (event.grad is False and event.key in program.uses.compared):
            continue  # outside such a loop: gradients are disabled, and the result is compared, or that of loaded weights is given out
        visit = mode_states(program, module, event)
        if visit is None or not visit.always("train"):
            continue
        whole, of_training = whole_in_train_mode(program, module, event), goes_over_training_data(program, event, module)
        if (loop, whole, of_training) in reported or put_back_on_purpose(program, module, visit) or layers_are_set(program, module, event):
            continue  # a part that is put back to train mode in a model in eval mode; or layers that are put into eval mode one by one
        switch = next((s.last(Train) for s in visit.states if s.last(Train)), None)
        if switch is not None and not tried and repeats_since(program, switch, event):
            continue  # passes that are made in train mode again and again, as for an ensemble by dropout
        besides = parts_without_train_mode(program, module, event)
        matters = mode_matters_at(event, module, besides)
        unclear = loaded or tried or loop is None
        if matters is False or unclear and not (matters or loaded and mode_matters_for_some(event, module, besides)):
            continue  # a model known to have neither dropout nor batch norm, besides parts that stay in eval mode or that this call leaves out
        reported.add((loop, whole, of_training))
        name = called_at(event, module) if event.outside == len(event.calls) else name_of(module)
        name = name_of_whole(module, whole, event, whose_modes(program, module, name))
        by_itself = switch is not None and switch.site == event.site
        if switch and not by_itself:
            notes = note(switch, "train mode is switched on here")
        elif loaded:
            notes = note(loaded, f"{name} gets its weights here")
        else:
            trained = next((e for e in program.of(Forward) if module in e.subjects and program.is_trained(e)), None)
            notes = note(trained, f"{called_at(trained, module) if trained else name} is trained here")
        notes += note_of_pass(None if given_out else loop, event.chain[event.outside])
        repair = InsertEval(module=module, loop=loop, event=event, depth=event.outside)
        severity: Severity | None = None if matters else "warning" if switch or is_switched(program, module) else "advice"
        severity = "advice" if of_training else severity
        report = Report(event, "", notes, repair=None if by_itself else repair, site=event.chain[event.outside], severity=severity)
        where = "for this prediction" if loop is None or given_out else "in this validation pass"
        cure = _BY_ITSELF if by_itself else _OF_ONE_BATCH if keeps_one_batch(module) else _BEFORE if given_out else _AROUND
        phase = event if by_itself else same_phase(event, loop, event.outside)
        passes.setdefault((phase, where, cure), []).append(Case(name, report, f"{name} is in train mode too"))
    for (_, where, cure), cases in passes.items():
        names, modules = [case.name for case in cases], [next(iter(case.report.event.subjects)) for case in cases]
        effect = mode_effects(*modules, dropout="dropout is active", norm="batch norm uses and updates batch statistics")
        cure = cure.format(off=call_of("eval", names), on=call_of("train", names))
        yield as_one(f"{are(names)} in train mode {where}: {effect}; {cure}", cases)
