"""All that is hooked into torch for a recording, and what is written when it ends."""

from __future__ import annotations

import signal
import sys
from typing import Any

import torch

from looplint.runtime.recording import (
    final,
    hooks_autocast,
    hooks_autograd,
    hooks_blind,
    hooks_costs,
    hooks_data,
    hooks_dropouts,
    hooks_gradients,
    hooks_kept,
    hooks_loggers,
    hooks_modules,
    hooks_optim,
    hooks_protocol,
    hooks_schedule,
    hooks_state,
    limits,
    measure,
    spawned,
    threads,
)
from looplint.runtime.recording.probes import Sources
from looplint.runtime.recording.tape import Tape
from looplint.runtime.recording.watching import plain, shielded


class Recorder:
    """The installed hooks, as far as the end of the run needs them."""

    def __init__(self, tape: Tape, values: final.FinalValues, most: limits.Limits) -> None:
        self.tape, self.values, self.limits = tape, values, most

    def finish(self, end: dict[str, Any]) -> None:
        """Writes the last record."""
        tape = self.tape
        tape.pauses.end()
        tape.local.busy = 1
        end.update(steps=tape.steps, events=tape.events, measuring=tape.measuring, shortened=self.limits.shortened)
        with tape.reading("final values"), plain():
            end.update(flags=hooks_data.flags(), **measure.memory(tape.size))
            end.update(optimizers=self.values.optimizers(), modules=self.values.models())
        final.uninstall()
        tape.local.busy = 0
        try:
            tape.write(end)
            tape.close()
        except Exception as error:  # noqa: BLE001 (the script has ended as it did; that its recording is not whole is all there is to say)
            print(f"looplint: the recording was not written to its end: {type(error).__name__}: {error}", file=sys.stderr)


def _flush_on_request(tape: Tape, stream: str) -> None:
    """Handles the parent's request to flush the stream; also ends this process where one that it started was ended."""
    tape.flush()
    if message := spawned.stopped(stream):
        # Another request may come while the script ends, which it does once.
        signal.signal(signal.SIGUSR2, lambda *_: tape.flush())
        raise limits.StepLimit(message)


def _note_gpu(tape: Tape) -> None:
    """Notes the GPU as soon as the script uses it.

    To ask for it before would start CUDA, which takes its time and memory, and after which a process that the script forks cannot use CUDA.
    """

    def note() -> None:
        tape.write({"record": "gpu", "name": torch.cuda.get_device_name()})

    torch.cuda._lazy_call(shielded(tape, "moves", note))  # type: ignore[no-untyped-call]  # private: nothing public waits for CUDA's start


def install(options: dict[str, Any], sources: Sources) -> Recorder:
    """Opens the stream and installs the hooks.

    Args:
        options: those that `looplint.runtime.streams.record` gives its process.
        sources: the files of the script that are not run as they are on disk.
    """
    tape = Tape(options["stream"], own=options.get("own", ""))
    # Each hooked call in a recursion takes a frame more than the script's own three or four.
    sys.setrecursionlimit(sys.getrecursionlimit() * 3 // 2)
    if hasattr(signal, "SIGUSR2"):  # before the parent ends a process, it has it flush its stream
        signal.signal(signal.SIGUSR2, lambda *_: _flush_on_request(tape, options["stream"]))
    tape.write(
        {
            "record": "start",
            "version": 1,
            "script": options["script"],
            "arguments": options["arguments"],
            "seed": options.get("seed"),
            "python": sys.version.split()[0],
            "torch": torch.__version__,
            **measure.memory(tape.size),
        }
    )
    if options.get("whole") or options.get("costs"):
        tape.pauses.forbid()
    _note_gpu(tape)
    values = final.FinalValues(tape)
    optimizers = hooks_optim.Optimizers(tape, values)
    modules = hooks_modules.Modules(tape, values, outputs=bool(options.get("outputs")))
    most = limits.Limits(
        tape, options.get("steps") or 0, options.get("epochs") or 0, options.get("batches") or 0, bool(options.get("short"))
    )
    limits.follow_steps(tape)
    hooks_optim.install(tape, optimizers)
    optimizers.seek = shielded(tape, "optimizers", hooks_protocol.Protocol(tape, optimizers, most).look)
    hooks_gradients.install(tape, optimizers, most)
    hooks_autograd.install(tape, optimizers)
    hooks_autocast.install(tape)
    hooks_modules.install(tape, optimizers, modules)
    hooks_schedule.install(tape)
    hooks_data.install(tape, most)
    hooks_state.install(tape, optimizers, modules)
    hooks_dropouts.install(tape)
    hooks_loggers.install(tape)
    hooks_kept.install(tape, sources, optimizers, modules)
    hooks_blind.install(tape)
    spawned.install(tape, options, install)
    if options.get("costs"):
        hooks_costs.install(tape, optimizers)
    final.install(tape, values)
    limits.install(tape, most)
    threads.install(tape, most)

    return Recorder(tape, values, most)
