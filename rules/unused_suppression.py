"""A suppression comment where its rule reports nothing.

## What it does

Reports each code or name in a comment such as `# noqa: LL102` or `# looplint: ignore[missing-zero-grad]` that silences no finding on its line. All
rules are run for that, whichever are selected. A code or name that no rule has is reported too.

## Why it matters

The comment stays behind when the problem is gone, and suppresses the next one on its line, which may be a different one.

## Bad

```python
import torch
from torch import nn, optim

net = nn.Linear(2, 1)
opt = optim.SGD(net.parameters(), lr=0.1)
for x, y in loader:
    opt.zero_grad()
    loss = nn.functional.mse_loss(net(x), y)
    loss.backward()  # noqa: LL102
    opt.step()
```

## Good

```python
import torch
from torch import nn, optim

net = nn.Linear(2, 1)
opt = optim.SGD(net.parameters(), lr=0.1)
for x, y in loader:
    loss = nn.functional.mse_loss(net(x), y)
    loss.backward()  # noqa: LL102
    opt.step()
```

## Stays quiet

- A bare `# noqa` or `# looplint: ignore`, and the codes of other linters.
- A comment that names this rule as well.
- Every comment of a run in which a file could not be analysed.
- A finding that shows only where the caller is linted too: lint both files, or the whole tree.

## Repair

Safe: delete the code from the comment, or the comment where nothing is left of it.

## Evidence

None is needed: the repair deletes words of a comment.
"""

from looplint.rule import Program, Reports

CODE = "LL001"
DEFAULT = False
SEVERITY = "advice"


def check(program: Program) -> Reports:
    """Reports nothing: which comments suppress something is known after all rules have run; see `looplint.linting.unused`."""
    yield from ()
