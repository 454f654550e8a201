"""An optimizer's step also applies gradients that the loss of another one's phase has left.

## What it does

Reports a step in a loop that trains several models in turn, where on every path its gradients are those of its own backward and, not cleared
since, those of another optimizer's phase: a backward that went through this optimizer's modules to the other's, which made their input, and that
was followed by the other's step.

## Why it matters

The generator's loss goes backward through the discriminator, and fills its gradients too. They push the discriminator to call fakes real. Where
nothing clears them before the discriminator's own backward, its step applies the sum of both: it is trained against itself, without an error. It is
the same with the critic that an actor's loss goes through.

## Bad

```python
import torch
from torch import nn, optim

gen, disc = nn.Linear(4, 2), nn.Linear(2, 1)
opt_g, opt_d = optim.Adam(gen.parameters()), optim.Adam(disc.parameters())
bce = nn.BCEWithLogitsLoss()
real, ones, zeros = torch.randn(8, 2), torch.ones(8, 1), torch.zeros(8, 1)
for step in range(10):
    opt_g.zero_grad()
    opt_d.zero_grad()
    fake = gen(torch.randn(8, 4))
    loss_g = bce(disc(fake), ones)
    loss_g.backward()
    opt_g.step()
    loss_d = bce(disc(real), ones) + bce(disc(fake.detach()), zeros)
    loss_d.backward()
    opt_d.step()
```

## Good

```python
import torch
from torch import nn, optim

gen, disc = nn.Linear(4, 2), nn.Linear(2, 1)
opt_g, opt_d = optim.Adam(gen.parameters()), optim.Adam(disc.parameters())
bce = nn.BCEWithLogitsLoss()
real, ones, zeros = torch.randn(8, 2), torch.ones(8, 1), torch.zeros(8, 1)
for step in range(10):
    opt_g.zero_grad()
    fake = gen(torch.randn(8, 4))
    loss_g = bce(disc(fake), ones)
    loss_g.backward()
    opt_g.step()
    opt_d.zero_grad()
    loss_d = bce(disc(real), ones) + bce(disc(fake.detach()), zeros)
    loss_d.backward()
    opt_d.step()
```

## Stays quiet

- Gradients that are cleared between the other's step and the optimizer's own backward, or may be.
- Modules that are frozen while the other's loss goes backward, and inputs without a graph (`detach()`).
- Losses that both optimizers step on together: the first step after the backward is the optimizer's own, or one optimizer holds both.
- Phases whose own loss reaches the other's modules too: the two may train on both losses on purpose.
- A backward without a step of the other after it, and a step without a backward of its own.

## Repair

Unsafe: `zero_grad()` at the beginning of the optimizer's own phase, where that has a single backward.

## Evidence

What a run shows: steps of an optimizer whose gradients were also filled by a backward after which another optimizer stepped first.
"""

from looplint.rule import ClearPhase, Optimizer, Program, Report, Reports, foreign_gradients, name_of, note

CODE = "LL112"
DEFAULT = False


def check(program: Program) -> Reports:
    for optimizer in program.optimizers:
        found = foreign_gradients(program, optimizer) if isinstance(optimizer, Optimizer) else None
        if found is None:
            continue
        one, other = name_of(optimizer, "the optimizer"), name_of(found.other, "the other one")
        message = f"{one} also applies the gradients that the loss of {other}'s phase has left: nothing clears them before its own backward; call {one}.zero_grad() there"
        yield Report(
            found.step,
            message,
            note(found.foreign, f"this fills its gradients too, for {other}") + note(found.closing, f"{other} steps here"),
            repair=ClearPhase(optimizer=optimizer, step=found.step, own=found.own, loop=found.loop),
        )
