"""What an object keeps for a base class that is out of sight: whatever its methods and attributes give may be computed of the tensors that its constructor got."""

from __future__ import annotations

from looplint.domain.objects import Distribution, Obj
from looplint.domain.tensors import OF_BASE, combine, guess
from looplint.domain.values import NOTHING, Arguments, Method, Ref, Unknown, Value, join
from looplint.interpreter.interpreter import Interpreter

# What is called of a distribution, and not read.
_METHODS = frozenset({"sample", "rsample", "sample_n", "log_prob", "entropy", "cdf", "icdf", "expand", "perplexity", "enumerate_support"})


def keep(interp: Interpreter, obj: Obj, args: Arguments) -> None:
    """Note what the constructor of a base out of sight gets, where that has a graph."""
    tensor = combine(interp.grad, args.values())
    if tensor is not None and tensor.graph != "no":
        interp.write(obj, OF_BASE, frozenset({guess(interp.grad, tensor)}))


def attribute(obj: Obj, name: str, value: Value) -> Value:
    """The value of an attribute that is read, and not called, where nothing in sight sets it: `normal.mean` is computed of what the distribution is made of."""
    if value != frozenset({Method(Ref(obj), name)}):
        return value
    if isinstance(obj, Distribution):
        tensor = combine(None, obj.heap.values()) if name.removeprefix("super.") not in _METHODS else None
        return frozenset({tensor}) if tensor is not None else value
    return join(value, obj.heap.get(OF_BASE, NOTHING))


def result(obj: Obj, value: Value) -> Value:
    """What a method gives that nothing in sight has: what is not known of it may be computed of what the base class has got."""
    kept = obj.heap.get(OF_BASE)
    return value if kept is None else join(frozenset(a for a in value if not isinstance(a, Unknown) or a.deps), kept)
