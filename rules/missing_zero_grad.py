"""Nothing clears the gradients between an optimizer's step and the next backward.

## What it does

Reports a backward in a loop that adds to gradients which the optimizer's step has already used, on every path from the second iteration of
the loop on.

It is a warning where each batch begins with a clear and the loop turns for it as often as a name says: a single turn adds nothing up.

## Why it matters

backward() adds to `.grad`. Without a clear every step uses the sum of all batches so far, which grows and is dominated by old
batches.

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

- A clear of any kind on some path between the step and the backward: `model.zero_grad()`, `p.grad = None`, a helper that clears, a clear
  under the condition of an accumulating step. A clear of some parameters between a backward and its step is none: the step uses the rest.
- An optimizer that escapes into code in the loop that cannot be followed.
- A single step outside a loop or in the last turn of one (`if i == len(loader) - 1`), and steps with a closure that clears (LBFGS).
- Gradients that are filled by hand. Optimizers of one list or dict, which cannot be distinguished, where anything clears one of them, or where
  each turn of the loop may step with another one.
- A loop in which another optimizer is cleared more than once: wrong-optimizer-cleared reports that.

## Repair

Safe with one optimizer: insert the clear at the top of the batch body.

## Evidence

What a run shows: the gradient norm before each step grows against the same loop with the clear.
"""

from looplint.rule import Clear, InsertClear, Program, Report, Reports, note, only_where, to_clear, turns_in_a_batch, uncleared

CODE = "LL102"


def check(program: Program) -> Reports:
    uncleared_optimizers = [(o, u) for o in program.optimizers if (u := uncleared(program, o))]
    for optimizer, found in uncleared_optimizers:
        if _others_cleared_twice(program, optimizer, found.loop):
            continue  # wrong-optimizer-cleared reports that
        names = to_clear(program, found.step, optimizer)
        calls = " and ".join(f"{name}.zero_grad()" for name in names)
        clears = [e for e in program.of(Clear) if found.loop in e.loops and program.touches(e, optimizer)]
        condition = only_where(found.backward, clears)
        where = f" where `{condition}`" if condition else ""
        turns = turns_in_a_batch(program, found, optimizer)
        where, over = (f" where {turns} is more than 1", f"the {turns} turns for each batch") if turns else (where, "all batches")
        message = f"nothing clears {names[0]}'s gradients between {names[-1]}.step() and the next backward(){where}: they add up over {over}; call {calls} for each"
        repair = InsertClear(optimizer=optimizer, step=found.step, backward=found.backward, loop=found.loop)
        yield Report(
            found.backward,
            message,
            note(found.step, "the gradients are used here, and stay"),
            repair=None if found.rebuilt else repair,
            severity="warning" if turns else "error",
        )


def _others_cleared_twice(program: Program, optimizer: object, loop: object) -> bool:
    """Whether the loop clears another optimizer more than once."""
    clears = [e for e in program.of(Clear) if loop in e.loops]
    return any(sum(o in e.subjects for e in clears) > 1 for o in program.optimizers if o is not optimizer)
