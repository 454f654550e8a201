"""A clip is given an iterator over parameters that something has gone through already.

## What it does

Reports a call of `clip_grad_norm_` or `clip_grad_value_`, of torch or of an accelerator, whose parameters are an iterator that is kept under a
name or as an attribute, where on every path something has gone through it since it was made: the optimizer that was built from it, a loop,
`sum()`, or the same clip in the turn before.

## Why it matters

`model.parameters()`, `filter(...)`, `map(...)`, `itertools.chain(...)` and generator expressions give an iterator, which can be gone through
once. A second time it gives nothing: the clip finds no parameters, returns a norm of 0 and clips nothing, and gradients of any size are
applied. It is no error; newer versions of torch warn, but only where the iterator is a generator. `clip_grad_value_` is refused by them with a
RuntimeError that speaks of a `nested_tensorlist`; older ones clip nothing.

## Bad

```python
import torch
from torch import nn, optim

model = nn.Linear(4, 1)
params = filter(lambda p: p.requires_grad, model.parameters())
optimizer = optim.AdamW(params, lr=1e-3)
for x, y in [(torch.randn(8, 4), torch.randn(8, 1))] * 10:
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    nn.utils.clip_grad_norm_(params, 1.0)
    optimizer.step()
```

## Good

```python
import torch
from torch import nn, optim

model = nn.Linear(4, 1)
params = [p for p in model.parameters() if p.requires_grad]
optimizer = optim.AdamW(params, lr=1e-3)
for x, y in [(torch.randn(8, 4), torch.randn(8, 1))] * 10:
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    nn.utils.clip_grad_norm_(params, 1.0)
    optimizer.step()
```

## Stays quiet

- Lists, tuples, `nn.ParameterList`, and `model.parameters()` called for the clip.
- An iterator that is made anew between its last use and the clip, as in each turn of the loop.
- An iterator that is gone through on some paths only, or by code that cannot be followed.
- A function that is given the iterator, where no caller is followed.
- A norm that is only measured (`max_norm=inf`).
- An optimizer that is built from a used-up iterator: torch itself refuses it.

## Repair

Safe: make it a list where it is made. Unsafe where a later freeze, thaw or change of the model may change what is in it, or where its items are
taken with `next()`.

## Evidence

What a run shows: clips that are given no parameters.
"""

from looplint.rule import (
    UNSEEN,
    Automaton,
    Exhaust,
    MakeList,
    ParameterIterator,
    Program,
    Report,
    Reports,
    Visit,
    callee,
    making_of,
    note,
    used_where_made,
)

CODE = "LL113"

AUTOMATON = Automaton(start="fresh", arrows={("*", "iterator"): "fresh", ("*", "exhaust"): "used"})


def check(program: Program) -> Reports:
    for iterator in program.iterators:
        visits = program.run(AUTOMATON, iterator, only_with=Exhaust)
        first = used_where_made(program, iterator)
        late = {v.event: v for v in visits if isinstance(v.event, Exhaust) and v.certain and _is_used_up(v, first)}
        if any(event.by == "optimizer" for event in late):
            continue  # torch raises there
        for event, visit in late.items():
            if event.by == "clip":
                yield _report(program, iterator, event, visit, first)


def _is_used_up(visit: Visit, first: Exhaust | None) -> bool:
    """Whether something has gone through an iterator on every path: there, or in the function that made it."""
    elsewhere = first is not None and first.root != visit.event.root
    return visit.always("used") or (elsewhere and visit.always("used", UNSEEN))


def _report(program: Program, iterator: ParameterIterator, clip: Exhaust, visit: Visit, first: Exhaust | None) -> Report:
    uses = (*(state.last(Exhaust) for state in visit.sometimes("used")), first)
    before = next((e for e in uses if e is not None and e is not clip), clip)
    made = making_of(program, iterator)
    given, name = clip.given or iterator.name, iterator.name
    when = "is used up after the first turn of its loop" if before is clip else "is used up already"
    harm = "newer torch raises an error there" if callee(clip.site).endswith("clip_grad_value_") else "gradients of any size are applied"
    message = f"{given} is an iterator that {when}: the clip finds no parameters, and {harm}; make {name} a list"
    how = "the optimizer goes through it" if before.by == "optimizer" else "this goes through it"
    notes = note(made, "the iterator is made here") + (note(before, how) if before is not clip else ())
    return Report(clip, message, notes, repair=MakeList(iterator=iterator, made=made, used=before) if made is not None else None)
