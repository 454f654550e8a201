"""An optimizer steps parameters that take no gradients: all that it holds are frozen.

## What it does

Reports a step of an optimizer in a loop, where `requires_grad` is False for every parameter that the optimizer holds, on every path to each
of its steps and to each backward.

## Why it matters

Frozen parameters get no gradients, and a step skips what has none, its weight decay included: the optimizer changes nothing,
silently. Where nothing else in the graph takes gradients, `backward()` raises an error; where something does, such as another model, an input or a
loss on which `requires_grad_()` was called, the loop runs to its end and nothing is learned. A typical cause is a loop that freezes all parameters of a
model after its new head was put in, so that the head is frozen too.

## Bad

```python
import torch
from torch import nn, optim

body, head = nn.Linear(8, 8), nn.Linear(8, 2)
net = nn.Sequential(body, nn.ReLU(), head)
for p in net.parameters():
    p.requires_grad = False
opt = optim.SGD(net.parameters(), lr=0.1)
for step in range(10):
    opt.zero_grad()
    loss = net(torch.randn(4, 8)).pow(2).mean()
    loss.requires_grad_()
    loss.backward()
    opt.step()
```

## Good

```python
import torch
from torch import nn, optim

body, head = nn.Linear(8, 8), nn.Linear(8, 2)
net = nn.Sequential(body, nn.ReLU(), head)
for p in body.parameters():
    p.requires_grad = False
opt = optim.SGD(head.parameters(), lr=0.1)
for step in range(10):
    opt.zero_grad()
    loss = net(torch.randn(4, 8)).pow(2).mean()
    loss.backward()
    opt.step()
```

## Stays quiet

- Parameters of which some take gradients: a part that was not frozen, was thawed, or was put in later.
- Parameters that are frozen under a condition, or thawed later in the loop.
- Parameters that are frozen between their backward and their step.
- An optimizer that is passed in, that is given more later, or of which it is not known what it holds.
- A model that escapes into code that cannot be followed after it is frozen.

## Repair

None: which parameters are to be trained is for the author to decide.

## Evidence

What a run shows: all parameters of an optimizer have `requires_grad` False when it steps, or the backward fails because there is no graph.
"""

from looplint.rule import Optimizer, Program, Report, Reports, name_of, note, steps_while_frozen

CODE = "LL507"
DEFAULT = False


def check(program: Program) -> Reports:
    for optimizer in program.optimizers:
        if not isinstance(optimizer, Optimizer) or optimizer.symbolic or optimizer.many or optimizer.escaped:
            continue  # passed in
        if not optimizer.exact or optimizer.extended or optimizer.alternatives:
            continue  # it is not known what it holds
        found = steps_while_frozen(program, optimizer)
        if found is None or not found.step.loops:
            continue
        name = name_of(optimizer, "the optimizer")
        message = f"{name} steps while all parameters that it holds are frozen: its steps change nothing; unfreeze what it is to train, or leave {name} out"
        yield Report(found.step, message, note(found.freeze, "they take no gradients from here on"))
