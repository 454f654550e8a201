"""What library calls do: transfer functions, registered in `semantics` for the effects that the knowledge tables name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeVar, cast

from looplint.domain.objects import AnyObj, Obj
from looplint.interpreter.interpreter import Interpreter

if TYPE_CHECKING:
    from looplint.domain.values import Arguments, Value
    from looplint.syntax import ir

    # What calling a library's name does: given the qualified name, the arguments and the call.
    Transfer = Callable[[Interpreter, str, Arguments, ir.Call], Value]
    # What calling a method of an object does: given the object, the method's name, the arguments and the call.
    MethodTransfer = Callable[[Interpreter, AnyObj, str, Arguments, ir.Call], Value]
    # What calling an object does, and what is to be noted where one has been built.
    Application = Callable[[Interpreter, AnyObj, Arguments, ir.Call], Value]
    Construction = Callable[[Interpreter, AnyObj, Arguments, ir.Call], None]

F = TypeVar("F", bound=Callable[..., object])

# By effect.
CALLS: dict[str, Transfer] = {}
METHODS: dict[str, MethodTransfer[Obj]] = {}
# By the class of an object, which is that of the function's parameter.
METHODS_OF: dict[type[Obj], MethodTransfer[Obj]] = {}
APPLICATIONS: dict[type[Obj], Application[Obj]] = {}
CONSTRUCTIONS: dict[type[Obj], Construction[Obj]] = {}


def transfer(*effects: str) -> Callable[[Transfer], Transfer]:
    """Registers a function for calls of names with one of these effects."""
    return _registering(CALLS, effects)


def method_transfer(*effects: str) -> Callable[[MethodTransfer[AnyObj]], MethodTransfer[AnyObj]]:
    """Registers a function for calls of methods with one of these effects, which the tables give to objects that it takes."""

    def register(function: MethodTransfer[AnyObj]) -> MethodTransfer[AnyObj]:
        _registering(METHODS, effects)(cast("MethodTransfer[Obj]", function))
        return function

    return register


def methods_of(*kinds: type[AnyObj]) -> Callable[[MethodTransfer[AnyObj]], MethodTransfer[AnyObj]]:
    """Registers a function for those methods of objects of some kinds that have no effect in the tables."""

    def register(function: MethodTransfer[AnyObj]) -> MethodTransfer[AnyObj]:
        _register(METHODS_OF, kinds, cast("MethodTransfer[Obj]", function))
        return function

    return register


def application(*kinds: type[AnyObj]) -> Callable[[Application[AnyObj]], Application[AnyObj]]:
    """Registers a function for calls of objects of some kinds."""

    def register(function: Application[AnyObj]) -> Application[AnyObj]:
        _register(APPLICATIONS, kinds, cast("Application[Obj]", function))
        return function

    return register


def construction(*kinds: type[AnyObj]) -> Callable[[Construction[AnyObj]], Construction[AnyObj]]:
    """Registers a function for what is noted when an object of one of some kinds has been built."""

    def register(function: Construction[AnyObj]) -> Construction[AnyObj]:
        _register(CONSTRUCTIONS, kinds, cast("Construction[Obj]", function))
        return function

    return register


def _registering(table: dict[str, F], effects: Iterable[str]) -> Callable[[F], F]:
    def register(function: F) -> F:
        for effect in effects:
            assert effect not in table, f"two transfer functions for {effect}"
            table[effect] = function
        return function

    return register


def _register(table: dict[type[Obj], F], kinds: Iterable[type[Obj]], function: F) -> None:
    for kind in kinds:
        assert kind not in table, f"two transfer functions for {kind.__name__}"
        table[kind] = function
