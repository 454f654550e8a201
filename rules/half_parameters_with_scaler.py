"""A scaler unscales the gradients of parameters that are in float16 themselves.

## What it does

Reports the first `scaler.step(optimizer)` or `scaler.unscale_(optimizer)` of a `GradScaler` that is on, where on every path the parameters of a
module that the optimizer trains are in float16: converted with `half()` or `to(torch.float16)`, or built so (`torch_dtype=torch.float16`).

## Why it matters

Mixed precision keeps the parameters in float32 and computes in float16 under autocast; the scaler is made for that. Its unscaling refuses gradients in
float16, which have no room for its factor: the first step raises `ValueError: Attempting to unscale FP16 gradients.` Parameters in bfloat16 are
accepted, and need no scaler.

## Bad

```python
import torch
from torch import nn, optim

net = nn.Linear(8, 2).half()
opt = optim.SGD(net.parameters(), lr=0.1)
scaler = torch.amp.GradScaler()
for step in range(10):
    opt.zero_grad()
    loss = net(torch.randn(4, 8).half()).float().pow(2).mean()
    scaler.scale(loss).backward()
    scaler.step(opt)
    scaler.update()
```

## Good

```python
import torch
from torch import nn, optim

net = nn.Linear(8, 2)
opt = optim.SGD(net.parameters(), lr=0.1)
scaler = torch.amp.GradScaler()
for step in range(10):
    opt.zero_grad()
    with torch.autocast("cuda", dtype=torch.float16):
        loss = net(torch.randn(4, 8)).pow(2).mean()
    scaler.scale(loss).backward()
    scaler.step(opt)
    scaler.update()
```

## Stays quiet

- A scaler that is switched off, or that a condition switches.
- A step of an optimizer that may divide scaled gradients itself: a fused one, or one that is not torch's.
- Other scalers than torch's, such as that of FSDP, and one whose own unscaling the program replaces.
- Parameters that are frozen, converted back, or that the program puts other numbers in (`p.data = p.data.float()`).
- A conversion under a condition, or to a type that is not known.
- A model that escapes into code that cannot be followed after it is converted, and an optimizer that is passed in.

## Repair

None: the conversion has to go, and an autocast to come around the forward.

## Evidence

What a run shows: `ValueError: Attempting to unscale FP16 gradients.`
"""

from looplint.rule import Optimizer, Program, Report, Reports, half_step, name_of, note

CODE = "LL605"
DEFAULT = False


def check(program: Program) -> Reports:
    for optimizer in program.optimizers:
        found = half_step(program, optimizer) if isinstance(optimizer, Optimizer) else None
        if found is None:
            continue
        name = name_of(found.module, "the model")
        message = f"the scaler gets gradients in float16: {name_of(optimizer, 'the optimizer')} trains {name} in float16, and unscaling raises an error; leave {name} in float32, autocast converts"
        yield Report(found.event, message, note(found.move, f"{name} is converted here"))
