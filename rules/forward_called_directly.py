"""`module.forward(...)` is called in place of the module itself.

## What it does

Reports a call of a module's `forward` method by its name, or by another name that the bound method was given, where the module itself could be
called. It is an error where this program puts something around the module's calls: a hook, a norm of `torch.nn.utils` or `fully_shard`; a warning
where it is `model.compile()`; and advice otherwise.

## Why it matters

Calling the module runs `forward` and everything around it: forward hooks and pre-hooks, and with them feature extraction, profilers,
`weight_norm` and `spectral_norm` of the old kind, sharding and compilation. Called directly, `forward` skips all of that
silently: with a `spectral_norm` that is a hook, the layer's weight is used as it was last computed and is never trained.

## Bad

```python
import torch
from torch import nn, optim


def train(net: nn.Module, loader, epochs: int):
    opt = optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(epochs):
        net.train()
        for x, y in loader:
            opt.zero_grad()
            loss = nn.functional.mse_loss(net.forward(x), y)
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

- `super().forward(...)` and `Base.forward(self, ...)`.
- `self.forward(...)` in the class's own `forward`, and in a `__call__` of its own.
- Classes with a `__call__` of their own, and methods of a class that registers the hook itself, which they may mean to pass over.
- Compiled, scripted and traced modules, and modules whose `forward` the program wraps.
- Objects that are not known to be modules, and `forward` passed on without being called.

## Repair

Safe: call the module.

## Evidence

What a run shows: a forward hook on the module is not called by this call.
"""

from looplint.rule import Attach, Bypass, CallModule, Module, Program, Report, Reports, Severity, name_of, note

CODE = "LL504"
SEVERITY = "advice"

# What happens where `forward` skips what is put around the module's calls.
PASSED_OVER = {
    "hook": "the hook that is registered on it does not run",
    "norm": "its weight is not recomputed, and is not trained",
    "shards": "its parameters are not gathered from the other processes",
    "compilation": "it does not run compiled",
}


def check(program: Program) -> Reports:
    for event in program.of(Bypass):
        module = next(iter(event.subjects))
        if not event.certain:
            continue  # an object that is not known to be a module
        if isinstance(module, Module) and module.compiled:
            continue  # a compiled module
        if event.own and event.function == "forward":
            continue  # self.forward(...) in the class's own forward
        around = next((e for e in program.of(Attach) if module in e.subjects), None)
        if event.own and around is not None and around.own:
            continue  # the class knows the hook that it puts on itself
        if "forward" in module.heap:
            continue  # a module whose forward is wrapped: what it was before is called from there
        name = event.receiver if 0 < len(event.receiver) < 60 else name_of(module)
        what = PASSED_OVER[around.what] if around is not None else "a hook on the module would not run"
        called = f"{event.alias}() is {name}.forward(), called" if event.alias else f"{name}.forward() is called"
        message = f"{called} in place of {name}(): {what}; call {name}(...)"
        severity: Severity = "advice" if around is None else "warning" if around.what == "compilation" else "error"
        yield Report(
            event, message, note(around, "it is put around the calls of the module here"), repair=CallModule(event=event), severity=severity
        )
