"""A checkpoint goes back to the device it was saved from, and the script may run where there is none.

## What it does

Reports `torch.load` without `map_location` whose result is given to `load_state_dict`, or is a whole module, in a program that moves a model to
a GPU where there is one, or where that is asked for, and leaves it on the CPU otherwise; and one whose result is moved to the CPU as it is.

## Why it matters

`torch.load` puts each tensor on the device it was saved from. A checkpoint of a run with a GPU then raises "Attempting to deserialize object
on a CUDA device" on a machine without one, which the rest of the script was written for; on a machine with several, all processes load it
onto the first GPU and keep a second copy of the model there.

## Bad

```python
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(8, 2).to(device)
net.load_state_dict(torch.load("weights.pt"))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(3):
    opt.zero_grad()
    loss = net(torch.randn(4, 8, device=device)).pow(2).mean()
    loss.backward()
    opt.step()
torch.save(net.state_dict(), "weights.pt")
```

## Good

```python
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(8, 2).to(device)
net.load_state_dict(torch.load("weights.pt", map_location=device))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(3):
    opt.zero_grad()
    loss = net(torch.randn(4, 8, device=device)).pow(2).mean()
    loss.backward()
    opt.step()
torch.save(net.state_dict(), "weights.pt")
```

## Stays quiet

- A program without such a choice, whose device is the same on every machine, unless that is the CPU and what is loaded is moved there.
- A program that puts all new tensors, its batches or anything else but its models on a GPU, under no condition that asks for one, and so needs it.
- A program that has the states of spread models copied to the CPU: `ShardedStateDictConfig(offload_to_cpu=True)`, `StateDictOptions(cpu_offload=True)`.
- A model that stays on the CPU, or is moved to a GPU on every machine.
- A file that the same run has saved before, on some path: it comes from the device that it is on.
- Weights that somebody else has published, by their name, or that the program downloads: they were saved from the CPU. That an option of the command
  line is called "pretrained" does not tell who has saved the file.
- A state whose entries the program moves to the CPU, each in its place, before it writes them: the file is one of CPU tensors.
- A load under a condition that only holds where there is a GPU, by its words, and one in a `try` that loads again with `map_location` after a RuntimeError.
- Where nothing in the program writes a state from a GPU, this is advice: who has saved the file, and from where, is not seen.
- Where the load would fail all the same, this is advice too: into a model that `DataParallel` wraps under a condition, whose state has other names
  without it, in `__setstate__`, before which the tensors of a pickle are loaded, and where an entry is read that nothing has which the program saves.
- What is loaded for something else than a state, such as data, and the state of a scheduler or a scaler, which holds no tensor.

## Repair

Safe: `map_location=` with the program's device where one name holds it, else `"cpu"`: torch's `load_state_dict` copies from there,
and `set_rng_state` takes the state of a generator from there alone.
Unsafe where other code keeps a tensor of the file, which then stays on the CPU.

## Evidence

What a run shows: `torch.load` without `map_location`, in a run whose device was chosen by what the machine has.
"""

from looplint.rule import (
    Automaton,
    Case,
    LoadState,
    MapLocation,
    Program,
    ReadFile,
    Report,
    Reports,
    Scaler,
    Scheduler,
    Transfer,
    as_one,
    asks_for_gpu,
    called_at,
    fits_only_if_spread,
    goes_on_from_no_file_of_its_own,
    implies_gpu,
    loads_again,
    note,
    written_from_cpu,
    written_from_gpu,
)

CODE = "LL803"
SEVERITY = "warning"

AUTOMATON = Automaton(start="?", arrows={("*", "save"): "written"}, reads=frozenset({"load"}))


def check(program: Program) -> Reports:
    choice = program.device_choice
    if program.flags.needs_accelerator or program.flags.goes_to_gpu or _moves_batches_to_a_gpu(program):
        return  # a program that puts all new tensors, its batches or another tensor on a GPU on every machine
    if program.flags.states_on_cpu:
        return  # a program whose states are spread over processes, and are on the CPU when they are saved
    loads: dict[str, list[Case]] = {}
    for disk in program.disks:
        for visit in program.run(AUTOMATON, disk):
            event = visit.event
            if not isinstance(event, ReadFile) or event.map_location:
                continue
            if choice is None and not event.file.goes_to_cpu:
                continue  # a program without a choice between a GPU and the CPU
            if visit.sometimes("written"):
                continue  # a file that the same run has saved before
            if event.file.published:
                continue  # weights that somebody else has published
            if any(implies_gpu(g.test, held=g.held) for g in event.guards):
                continue  # a load under a condition that only holds where there is a GPU
            if loads_again(event):
                continue  # a load that is made again, with `map_location`, where it fails
            restored = program.restored_from(event.file)
            if restored and all(isinstance(o, Scheduler | Scaler) for e in restored for o in e.subjects):
                continue  # the state of a scheduler or a scaler, which holds no tensor
            if restored and not program.may_move_to_either(o for e in restored for o in e.subjects):
                continue  # a model that stays on the CPU, or is moved to a GPU on every machine
            if restored or event.file.holds_module or event.file.goes_to_cpu:  # else it is loaded for something else than a state
                names = ", ".join(sorted({called_at(e, o, "the model") for e in restored for o in e.subjects})) or "the model"
                what = f"the state of {names}" if restored else "a module" if event.file.holds_module else "what goes to the CPU next"
                message = f"{what} is loaded onto the device it was saved from: where that is a GPU, this fails on machines without one; pass map_location"
                written = written_from_gpu(program, restored)
                if written is None and written_from_cpu(program, restored):
                    continue  # what the program writes for it is moved to the CPU first
                notes = note(choice, "the program is written for both: a GPU, or none, is chosen here") if choice is not None else ()
                if written is not None:
                    notes += note(written, "a state is saved from where it is")
                report = Report(
                    event,
                    message,
                    notes,
                    repair=MapLocation(event=event, restored=restored),
                    severity="advice" if written is None or _fails_anyway(program, event, restored) else "warning",
                )
                loads.setdefault(event.root, []).append(Case(what, report, f"so is {what} here"))
    for cases in loads.values():
        for severity in ("warning", "advice"):
            if alike := [case for case in cases if case.report.severity == severity]:
                yield as_one(alike[0].report.message, alike)


def _moves_batches_to_a_gpu(program: Program) -> bool:
    """Whether batches go to a GPU under no condition that asks for one: without it, the program fails there at the latest."""
    moves = [e for e in program.of(Transfer) if e.device == "accelerator" and not e.chosen and e.certain]
    return any(not any(asks_for_gpu(g.test) for g in e.guards) for e in moves)


def _fails_anyway(program: Program, event: ReadFile, restored: list[LoadState]) -> bool:
    if event.root.endswith(".__setstate__") or goes_on_from_no_file_of_its_own(program, event.file):
        return True
    return any(fits_only_if_spread(program, e) for e in restored)
