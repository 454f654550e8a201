"""The training data come in the order in which they are stored, epoch after epoch.

## What it does

Reports a `DataLoader` whose batches a loop trains on in every epoch, that is given neither `shuffle` nor a sampler, and whose dataset gives
its items by index; and one with `shuffle=False`, where a loader that is only evaluated is shuffled. A loader whose sampler is None unless several
processes share the data, and then is one that shuffles, is one without a sampler in a single process. What `train_dataloader()` of a
LightningModule or LightningDataModule returns, or `Trainer.fit` is given first, is trained on in every epoch; so is what ignite's
`create_supervised_trainer(...)` runs over, and the loader "train" of a runner of Catalyst.

It is a warning where the dataset mixes its items once, in its constructor or by `random_split`, and advice where the program makes them of random numbers.

## Why it matters

The default of `shuffle` is False. Every epoch then takes the same batches in the same order: where the dataset lists its classes or files
one after the other, whole batches are of one class, batch norm sees statistics that no validation batch has, and what comes last weighs most.

## Bad

```python
import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.randn(64, 8), torch.arange(64) // 32)
loader = DataLoader(data, batch_size=16)
net = nn.Linear(8, 2)
opt = optim.SGD(net.parameters(), lr=0.1)
for epoch in range(3):
    for x, y in loader:
        opt.zero_grad()
        loss = nn.functional.cross_entropy(net(x), y)
        loss.backward()
        opt.step()
```

## Good

```python
import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.randn(64, 8), torch.arange(64) // 32)
loader = DataLoader(data, batch_size=16, shuffle=True)
net = nn.Linear(8, 2)
opt = optim.SGD(net.parameters(), lr=0.1)
for epoch in range(3):
    for x, y in loader:
        opt.zero_grad()
        loss = nn.functional.cross_entropy(net(x), y)
        loss.backward()
        opt.step()
```

## Stays quiet

- An explicit `shuffle=False` where no other loader is shuffled in its place, a sampler or a batch sampler.
- Iterable datasets, those that are not known, and those that are told how many items go into a batch: they put side by side what belongs together.
- A dataset that mixes or draws its items itself, but for once in its constructor, and an epoch loop that mixes something: the items, where the dataset keeps the list.
- One batch of everything, and a loader that is built where another one is not, unless that has a `DistributedSampler` that shuffles: the order is chosen.
- A loader that is iterated over once, as by a framework's trainer that is built for one epoch, or to which Lightning gives a sampler, as it trains in several processes.
- What a framework trains on, where the dataset draws its items at random when it is built, as those of tests do.
- What follows in time: a dataset whose name says so, or a hidden state that the loop or the model carries from batch to batch.

## Repair

Safe: `shuffle=True`, or `shuffle=sampler is None`; unsafe where the program says False, or each epoch sets the same seed. None where a framework
goes over the loader, and where a helper passes its own `**kwargs` to the loader: the finding is at the call of the helper.

## Evidence

What a run shows: the loader of the training batches draws with a SequentialSampler.
"""

from looplint.rule import (
    Backward,
    BuildLoader,
    Drive,
    Forward,
    GiveArgument,
    Loader,
    Program,
    Report,
    Reports,
    Severity,
    Step,
    argument,
    arguments_site,
    builds_others,
    follows_time,
    name_of,
    never_in_order_again,
    note,
    only,
    only_over,
    order_is_chosen,
    shuffles,
    starts_over_in,
)

CODE = "LL901"


def check(program: Program) -> Reports:
    for loader, found in program.training_passes.items():
        swapped = _shuffled_instead(program, loader)
        if (loader.order != "as stored" and swapped is None) or order_is_chosen(found):
            continue  # an explicit shuffle, a sampler, one batch of everything, or a loader in the place of another one
        if loader.style != "map":
            continue  # an iterable dataset, one that is not known, or one that mixes or draws its items itself
        if shuffles(found.epochs):
            continue  # an epoch loop that mixes something
        if follows_time(loader, found.batches.assigned) or program.carries_state(found.batches):
            continue  # what follows in time
        instead = f", while {name_of(swapped, 'another loader')}, on which nothing is trained, is shuffled" if swapped else ""
        message = (
            f"{name_of(loader, 'this loader')} is trained on without shuffle{_where(loader)}{instead}: every epoch takes the same batches in the same order; "
            f"pass shuffle={_value(loader)}"
        )
        call = arguments_site(found.loader)
        if call != found.loader.site:
            yield Report(
                found.loader,
                message,
                (*note(found.loader, "the loader is built here"), *note(found.backward, "its batches are trained on here")),
                site=call,
                severity=_severity(loader),
            )
            continue
        seed, values = starts_over_in(program, found), {"shuffle": _value(loader)}
        doubted = swapped or seed or builds_others(program, found.loader)
        yield Report(
            found.loader,
            message + (", and set the seed once: each epoch starts over from it" if seed is not None else ""),
            (*note(found.backward, "its batches are trained on here"), *note(seed, "each epoch sets the seed to the same here")),
            repair=GiveArgument(event=found.loader, values=values, applicability="unsafe" if doubted else "safe"),
            severity=_severity(loader),
        )
    yield from _driven(program)


def _driven(program: Program) -> Reports:
    """The loaders that a framework trains on, whose loop is not in the text."""
    for event in program.of(Drive) if not never_in_order_again(program) else ():
        loader = next(iter(event.subjects))
        built = next((e for e in program.of(BuildLoader) if loader in e.subjects), None)
        if not event.trains or built is None or not isinstance(loader, Loader) or loader in program.training_passes:
            continue
        if loader.order != "as stored" or loader.style != "map" or loader.drawn_once or follows_time(loader, ()):
            continue
        message = (
            f"{name_of(loader, 'this loader')} is what the framework trains on, without shuffle{_where(loader)}: every epoch takes the same batches in the "
            f"same order; pass shuffle={_value(loader)}"
        )
        yield Report(built, message, note(event, "it goes to the framework here"), site=arguments_site(built), severity=_severity(loader))


def _severity(loader: Loader) -> Severity | None:
    """A dataset that mixes its items once gives them in no order that means anything: the same one in each epoch. Of noise, any order is as good."""
    return "advice" if loader.of_noise else "warning" if loader.mixed_once else None


def _where(loader: Loader) -> str:
    return f" where {loader.mixed_by} is None" if loader.mixed_by else ""


def _value(loader: Loader) -> str:
    """What `shuffle` is to be: a loader that gets a sampler refuses True."""
    return f"{loader.mixed_by} is None" if loader.mixed_by else "True"


def _shuffled_instead(program: Program, loader: Loader) -> Loader | None:
    """Another loader that shuffles and that nothing is trained on, where this one is set not to: the flags are swapped."""
    if argument(loader, "shuffle") is not False or not all(argument(loader, name) is None for name in ("sampler", "batch_sampler")):
        return None
    built = next((e.root for e in program.of(BuildLoader) if loader in e.subjects), "")
    for event in program.of(BuildLoader):
        other = only(event, Loader)
        if other is None or other in program.training_passes or argument(other, "shuffle") is not True or event.root != built:
            continue
        around = {loop for e in program.of(Forward) if not program.is_trained(e) for loop in e.loops if only_over(loop, other)}
        if around and not any(loop in e.loops for e in program.of(Backward, Step) for loop in around):
            return other
    return None
