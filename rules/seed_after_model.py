"""The seed is set after the model has drawn its weights.

## What it does

Reports the first seed of a program, where a model with parameters has drawn them before it, and an optimizer first steps that model in a
loop after it.

## Why it matters

A model draws its weights when it is built; lazy layers draw theirs when they are first run. A seed that comes later fixes the order of the
data and dropout, and not where the training starts: two runs with the same seed differ from the first batch on, and the difference is blamed on the hardware.

## Bad

```python
import torch
from torch import nn, optim

net = nn.Linear(8, 2)
torch.manual_seed(0)
opt = optim.SGD(net.parameters(), lr=0.1)
for step in range(10):
    opt.zero_grad()
    loss = net(torch.randn(4, 8)).pow(2).mean()
    loss.backward()
    opt.step()
```

## Good

```python
import torch
from torch import nn, optim

torch.manual_seed(0)
net = nn.Linear(8, 2)
opt = optim.SGD(net.parameters(), lr=0.1)
for step in range(10):
    opt.zero_grad()
    loss = net(torch.randn(4, 8)).pow(2).mean()
    loss.backward()
    opt.step()
```

## Stays quiet

- A program that sets a seed before the model too, under whatever condition, or calls a function with "seed" in its name.
- A seed that follows the training of a model: it begins another part of the program, with models of its own.
- A seed in a loop, and a model that is built in a loop.
- A seed and a model in different functions that nobody calls: nothing says which runs first.
- Models whose layers are all lazy, `nn.LazyLinear(64)`, and that are not run before the seed.
- Weights that are drawn again after the seed, or loaded.
- Models whose initial values are all set by the program.
- Models that may come with their weights: those of `transformers`, `timm`, `diffusers` and `torch.hub`, and those with an argument such as
  `weights`.
- Models that escape into code that cannot be followed, and parts of other models.

## Repair

Safe: the seed is moved above the statement that builds the model.

## Evidence

What a run shows: parameters exist when the first seed is set.
"""

from looplint.rule import Forward, Module, MoveSeed, Program, Report, Reports, drawn_unseeded, draws_nothing, name_of, note, related

CODE = "LL904"
SEVERITY = "warning"

_GIVEN = ("pretrained", "weights", "checkpoint", "state_dict")


def check(program: Program) -> Reports:
    reported = set()
    for module in program.modules:
        if not related(program.stepped_modules, [module]) or draws_nothing(module):
            continue  # a model whose initial values are all set by the program
        if _pretrained(module):
            continue  # a model that may come with its weights
        if module.parent in program.modules:
            continue  # a part that one of several branches builds, where the whole is built in sight
        found = drawn_unseeded(program, module)
        if found is None:
            continue  # a seed before the model too, after its training, in a loop or in another function that nobody calls; weights drawn again or loaded
        built, late = found
        if late in reported:
            continue
        reported.add(late)
        name = name_of(module, "the model")
        drawn = "run" if isinstance(built, Forward) else "built"
        message = f"{name} was {drawn} before this seed: its first weights differ from run to run; set the seed before it is {drawn}"
        # Where the ways to both part: a helper that sets the seed serves others too.
        site = next((here for here, there in zip(late.chain, [*built.chain, None]) if here != there), late.site)
        notes = note(built, "the weights are drawn here") + (note(late, "the seed is set here") if site != late.site else ())
        yield Report(late, message, notes, repair=MoveSeed(seed=late, draw=built), site=site)


def _pretrained(module: Module) -> bool:
    """Whether a model may come with its weights."""
    named = module.arguments is not None and any(name in module.arguments.keywords for name in _GIVEN)
    return named or module.qualname.startswith(("transformers.", "torch.hub.", "timm.", "diffusers.")) or "pretrained" in module.qualname
