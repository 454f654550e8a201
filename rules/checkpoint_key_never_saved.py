"""A training goes on from a checkpoint of which it reads an entry that nothing saves.

## What it does

Reports `checkpoint[key]`, where `torch.load` gave the checkpoint and the program takes its start epoch or the like from it: every dict that is given to
`torch.save` is known, none has the key, and some have others of the keys that are read.

## Why it matters

The training is started, and interrupted; it has written its checkpoints. The first time that somebody resumes it, the read ends in a KeyError: the
checkpoints are there, and the code that was to read them has never run. As a rule the key was renamed in one of the two places, or the entry was never put in.

## Bad

```python
import torch
from torch import nn


def train(resume: str, epochs: int):
    net, start = nn.Linear(8, 1), 0
    opt = torch.optim.Adam(net.parameters())
    if resume:
        checkpoint = torch.load(resume, map_location="cpu")
        net.load_state_dict(checkpoint["net"])
        opt.load_state_dict(checkpoint["optimizer"])
        start = checkpoint["epoch"] + 1
    for epoch in range(start, epochs):
        opt.zero_grad()
        loss = net(torch.randn(4, 8)).pow(2).mean()
        loss.backward()
        opt.step()
        torch.save({"state_dict": net.state_dict(), "optimizer": opt.state_dict(), "epoch": epoch}, "last.pt")
```

## Good

```python
import torch
from torch import nn


def train(resume: str, epochs: int):
    net, start = nn.Linear(8, 1), 0
    opt = torch.optim.Adam(net.parameters())
    if resume:
        checkpoint = torch.load(resume, map_location="cpu")
        net.load_state_dict(checkpoint["state_dict"])
        opt.load_state_dict(checkpoint["optimizer"])
        start = checkpoint["epoch"] + 1
    for epoch in range(start, epochs):
        opt.zero_grad()
        loss = net(torch.randn(4, 8)).pow(2).mean()
        loss.backward()
        opt.step()
        torch.save({"state_dict": net.state_dict(), "optimizer": opt.state_dict(), "epoch": epoch}, "last.pt")
```

## Stays quiet

- A file that does not say where to go on: weights to begin with, those that somebody publishes, what another program writes.
- Programs that save nothing, or something whose keys are not known, or that may save by a call out of sight.
- A file of which no other entry is read that the program saves: it is another program's.
- An entry that the program asks for before (`"optimizer" in checkpoint`, `checkpoint.get("optimizer")`), that it puts there itself, whose absence is
  caught, or that is read under a further condition.

## Repair

Safe where the entry is what `load_state_dict` is given, and all that is saved has the state of the very object under another key: the entry is read under
that. None for others: whether to save it or not to read it is not the linter's choice.

## Evidence

What a run shows: the KeyError of a resumption.
"""

from looplint.rule import Program, ReadSavedEntry, Report, Reports, UnsavedEntry, in_words, note, unsaved_entries

CODE = "LL806"
DEFAULT = False
WHOLE_PROGRAM = True


def check(program: Program) -> Reports:
    for unsaved in unsaved_entries(program):
        read = unsaved.reads[0]
        message = (
            f"{read.text} is read from the file that training goes on from, and nothing that the program saves has that key: "
            f"each resumption ends in a KeyError; {_how(unsaved)}"
        )
        notes = note(unsaved.save, f"this saves {in_words(unsaved.save.entries or ())}")
        yield Report(read, message, notes, repair=ReadSavedEntry(unsaved=unsaved))


def _how(unsaved: UnsavedEntry) -> str:
    key = unsaved.reads[0].entry
    return f'read "{unsaved.instead}", or save it under "{key}"' if unsaved.instead else f'save "{key}" too, or do not read it'
