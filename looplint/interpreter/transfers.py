"""What library calls do: transfer functions, registered in `semantics` for the effects that the knowledge tables name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from looplint.interpreter.machine import Machine

if TYPE_CHECKING:
    from looplint.domain.values import Arguments, Obj, Value
    from looplint.syntax import ir

    # What calling a library's name does: given the qualified name, the arguments and the call.
    Transfer = Callable[[Machine, str, Arguments, ir.Call], Value]
    # What calling a method of an object does: given the object, the method's name, the arguments and the call.
    MethodTransfer = Callable[[Machine, Obj, str, Arguments, ir.Call], Value]
    # What calling an object does, and what is to be noted where one has been built.
    Application = Callable[[Machine, Obj, Arguments, ir.Call], Value]
    Construction = Callable[[Machine, Obj, Arguments, ir.Call], None]

F = TypeVar("F", bound=Callable[..., object])

# By effect.
CALLS: dict[str, Transfer] = {}
METHODS: dict[str, MethodTransfer] = {}
# By the kind of an object.
METHODS_OF: dict[str, MethodTransfer] = {}
APPLICATIONS: dict[str, Application] = {}
CONSTRUCTIONS: dict[str, Construction] = {}


def transfer(*effects: str) -> Callable[[Transfer], Transfer]:
    """Registers a function for calls of names with one of these effects."""
    return _registering(CALLS, effects)


def method_transfer(*effects: str) -> Callable[[MethodTransfer], MethodTransfer]:
    """Registers a function for calls of methods with one of these effects."""
    return _registering(METHODS, effects)


def methods_of(*kinds: str) -> Callable[[MethodTransfer], MethodTransfer]:
    """Registers a function for those methods of objects of some kinds that have no effect in the tables."""
    return _registering(METHODS_OF, kinds)


def application(*kinds: str) -> Callable[[Application], Application]:
    """Registers a function for calls of objects of some kinds."""
    return _registering(APPLICATIONS, kinds)


def construction(*kinds: str) -> Callable[[Construction], Construction]:
    """Registers a function for what is noted when an object of one of some kinds has been built."""
    return _registering(CONSTRUCTIONS, kinds)


def _registering(table: dict[str, F], keys: tuple[str, ...]) -> Callable[[F], F]:
    def register(function: F) -> F:
        for key in keys:
            assert key not in table, f"two transfer functions for {key}"
            table[key] = function
        return function

    return register
