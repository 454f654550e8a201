"""A validation pass builds a graph for every batch that nothing uses.

## What it does

Reports a forward pass with gradients enabled whose result is measured, or turned into plain numbers, and does not go backward: in a loop over
data in which nothing is trained, in any such loop where the result is compared with something, or with its model in eval mode on every path. The
model is one that an optimizer of the program steps.

A single forward outside of all loops but those of its model's own methods, or in one that is left in its first turn, is advice: one graph is built. So is
the forward of a single item, such as the observation of an environment, or of a few pictures after an epoch (`for i in range(5)`), outside of a loop over
data, and that of a head whose features come from a forward without a graph: the larger part of the pass builds none. Several models of one pass are one
finding, with the places of all, and so are the forwards of one function that are no passes over batches.

## Why it matters

Every forward of the pass builds a graph and keeps its activations until the result is dropped: more memory and time, for nothing. Where the result of a
model that the program trains becomes an array as it is, the pass ends with a `RuntimeError`: `Tensor.numpy()` refuses a tensor that has a graph.

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
        net.eval()
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

- A decorator, a context or a caller that disables gradients, in another linted file too; and a context that enables them, `with torch.enable_grad():` or `with torch.set_grad_enabled(True):`, which are wanted then.
- Functions that return a result with its graph and are handed to code out of sight, which may differentiate it: the forward function of an explanation.
- Results that go with their graph to callers or code out of sight, but for those of a pass over a loader, or over batches in what evaluates by its name: they may be a part of a loss.
- Models that are frozen (`requires_grad_(False)`), those from out of sight whose results become arrays without `detach()`, so that they must be, and inputs that are volatile (`Variable(x, volatile=True)`), unless the program uses what came with torch 0.4, which makes nothing of that word: `loss.item()`, `.to(device)`.
- Models that no optimizer steps, but for a loop in eval mode over batches or with measured results, and a model that is built and gets its weights there.
- Forwards that are differentiated by their inputs, and calls that differentiate one too: attacks, saliency maps, normals of a field.
- Methods out of sight that sample or evaluate by their names, and those that a class leaves to its subclasses: they may disable gradients themselves.
- Methods out of sight that make what a model gets under `no_grad` in the same turn, or that take what it does not get there: conversions of data.
- Parts of a model out of sight in a program that trains none, unless it moves them, switches their mode, or they give a batch's loss by name: they may disable gradients.
- Models whose own forward differentiates something: the forces of an energy, an optimization in a layer.
- Methods that are told the names of parameters, one by one, as for groups with rates of their own.
- Forwards whose results are not measured, but for a pass over a loader in eval mode, or of a model as above.

## Repair

Safe: wrap the pass in `with torch.no_grad():`, or the call of a function of another file. Unsafe where its result goes on out of sight, for a loss out of sight, or for an old torch (`loss.data[0]`).

## Evidence

What a run shows: the outputs have a `grad_fn`; peak memory is higher.
"""

from looplint.rule import (
    Case,
    Forward,
    InsertNoGrad,
    Note,
    Program,
    Report,
    Reports,
    Severity,
    as_one,
    built_for_an_evaluation,
    callee,
    depth_apart,
    depth_of_the_drop,
    differentiating_forwards,
    eval_mode_of,
    evaluates_batches,
    in_words,
    is_a_pass,
    loops_around,
    may_be_sent_backward_elsewhere,
    may_be_trained,
    name_of,
    needs_its_graph,
    note,
    note_of_pass,
    of_a_few,
    over_batches,
    over_chunks,
    over_data,
    over_parts,
    records_a_graph,
    refusal,
    related,
    same_phase,
    serves_more_classes,
    shares_a_call,
    takes_data,
    takes_what_has_no_graph,
    trains_on_another_call,
    untrained_loop,
)

CODE = "LL303"
SEVERITY = "warning"
OF_GRAPHS = True


def check(program: Program) -> Reports:
    reported = set()
    passes: dict[tuple[object, str, str, str], list[Case]] = {}
    differentiated = [e for e in program.of(Forward) if e.key in program.uses.differentiated]
    within = differentiating_forwards(program)
    inside, needing = {e.key for e in within}, [e for e in within if needs_its_graph(e)]
    on_the_way = {site for e in needing for site in e.chain}
    rightly_recorded = needing + [
        e for e in program.of(Forward) if may_be_trained(program, e) or e.grad is False or e.key in program.uses.differentiated
    ]
    for event in program.of(Forward):
        module = next(iter(event.subjects))
        if may_be_trained(program, event) or not event.certain:
            continue  # a forward whose result goes backward, or may do so
        if not records_a_graph(program, event):
            continue  # gradients are off, or wanted, or there is nothing that takes any
        if event.key in inside or shares_a_call(event, differentiated):
            continue  # a model that differentiates something itself, or a call that does so with another forward, as for normals of a field
        loop = untrained_loop(program, event)
        if loop is not None and over_parts(loop) and event.inputs is None:
            continue  # a method that is told the name of a parameter, or its number
        evaluates, switch = eval_mode_of(program, module, event)
        loaded = built_for_an_evaluation(program, module, event)
        if event.key not in program.uses.compared and not evaluates and loop is not None and not takes_data(loop):
            loop = None
        if loop is None and not evaluates:
            continue  # neither in a loop over data in which nothing is trained, nor in eval mode on every path
        if not (loop is not None and is_a_pass(program, event, loop)) and may_be_sent_backward_elsewhere(program, event):
            continue  # code out of sight gets it with its graph, and it is no evaluation by a loader or a name: a part of a loss
        measured = event.key in program.uses.scored | program.uses.fetched
        if not (measured and related(program.stepped_modules, {module})) and not (
            (evaluates or loaded) and evaluates_batches(program, event, loop, measured)
        ):
            continue  # a forward whose result is not measured, or of a model that no optimizer steps
        apart = depth_apart(event, rightly_recorded, event.outside)
        depth = depth_of_the_drop(program, event, apart)
        place = (event.loops[-1:], event.root, [*module.lineage()][-1] if depth == event.outside else event.chain[depth])
        if place in reported or serves_more_classes(program, event, depth) or event.chain[depth] in on_the_way:
            continue  # it is reported, or what is done with it is done with that of others too, which go backward or differentiate there
        reported.add(place)
        called = callee(event.chain[depth]) or name_of(module)
        validates = loop is not None and (over_batches(program, loop) or over_chunks(loop) or loop.draws)
        trained_on = any("train" in each.iterates for each in event.loops if over_data(each))
        compares = event.key in program.uses.compared and not trained_on
        where = ("in this validation pass" if compares else "in this pass over data") if validates else "for this forward pass"
        refused = refusal(program, event)
        harm = "and numpy() raises a RuntimeError for what has one" if refused else "which takes memory and time, and nothing goes backward"
        calls = "this" if trains_on_another_call(program, event, depth, loop if validates else None) else "every"
        begins = "validation" if validates and compares and switch is not None and switch.root == event.root else "eval mode"
        notes = note(switch, f"{begins} begins here") if evaluates else ()
        caller = program.reached.by_bases.get(event.root)
        notes += (Note(caller, f"{event.root.rpartition('.')[2]} is called here, where gradients are enabled"),) if caller else ()
        minor = of_a_few(program, event, loop) or takes_what_has_no_graph(program, event) or event.key in program.uses.detached
        notes += note_of_pass(loop if validates else None, event.chain[depth]) + note(refused, "torch refuses this")
        again = any(each.repeats for each in (*loops_around(event), *([loop] if loop is not None and validates else [])))
        severity: Severity = "error" if refused else "warning" if again and not minor else "advice"
        repair = InsertNoGrad(loop=loop if depth == apart else None, event=event, depth=depth)
        report = Report(event, "", notes, repair=repair, site=event.chain[depth], severity=severity)
        case = Case(called, report, f"so does {calls} call of {called}")
        passes.setdefault((same_phase(event, loop if validates else None, depth), where, calls, harm), []).append(case)
    for (_, where, calls, harm), cases in passes.items():
        called = in_words(case.name for case in cases)
        message = f"gradients are enabled {where}: {calls} call of {called} builds a graph, {harm}; run it under torch.no_grad()"
        yield as_one(message, cases)
