"""A loss computed under float16 autocast goes backward without a scaler.

## What it does

Reports a backward whose loss, on every path, comes out of a forward pass under an autocast that computes in float16, where no `GradScaler`
scales it and an optimizer of the program steps the model.

## Why it matters

Gradients have the type of the forward pass. The smallest number of float16 is 6e-8: what is smaller becomes zero silently. A
`GradScaler` multiplies the loss first. bfloat16 has the range of float32 and needs no scaler. float16 is the default of `torch.autocast("cuda")`,
bfloat16 that of `torch.autocast("cpu")`.

## Bad

```python
import torch
from torch import nn


def train(model: nn.Module, loader, epochs: int):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        model.train()
        for x, y in loader:
            optimizer.zero_grad()
            with torch.autocast("cuda", dtype=torch.float16):
                loss = nn.functional.mse_loss(model(x), y)
            loss.backward()
            optimizer.step()
```

## Good

```python
import torch
from torch import nn


def train(model: nn.Module, loader, epochs: int):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scaler = torch.amp.GradScaler("cuda")
    for epoch in range(epochs):
        model.train()
        for x, y in loader:
            optimizer.zero_grad()
            with torch.autocast("cuda", dtype=torch.float16):
                loss = nn.functional.mse_loss(model(x), y)
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
```

## Stays quiet

- bfloat16, and types and devices that are not known.
- Programs that set the autocast's type for the whole process.
- Models that no optimizer steps.
- Gradients that the program multiplies itself, and models whose forward switches autocast itself.
- The branch for runs in which the autocast is switched off: a backward under a condition on the same switch, or under any condition where
  other backwards are scaled.
- A backward by a framework, and a loss whose computation is not known.

## Repair

Unsafe: `dtype=torch.bfloat16`, which older GPUs compute slowly. It keeps fewer digits than float16, so the numbers are not those of a run
with a scaler.

## Evidence

What a run shows: backward passes go unscaled through forward passes in float16.
"""

from looplint.rule import COMPUTING, Autocast, Backward, Forward, Program, Report, Reports, UseBfloat16, note, related, sets_its_precision

CODE = "LL603"


def check(program: Program) -> Reports:
    if program.flags.sets_autocast_dtype:
        return  # a program that sets the autocast's type for the whole process
    in_half = {module for e in program.of(Forward) if e.variant == "half" for module in e.subjects}
    # One scaler for all devices, and with it a warning from the old one: https://github.com/pytorch/pytorch/releases/tag/v2.3.0
    scaler = "torch.amp.GradScaler" if program.target_torch >= (2, 3) else "torch.cuda.amp.GradScaler"
    seen = set()
    for module in program.modules:
        if not related({module}, in_half):
            continue  # a model that computes nothing in float16
        if not related({module}, program.stepped_modules):
            continue  # a model that no optimizer steps
        if related({module}, program.gradients.scaled):
            continue  # gradients that the program multiplies itself
        if sets_its_precision(module):
            continue  # a model whose forward switches autocast itself
        for visit in program.run(COMPUTING, module):
            backward = visit.event
            if not isinstance(backward, Backward) or backward.key in seen or not visit.always("half"):
                continue
            if backward.variant:
                continue  # a loss that a scaler scales, or may scale
            if not backward.known:
                continue  # a backward by a framework, or a loss whose computation is not known
            forward = visit.sometimes("half")[0].last(Forward)
            region = forward.autocast if forward is not None and forward.key in backward.forwards else None
            if forward is None or region is None:
                continue
            if _switched(program, backward, region):
                continue  # the branch for runs in which the autocast is switched off
            seen.add(backward.key)
            on = f", on where {region.enabled}," if region.enabled else ""
            message = f"the loss is computed under float16 autocast{on} and goes backward without {scaler}: gradients below 6e-8 become zero; scale the loss with one, or compute in bfloat16"
            notes = note(forward, "the forward pass computes in float16 here")
            yield Report(backward, message, notes, repair=UseBfloat16(site=region.site))


def _switched(program: Program, backward: Backward, region: Autocast) -> bool:
    """Whether the backward may belong to the runs in which autocast is off: a condition is on it, and others are scaled."""
    scaled = program.scalers or any(e.variant for e in program.of(Backward))
    return bool(scaled and (backward.guards or region.switch)) or any(region.switch & guard.names for guard in backward.guards)
