"""One of several optimizers is cleared twice, and another one never.

## What it does

Reports an optimizer's step in a loop that uses gradients which an earlier step has used already, on every path from the second iteration
on, where the same loop clears another optimizer more than once.

## Why it matters

The optimizer that steps uses the gradients of all batches so far, while another one is cleared twice.

## Bad

```python
import torch
from torch import nn, optim


def train(G: nn.Module, D: nn.Module, loader):
    opt_g, opt_d = optim.Adam(G.parameters()), optim.Adam(D.parameters())
    for real, noise in loader:
        opt_d.zero_grad()
        (D(G(noise).detach()).mean() - D(real).mean()).backward()
        opt_d.step()
        opt_d.zero_grad()
        (-D(G(noise)).mean()).backward()
        opt_g.step()
```

## Good

```python
import torch
from torch import nn, optim


def train(G: nn.Module, D: nn.Module, loader):
    opt_g, opt_d = optim.Adam(G.parameters()), optim.Adam(D.parameters())
    for real, noise in loader:
        opt_d.zero_grad()
        (D(G(noise).detach()).mean() - D(real).mean()).backward()
        opt_d.step()
        opt_g.zero_grad()
        (-D(G(noise)).mean()).backward()
        opt_g.step()
```

## Stays quiet

- A clear of any kind that reaches this optimizer on some path, such as a `zero_grad()` of a module that holds both.
- A loop that clears the other optimizer once: missing-zero-grad reports that.
- An optimizer that escapes into code in the loop that cannot be followed.

## Repair

Unsafe: clear the optimizer that steps.

## Evidence

What a run shows: the gradient norm of the uncleared optimizer grows.
"""

from looplint.rule import Clear, ClearOther, Program, Report, Reports, name_of, note, uncleared

CODE = "LL109"


def check(program: Program) -> Reports:
    for optimizer in program.optimizers:
        found = uncleared(program, optimizer)
        if found is None:
            continue
        clears = [e for e in program.of(Clear) if found.loop in e.loops]
        for other in program.optimizers:
            mine = [e for e in clears if other in e.subjects]
            if other is not optimizer and len(mine) > 1:
                one, two = name_of(optimizer), name_of(other)
                message = f"{one}'s gradients are never cleared, while {two} is cleared {len(mine)} times: {one}.step() uses the gradients of all batches so far; call {one}.zero_grad()"
                wrong = _misplaced(mine, found.step.index)
                yield Report(
                    found.step,
                    message,
                    note(wrong, f"this clears {two}; {one} was probably meant"),
                    repair=ClearOther(wrong=wrong, other=other, optimizer=optimizer, step=found.step),
                )
                break


def _misplaced(clears: list[Clear], step: int) -> Clear:
    """The last clear before the step."""
    before = [e for e in clears if e.index < step]
    return max(before, key=lambda e: e.index) if before else clears[-1]
