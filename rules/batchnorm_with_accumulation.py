"""Gradients of several batches are added up over a model that normalises within each batch.

## What it does

Reports the step of an optimizer that steps once in k batches, where a module whose parameters it holds contains a batch normalisation: a
`BatchNorm` layer, or a model of torchvision that is built with them.

## Why it matters

Accumulation is meant to do what k times the batch size would do. Batch normalisation does not do that: mean and variance are those of each small
batch alone, in the forward pass and in the running statistics. With the two or four examples a batch that make people accumulate, they are noise.

## Bad

```python
from torch import nn, optim


def train(loader, epochs: int, k: int):
    net = nn.Sequential(nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16), nn.ReLU(), nn.Flatten(), nn.LazyLinear(10))
    opt = optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(epochs):
        net.train()
        for i, (x, y) in enumerate(loader):
            loss = nn.functional.cross_entropy(net(x), y) / k
            loss.backward()
            if (i + 1) % k == 0:
                opt.step()
                opt.zero_grad()
```

## Good

```python
from torch import nn, optim


def train(loader, epochs: int, k: int):
    net = nn.Sequential(nn.Conv2d(3, 16, 3), nn.GroupNorm(4, 16), nn.ReLU(), nn.Flatten(), nn.LazyLinear(10))
    opt = optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(epochs):
        net.train()
        for i, (x, y) in enumerate(loader):
            loss = nn.functional.cross_entropy(net(x), y) / k
            loss.backward()
            if (i + 1) % k == 0:
                opt.step()
                opt.zero_grad()
```

## Stays quiet

- Layers that normalise within one example: `GroupNorm`, `LayerNorm`, `InstanceNorm`.
- A model that is in eval mode on every path where it is trained in this loop.
- A part with the layer that is put into eval mode by itself.
- A batch normalisation in parts that the optimizer does not hold.

## Repair

None. `GroupNorm` is another model; with `BatchNorm`, larger batches or layers kept in eval mode help.

## Evidence

What a run shows: how often running statistics are updated for each step, and from how few examples.
"""

from looplint.rule import (
    Eval,
    Event,
    Forward,
    Note,
    Obj,
    Optimizer,
    Program,
    Report,
    Reports,
    Site,
    Step,
    accumulated,
    mode_states,
    name_of,
    normalises,
    subjects,
)

CODE = "LP009"
DEFAULT = False
SEVERITY = "warning"


def check(program: Program) -> Reports:
    seen = set()
    for step in program.of(Step):
        every = accumulated(program, step)
        for optimizer in subjects(step, Optimizer) if every is not None else ():
            for module in sorted(optimizer.holds, key=lambda o: o.name):
                layer = normalises(module)
                if layer is None or (step.key, module) in seen:
                    continue
                if _stays_in_eval(program, step, module, layer):
                    continue  # a model, or a part with the layer, that is in eval mode where it is trained
                seen.add((step.key, module))
                message = f"the gradients of {every} batches are added up, and {name_of(module)} normalises within each: its statistics are those of one small batch; take larger batches, or a norm that does not depend on them, such as GroupNorm"
                notes = (
                    (Note(Site(layer.source, layer.node), "the layer is built here"),)
                    if layer.source is not None and layer.node is not None
                    else ()
                )
                yield Report(step, message, notes)


def _stays_in_eval(program: Program, step: Event, module: Obj, layer: Obj) -> bool:
    """Whether the model is in eval mode on every path where it is trained in the loop, or a part with the layer is put into it by itself."""
    if any(obj is not module and obj in set(layer.lineage()) for event in program.of(Eval) for obj in event.subjects):
        return True
    trained = [e for e in program.of(Forward) if module in e.subjects and program.is_trained(e) and step.loops[-1] in e.loops]
    visits = [mode_states(program, module, event) for event in trained]
    return any(visit is not None and visit.always("eval") for visit in visits)
