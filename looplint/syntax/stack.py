"""A stack for what is nested deeply: the recursion of an analysis is as deep as the text that it reads."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from looplint.frames import with_room

P = ParamSpec("P")
T = TypeVar("T")
# Pages of it that are not used cost nothing.
_BYTES = 256 << 20
_FRAMES = 30_000


def deeply(function: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
    """Call a function, and where it recurses too deeply call it again in a thread with a larger stack.

    Raises:
        RecursionError: that was not enough either.
    """
    try:
        return with_room(function, *arguments, **named)
    except RecursionError:
        if sys.getrecursionlimit() >= _FRAMES:
            raise
    return on_a_larger_stack(function, *arguments, **named)


def on_a_larger_stack(function: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
    """Call a function in a thread with a larger stack.

    Raises:
        RecursionError: there is no memory for the stack, or it was not enough.
    """
    returned: list[T] = []
    raised: list[BaseException] = []

    def run() -> None:
        try:
            returned.append(with_room(function, *arguments, **named))
        except BaseException as error:  # noqa: BLE001 - raised again in the caller's thread
            raised.append(error)

    frames, stack = sys.getrecursionlimit(), threading.stack_size(_BYTES)
    sys.setrecursionlimit(_FRAMES)
    try:
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    except RuntimeError:  # no memory for the stack
        raise RecursionError from None
    finally:
        threading.stack_size(stack)
        sys.setrecursionlimit(frames)
    if raised:
        raise raised[0]
    return returned[0]
