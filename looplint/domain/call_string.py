"""Calling contexts: what tells two activations of one function, or two turns of an unrolled loop, from each other."""

from __future__ import annotations

from collections.abc import Iterator

# What the site of a turn of an unrolled loop begins with: it is entered without a call.
TURN = "turn"


class CallString:
    """The way to an activation: a call site, in the context of the code around it (Sharir and Pnueli's call strings).

    An interpreter makes one object for each (`Interpreter.context`), so that contexts are compared and hashed by identity, however deep they are.
    `site` is what is entered there: the identity of the call's node, with a number where one site is entered several times. `number` tells which of an
    interpreter's contexts it is, in the order in which they are met: a hash that rests on it, and not on an address, is the same in every run.
    """

    __slots__ = ("number", "outer", "site")

    def __init__(self, outer: CallString | None, site: tuple[object, ...], number: int = 0) -> None:
        self.outer = outer
        self.site = site
        self.number = number

    @property
    def is_turn(self) -> bool:
        """Whether it is entered as a turn of an unrolled loop, and not as a call."""
        return bool(self.site) and self.site[0] == TURN

    def outward(self) -> Iterator[CallString]:
        """This context, the one around it, and so on to the root."""
        context: CallString | None = self
        while context is not None:
            yield context
            context = context.outer


def contexts_of(key: object) -> Iterator[CallString]:
    """The calling contexts in which the object of a key was allocated, or taken from out of sight, from the innermost on; none where that is not known."""
    match key:
        case (CallString() as context, *_) | ("symbol", ("made", CallString() as context, *_)):
            yield from context.outward()
