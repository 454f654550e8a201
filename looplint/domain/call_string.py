"""Calling contexts: what tells two activations of one function, or two turns of an unrolled loop, from each other."""

from __future__ import annotations

from collections.abc import Iterator


class CallString:
    """The way to an activation: a call site, in the context of the code around it (Sharir and Pnueli's call strings).

    An interpreter makes one object for each (`Interpreter.context`), so that contexts are compared and hashed by identity, however deep they are.
    `site` is what is entered there: the identity of the call's node, with a number where one site is entered several times.
    """

    __slots__ = ("outer", "site")

    def __init__(self, outer: CallString | None, site: tuple[object, ...]) -> None:
        self.outer = outer
        self.site = site

    def outward(self) -> Iterator[CallString]:
        """This context, the one around it, and so on to the root."""
        context: CallString | None = self
        while context is not None:
            yield context
            context = context.outer
