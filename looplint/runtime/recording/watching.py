"""How a hook is put around what it watches. The failure of a hook never reaches the script: the hook is switched off, and the stream has a record of it.

A watcher is a generator function that gets the arguments of a call. What is before its `yield` runs before the call; what is after it runs when
the call is over, with its `Outcome`. It may return before the `yield`, where there is nothing to watch, and it may yield other arguments for the call.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Generator, Hashable
from typing import Any, NamedTuple, ParamSpec, TypeAlias

import torch

from looplint.runtime.recording.channels import Channel
from looplint.runtime.recording.pauses import ENDING, Alike
from looplint.runtime.recording.tape import Tape

Arguments: TypeAlias = tuple[tuple[Any, ...], dict[str, Any]]
Parameters = ParamSpec("Parameters")


class Outcome(NamedTuple):
    """How a call ended: with a result, or with an error, which goes on to the script."""

    result: Any = None
    error: BaseException | None = None


Watching: TypeAlias = Generator[Arguments | None, Outcome, None]

compiling = torch.compiler.is_compiling
plain = torch._C.DisableTorchFunction  # what tensor subclasses and modes do with torch's functions is part of the script
_transform = torch._C._functorch.peek_interpreter_stack


def unreadable() -> bool:
    """Whether tensors have no values now: inside vmap and its like, and while a CUDA graph is captured, where a read would break the capture."""
    return _transform() is not None or (torch.cuda.is_initialized() and torch.cuda.is_current_stream_capturing())  # type: ignore[no-untyped-call]  # torch's own gap


def watched(
    tape: Tape,
    channel: Channel,
    original: Callable[..., Any],
    watcher: Callable[..., Watching],
    slot: str = "",
    within: tuple[str, ...] = (),
    alike: Alike | None = None,
) -> Callable[..., Any]:
    """The replacement of a watched function: it does what the function does.

    Args:
        channel: the channel that is switched off where the hook fails.
        slot: marks the thread during the call; a call inside it is not watched.
        within: further slots inside which a call is not watched.
        alike: for a function that the iterations of a training call: what tells its calls from one line apart. Those are let pass in a pause.
    """
    local, pauses = tape.local, tape.pauses
    blocked = frozenset((slot, *within)) - {""}
    ends_pauses = channel in ENDING
    name = getattr(original, "__name__", "")

    @functools.wraps(original)
    def run(*args: Any, **kwargs: Any) -> Any:
        if compiling() or not blocked.isdisjoint(local.inside) or tape.off(channel) or unreadable():
            return original(*args, **kwargs)
        watching: Watching | None = None
        try:
            if alike is not None and pauses.allowed and pauses.passes((name, alike(*args, **kwargs))):
                watching = None
            else:
                if ends_pauses:
                    pauses.end()
                with plain():
                    watching = watcher(*args, **kwargs)
                    args, kwargs = next(watching) or (args, kwargs)
        except StopIteration:
            return original(*args, **kwargs)
        except Exception as error:  # noqa: BLE001 (whatever fails here is no fault of the script)
            tape.fail(channel, error)
            return original(*args, **kwargs)
        if slot:
            local.inside.add(slot)
        try:
            result = original(*args, **kwargs)
        except BaseException as error:
            local.inside.discard(slot)
            if watching is not None:
                _end(tape, channel, watching, Outcome(None, error))
            raise
        local.inside.discard(slot)
        if watching is not None:
            _end(tape, channel, watching, Outcome(result))
        return result

    _scriptable(run, original)
    return run


def identity(first: object, *args: Any, **kwargs: Any) -> Hashable:
    """As `alike`: what a method is called on."""
    return id(first)


def _scriptable(run: Any, original: Callable[..., Any]) -> None:
    """Lets TorchScript compile what a function replaces: the names in its text are not those of this module."""
    builtin = torch.jit._builtins._find_builtin(original)  # type: ignore[no-untyped-call]  # torch's own gap
    if builtin is not None:
        torch.jit._builtins._register_builtin(run, builtin)
    run.__prepare_scriptable__ = lambda: original


def hook(
    tape: Tape,
    channel: Channel,
    owner: object,
    name: str,
    watcher: Callable[..., Watching],
    slot: str = "",
    within: tuple[str, ...] = (),
    alike: Alike | None = None,
) -> None:
    """Watches a function of torch under one of its names. Where torch has no such function, the hook has failed."""
    try:
        original = getattr(owner, name)
    except AttributeError as error:
        tape.fail(channel, error)
        return
    setattr(owner, name, watched(tape, channel, original, watcher, slot, within, alike))


def _end(tape: Tape, channel: Channel, watching: Watching, outcome: Outcome) -> None:
    try:
        with plain():
            watching.send(outcome)
    except StopIteration:
        pass
    except Exception as error:  # noqa: BLE001
        tape.fail(channel, error)


def shielded(
    tape: Tape, channel: Channel, hook: Callable[Parameters, None], alike: Callable[Parameters, Hashable] | None = None
) -> Callable[Parameters, None]:
    """A hook that torch calls by itself, so that its failure does not reach the script either; `alike` as for `watched`."""

    @functools.wraps(hook)
    def run(*args: Parameters.args, **kwargs: Parameters.kwargs) -> None:
        if compiling() or tape.off(channel) or unreadable():
            return
        try:
            if alike is not None and tape.pauses.allowed and tape.pauses.passes((channel, alike(*args, **kwargs))):
                return
            with plain():
                hook(*args, **kwargs)
        except Exception as error:  # noqa: BLE001
            tape.fail(channel, error)

    return run
