"""A functional dropout is not told the mode of its module: it drops in eval mode too.

## What it does

Reports `F.dropout(x)` and `F.dropout(x, p)`, of one, two or three dimensions too, in the forward of a module that the program puts into eval mode,
or in a method that the forward calls, where `training` is not given; and `F.scaled_dot_product_attention(q, k, v, dropout_p=self.rate)` there, in a
method that does not ask for the mode.

## Why it matters

`nn.functional.dropout` drops unless it is told `training=False`, whatever mode the module is in: `model.eval()` reaches the layers of a model, not the
functions that its forward calls. `scaled_dot_product_attention` always drops at the rate that it is given. Validation, tests and predictions then run with dropout: they differ from pass to pass, and are worse than the model is.

Where it is not in sight whether the rate of an attention is above 0, the finding is a warning.

## Bad

```python
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(16, 32)
        self.out = nn.Linear(32, 4)

    def forward(self, x):
        return self.out(nn.functional.dropout(torch.relu(self.hidden(x)), 0.5))


def test(loader, checkpoint):
    net = Net()
    net.load_state_dict(checkpoint)
    net.eval()
    with torch.no_grad():
        return sum((net(x).argmax(1) == y).sum().item() for x, y in loader)
```

## Good

```python
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(16, 32)
        self.out = nn.Linear(32, 4)

    def forward(self, x):
        return self.out(nn.functional.dropout(torch.relu(self.hidden(x)), 0.5, training=self.training))


def test(loader, checkpoint):
    net = Net()
    net.load_state_dict(checkpoint)
    net.eval()
    with torch.no_grad():
        return sum((net(x).argmax(1) == y).sum().item() for x, y in loader)
```

## Stays quiet

- A dropout that is given `training`, True too: samples of a Bayesian network.
- A method that reads `self.training` or is told a mode, and a class that has a `train()` or `eval()` of its own.
- A call under a test of an argument, `if use_dropout:`: the callers decide whether it is made.
- A rate that is 0, is set outside of the constructor, or comes in a variable.
- Names that say that it is on purpose: the prenet of Tacotron, noise, Monte-Carlo samples; and forwards that are repeated on the same input.
- Models that the program never puts into eval mode.

## Repair

Safe: `training=self.training`, or `dropout_p=self.rate if self.training else 0.0`.

## Evidence

What a run shows: the dropout drops while its module is in eval mode.
"""

from looplint.rule import Drop, Eval, Forward, GiveArgument, Program, Repair, Report, Reports, SetArgument, Severity, note, samples

CODE = "LL307"


def check(program: Program) -> Reports:
    reported = set()
    for event in program.of(Drop):
        if event.site in reported:
            continue
        for module in event.subjects:
            evaluated = next((e for e in program.of(Eval) if program.touches(e, module)), None)
            whole = set(module.lineage())
            if evaluated is None or any(whole & e.subjects and samples(program, e) for e in program.of(Forward)):
                continue
            reported.add(event.site)
            why = f"it takes {event.argument} as it is given" if event.argument else "its `training` is True where it is not given"
            how = (
                f"pass {event.argument}={event.rate or 'it'} only if {event.own}.training"
                if event.argument
                else f"pass training={event.own}.training"
            )
            message = f"{event.what}() drops in eval mode too: {why}, whatever mode {event.own} is in; {how}"
            severity: Severity = "error" if event.sure else "warning"  # the rate of an attention is often 0
            yield Report(event, message, note(evaluated, "eval mode from here on"), repair=_repair(event), severity=severity)
            break


def _repair(event: Drop) -> Repair | None:
    """How the function is told the mode; None where its rate is given by position."""
    if not event.argument:
        return SetArgument(event=event, name="training", value=f"{event.own}.training")
    rate = f"{event.rate} if {event.own}.training else 0.0"
    return GiveArgument(event=event, values={event.argument: rate}) if event.rate else None
