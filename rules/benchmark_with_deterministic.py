"""cuDNN's benchmark mode is switched on together with its deterministic mode.

## What it does

Reports `torch.backends.cudnn.benchmark = True` where `torch.backends.cudnn.deterministic = True` holds at the same time: the one that is
set later finds the other one set on every path, or whatever conditions one of them stands under, the other one stands under too. It is advice:
the runs learn the same, but for how single operations round.

## Why it matters

With `deterministic` cuDNN only uses algorithms that give the same result each time. With `benchmark` it times the algorithms it may use
and takes the fastest; which one that is can differ from run to run, and two algorithms round differently. Each run is then repeatable
within itself, and two runs are still not the same: the reproducibility that the other switch is there for is lost.

## Bad

```python
import torch


def main(net, loader, opt):
    torch.manual_seed(0)
    torch.backends.cudnn.deterministic = True
    torch.backends.cudnn.benchmark = True
    net.train()
    for x, y in loader:
        opt.zero_grad()
        loss = torch.nn.functional.mse_loss(net(x), y)
        loss.backward()
        opt.step()
```

## Good

```python
import torch


def main(net, loader, opt):
    torch.manual_seed(0)
    torch.backends.cudnn.deterministic = True
    torch.backends.cudnn.benchmark = False
    net.train()
    for x, y in loader:
        opt.zero_grad()
        loss = torch.nn.functional.mse_loss(net(x), y)
        loss.backward()
        opt.step()
```

## Stays quiet

- Either switch alone.
- Switches in two branches of one condition, or under two options that do not depend on each other.
- Benchmark mode that an option of its own asks for: `if args.cudnn_benchmark:`.
- A switch that is set back to False, or to a value that is not known, before the other one is set, or after it before a model runs.

## Repair

Safe: benchmark is set to False; where deterministic mode is asked for under a condition before, to `not cudnn.deterministic`. Unsafe where it is asked for later,
under a condition: runs without it lose benchmark mode too.

## Evidence

What a run shows: both flags are True when it ends.
"""

from looplint.rule import Automaton, Backward, Event, Forward, Program, Report, Reports, SetValue, Switch, more_than, note

CODE = "LL902"
SEVERITY = "advice"

AUTOMATON = Automaton(
    start="?",
    arrows={
        ("?", "switch:benchmark on"): "benchmark",
        ("?", "switch:deterministic on"): "deterministic",
        ("benchmark", "switch:deterministic on"): "both",
        ("deterministic", "switch:benchmark on"): "both",
        ("benchmark", "switch:benchmark off"): "?",
        ("deterministic", "switch:deterministic off"): "?",
        ("both", "switch:benchmark off"): "deterministic",
        ("both", "switch:deterministic off"): "benchmark",
    },
)


def check(program: Program) -> Reports:
    for settings in program.settings:
        for visit in program.run(AUTOMATON, settings):
            later = visit.event
            if not isinstance(later, Switch) or not later.on:
                continue
            other = "deterministic" if later.setting == "benchmark" else "benchmark"
            if not visit.sometimes(other):
                continue  # either switch alone
            earlier = next(
                (e for e in reversed(program.of(Switch)) if e.setting == other and e.on and e.root == later.root and e.index < later.index),
                None,
            )
            if _undone(program, later):
                continue  # one that is set back before anything runs
            if earlier is None or not (visit.always(other) or _whenever(earlier, later) or _whenever(later, earlier)):
                continue  # switches under two options that do not depend on each other
            benchmark, deterministic = (later, earlier) if later.setting == "benchmark" else (earlier, later)
            if _is_asked_for(benchmark):
                continue  # an option of its own asks for benchmark mode
            condition = more_than(deterministic, benchmark) or more_than(benchmark, deterministic)
            both = f"both modes of cuDNN are on where `{condition}`" if condition else "both modes of cuDNN are on"
            message = (
                f"{both}: benchmark picks algorithms by timing them, so two runs with one seed can differ in spite of deterministic; "
                "set benchmark to False if runs have to repeat exactly"
            )
            yield Report(
                benchmark,
                message,
                note(deterministic, "deterministic mode is switched on here"),
                repair=SetValue(event=benchmark, value="False", other=deterministic, tells="deterministic"),
            )


def _is_asked_for(benchmark: Switch) -> bool:
    """Whether benchmark mode is switched on where an option of that name is given: whoever gives it wants that mode."""
    return any(guard.held and "benchmark" in path.lower() for guard in benchmark.guards for path in guard.names)


def _undone(program: Program, later: Switch) -> bool:
    """Whether one of the switches is set back wherever the second is set, and no model runs between."""
    back = next(
        (e for e in program.of(Switch) if not e.on and later.index < e.index and e.root == later.root and _whenever(e, later)), None
    )
    return back is not None and not any(later.index < e.index < back.index for e in program.of(Forward, Backward))


def _whenever(one: Event, other: Event) -> bool:
    """Whether the conditions that one event stands under are also those of the other: then the second happens in no run without the first."""
    return set(one.guards) <= set(other.guards)
