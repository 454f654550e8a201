"""Hooks on data loaders: which pass and which batch the program is in."""

from __future__ import annotations

import functools
import gc
import weakref
from typing import Any

import torch
from torch.utils.data import DataLoader
from torch.utils.data.dataloader import _BaseDataLoaderIter
from torch.utils.data.distributed import DistributedSampler

from looplint.runtime.recording.hooks_optim import StepLimit
from looplint.runtime.recording.tape import Tape


def install(tape: Tape, epochs: int = 0, batches: int = 0) -> None:
    """Hooks the loaders; the run ends where a training loader begins one more pass than `epochs`, and every pass ends after `batches`."""
    passes: dict[int, int] = {}
    _install_construct(tape)
    _install_iter(tape, passes, epochs)
    _install_next(tape, batches)
    _install_set_epoch(tape)
    _install_seed(tape)


def _describe(loader: DataLoader[Any]) -> dict[str, Any]:
    try:
        length: int | None = len(loader)
    except TypeError:  # an iterable dataset has none
        length = None
    return {
        "batches": length,
        "batch_size": loader.batch_size,
        "sampler": type(loader.sampler).__name__,
        "dataset": type(loader.dataset).__name__,
        "workers": loader.num_workers,
        "pinned": loader.pin_memory,
    }


def _install_construct(tape: Tape) -> None:
    original = DataLoader.__init__

    @functools.wraps(original)
    def construct(self: DataLoader[Any], *args: Any, **kwargs: Any) -> None:
        original(self, *args, **kwargs)
        if not tape.silent():
            vars(self)["_looplint_place"] = tape.place(2)

    DataLoader.__init__ = construct  # type: ignore[method-assign]


def _install_iter(tape: Tape, passes: dict[int, int], epochs: int) -> None:
    original = DataLoader.__iter__
    workers: set[int] = set()

    @functools.wraps(original)
    def iterate(self: DataLoader[Any]) -> Any:
        iterator = original(self)
        if tape.silent():
            return iterator
        number = tape.number(self)
        if not number:
            number = tape.object(self, "loader", _describe(self))
            tape.write({"record": "loader", "object": number, "at": vars(self).get("_looplint_place", 0)})
        passes[number] = passes.get(number, -1) + 1
        if epochs and passes[number] >= epochs and number in tape.trained:
            raise StepLimit(f"{epochs} epochs" if epochs > 1 else "1 epoch")
        # A pass that was left by a break is over when its loader starts again, even if something still holds its iterator.
        tape.loops[:] = [entry for entry in tape.loops if entry[0]() is not None and entry[1][0] != number]
        started = _started(iterator, workers)
        tape.write(
            {
                "record": "pass",
                "object": number,
                "number": passes[number],
                "at": tape.place(2),
                "time": round(tape.now(), 6),
                "events": tape.events,
                **({"started": started} if started else {}),
            }
        )
        tape.loops.append((weakref.ref(iterator), [number, passes[number], -1]))
        return iterator

    DataLoader.__iter__ = iterate  # type: ignore[method-assign]


def _started(iterator: Any, known: set[int]) -> int:
    """How many worker processes a pass has started; those of a pass before that stay are not among them."""
    new = {process.pid for process in getattr(iterator, "_workers", ())} - known
    known |= new
    return len(new)


def _install_next(tape: Tape, batches: int) -> None:
    original = _BaseDataLoaderIter.__next__

    @functools.wraps(original)
    def advance(self: Any) -> Any:
        for iterator, position in tape.loops:
            if iterator() is self:
                try:
                    if batches and position[2] + 1 >= batches:
                        raise StopIteration
                    batch = original(self)  # type: ignore[arg-type]
                except StopIteration:
                    tape.loops[:] = [entry for entry in tape.loops if entry[1] is not position]
                    raise
                position[2] += 1
                return batch
        return original(self)

    _BaseDataLoaderIter.__next__ = advance  # type: ignore[method-assign]


def _install_set_epoch(tape: Tape) -> None:
    original = DistributedSampler.set_epoch

    @functools.wraps(original)
    def set_epoch(self: Any, epoch: int) -> None:
        original(self, epoch)
        if not tape.silent():
            tape.write({"record": "set_epoch", "at": tape.place(2), "epoch": epoch, "events": tape.events})

    DistributedSampler.set_epoch = set_epoch  # type: ignore[method-assign]


def _install_seed(tape: Tape) -> None:
    """Hooks the seed of torch: how many parameters are there already when it is set."""
    original = torch.manual_seed

    @functools.wraps(original)
    def manual_seed(seed: Any) -> torch.Generator:
        if not tape.silent():
            drawn = sum(isinstance(thing, torch.nn.Parameter) for thing in gc.get_objects())
            tape.write({"record": "seed", "at": tape.place(2), "parameters": drawn, "events": tape.events})
        return original(seed)

    torch.manual_seed = torch.random.manual_seed = manual_seed


def flags() -> dict[str, Any]:
    """The global switches that a run ended with."""
    return {"benchmark": torch.backends.cudnn.benchmark, "deterministic": torch.backends.cudnn.deterministic}
