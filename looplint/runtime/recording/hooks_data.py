"""Hooks on data loaders: which pass and which batch the program is in."""

from __future__ import annotations

import functools
import gc
import weakref
from collections.abc import Callable
from typing import Any

import torch
from torch.utils.data import DataLoader
from torch.utils.data.dataloader import _BaseDataLoaderIter
from torch.utils.data.distributed import DistributedSampler

from looplint.runtime.recording.limits import Limits
from looplint.runtime.recording.tape import Tape
from looplint.runtime.recording.watching import Watching, hook, watched


def install(tape: Tape, limits: Limits) -> None:
    kind = DataLoader
    hook(tape, "loaders", kind, "__init__", _construct(tape))
    hook(tape, "loaders", kind, "__iter__", _iterate(tape, limits))
    _install_next(tape, limits)
    hook(tape, "loaders", DistributedSampler, "__init__", _construct_sampler(tape))
    torch.manual_seed = torch.random.manual_seed = watched(tape, "seeds", torch.manual_seed, _seed(tape))


def _describe(loader: DataLoader[Any]) -> dict[str, Any]:
    try:
        length: int | None = len(loader)
    except TypeError:  # an iterable dataset has none
        length = None
    return {
        "batches": length,
        "batch_size": loader.batch_size,
        "dropped": _dropped(loader),
        "sampler": type(loader.sampler).__name__,
        "dataset": type(loader.dataset).__name__,
        "workers": loader.num_workers,
        "pinned": loader.pin_memory,
    }


def _dropped(loader: DataLoader[Any]) -> int | None:
    """How many items each pass leaves out at its end; None where that is not known."""
    if not loader.drop_last or loader.batch_size is None:
        return 0
    try:
        return len(loader.sampler) % loader.batch_size  # type: ignore[arg-type]  # torch declares no length of samplers
    except TypeError:
        return None


def _construct(tape: Tape) -> Callable[..., Watching]:
    def watch(loader: DataLoader[Any], *args: Any, **kwargs: Any) -> Watching:
        del args, kwargs
        if (yield None).error is None:
            vars(loader)["_looplint_place"] = tape.place()

    return watch


def _construct_sampler(tape: Tape) -> Callable[..., Watching]:
    def watch(sampler: DistributedSampler[Any], *args: Any, **kwargs: Any) -> Watching:
        del args, kwargs
        if (yield None).error is None:
            tape.write({"record": "sampler", "object": _sampler_number(tape, sampler), "at": tape.place()})

    return watch


def _sampler_number(tape: Tape, sampler: DistributedSampler[Any]) -> int:
    return tape.object(sampler, "sampler", {"shuffles": sampler.shuffle})


def _drawn(tape: Tape, loader: DataLoader[Any]) -> dict[str, Any]:
    """The distributed sampler that a pass draws its order from, and the epoch whose order that is; nothing where there is no such sampler."""
    for sampler in (loader.sampler, getattr(loader.batch_sampler, "sampler", None)):
        if isinstance(sampler, DistributedSampler):
            return {"sampler": _sampler_number(tape, sampler), "epoch": sampler.epoch}
    return {}


def _iterate(tape: Tape, limits: Limits) -> Callable[..., Watching]:
    passes, lengths = dict[int, int](), dict[int, int | None]()
    workers: set[int] = set()

    def watch(loader: DataLoader[Any]) -> Watching:
        outcome = yield None
        if outcome.error is not None:
            return
        number = tape.number(loader)
        if not number:
            described = _describe(loader)
            lengths[tape.object(loader, "loader", described)] = described["batches"]
            number = tape.number(loader)
            tape.write({"record": "loader", "object": number, "at": vars(loader).get("_looplint_place", 0)})
        passes[number] = passes.get(number, -1) + 1
        limits.begin_pass(number, passes[number], lengths.get(number))
        # A pass that was left by a break is over when its loader starts again, even if something still holds its iterator.
        tape.loops[:] = [entry for entry in tape.loops if entry[0]() is not None and entry[1][0] != number]
        started = _started(outcome.result, workers)
        tape.write(
            {
                "record": "pass",
                "object": number,
                "number": passes[number],
                "at": tape.place(),
                "time": round(tape.now(), 6),
                "events": tape.events,
                **({"started": started} if started else {}),
                **_drawn(tape, loader),
            }
        )
        tape.loops.append((weakref.ref(outcome.result), [number, passes[number], -1], tape.local.thread))

    return watch


def _started(iterator: Any, known: set[int]) -> int:
    """How many worker processes a pass has started, without persistent ones of an earlier pass."""
    new = {process.pid for process in getattr(iterator, "_workers", ())} - known
    known |= new
    return len(new)


def _install_next(tape: Tape, limits: Limits) -> None:
    """Counts the batches of each pass, and ends it after so many. This measures nothing, and has nothing that could fail."""
    kind: Any = _BaseDataLoaderIter
    original = kind.__next__

    @functools.wraps(original)
    def advance(self: Any) -> Any:
        for iterator, position, _ in tape.loops:
            if iterator() is self:
                try:
                    if limits.ends_pass(position):
                        raise StopIteration
                    batch = original(self)
                except StopIteration:
                    tape.loops[:] = [entry for entry in tape.loops if entry[1] is not position]
                    raise
                position[2] += 1
                return batch
        return original(self)

    kind.__next__ = advance


def _seed(tape: Tape) -> Callable[..., Watching]:
    """Seeding torch: how many parameters exist already."""

    def watch(*args: Any, **kwargs: Any) -> Watching:
        # `type`, because `isinstance` reads `__class__`, and a dead weak proxy raises an error then.
        drawn = sum(issubclass(type(thing), torch.nn.Parameter) for thing in gc.get_objects())
        tape.write({"record": "seed", "at": tape.place(), "parameters": drawn, "events": tape.events})
        yield None

    return watch


def flags() -> dict[str, Any]:
    """The global switches that a run ended with."""
    return {"benchmark": torch.backends.cudnn.benchmark, "deterministic": torch.backends.cudnn.deterministic}
