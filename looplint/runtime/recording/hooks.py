"""All that is hooked into torch for a recording, and what is written when it ends."""

from __future__ import annotations

import signal
import sys
from typing import Any

import torch

from looplint.runtime.recording import (
    hooks_autograd,
    hooks_costs,
    hooks_data,
    hooks_gradients,
    hooks_kept,
    hooks_loggers,
    hooks_modules,
    hooks_optim,
    hooks_schedule,
    hooks_state,
    measure,
)
from looplint.runtime.recording.probes import Sources
from looplint.runtime.recording.tape import Tape


class Recorder:
    """The installed hooks, as far as the end of the run needs them."""

    def __init__(self, tape: Tape, optimizers: hooks_optim.Optimizers, modules: hooks_modules.Modules) -> None:
        self.tape, self.optimizers, self.modules = tape, optimizers, modules

    def failing(self) -> bool:
        """Whether a measurement was under way, so that what was raised is no fault of the script."""
        return bool(self.tape.local.busy)

    def finish(self, end: dict[str, Any]) -> None:
        """Writes the last record."""
        tape = self.tape
        tape.local.busy += 1
        end.update(steps=tape.steps, events=tape.events, measuring=tape.measuring, flags=hooks_data.flags(), **measure.memory())
        end.update(optimizers=self.optimizers.digests(), modules=self.modules.digests())
        tape.local.busy = 0
        tape.write(end)
        tape.close()


def install(options: dict[str, Any], sources: Sources) -> Recorder:
    """Opens the stream and installs the hooks.

    Args:
        options: those that `looplint.runtime.streams.record` gives its process.
        sources: the files of the script that are run in another form than they stand in.
    """
    tape = Tape(options["stream"], own=options.get("own", ""))
    if hasattr(signal, "SIGUSR2"):  # the parent asks a process that it is about to end for what is not yet written
        signal.signal(signal.SIGUSR2, lambda *_: tape.flush())
    cuda = torch.cuda.get_device_name() if torch.cuda.is_available() else None
    tape.write(
        {
            "record": "start",
            "version": 1,
            "script": options["script"],
            "arguments": options["arguments"],
            "seed": options.get("seed"),
            "python": sys.version.split()[0],
            "torch": torch.__version__,
            "cuda": cuda,
            **measure.memory(),
        }
    )
    optimizers = hooks_optim.Optimizers(tape, options.get("steps") or 0)
    modules = hooks_modules.Modules(tape)
    hooks_optim.install(tape, optimizers)
    hooks_gradients.install(tape, optimizers)
    hooks_autograd.install(tape, optimizers)
    hooks_modules.install(tape, optimizers, modules)
    hooks_schedule.install(tape)
    hooks_data.install(tape, options.get("epochs") or 0, options.get("batches") or 0)
    hooks_state.install(tape, modules)
    hooks_loggers.install(tape)
    hooks_kept.install(tape, sources)
    if options.get("costs"):
        hooks_costs.install(tape)

    return Recorder(tape, optimizers, modules)
