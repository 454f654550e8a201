"""Tensors of other frameworks: a program may have a backend of TensorFlow beside that of torch, and call its model by the same name."""

from __future__ import annotations

from looplint.domain.objects import List
from looplint.domain.values import UNKNOWN, Arguments, Atom, External, Ref, Tuple, Value
from looplint.interpreter import unfollowed
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.transfers import transfer
from looplint.knowledge.lookup import makes_other_tensors
from looplint.syntax import ir

# What a call gives is told from what is called.
_MADE = "()"
_DEPTH = 3


@transfer("other-tensor")
def _other_tensor(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """What is made of torch's own tensors may depend on them; anything else stays with its framework."""
    given = unfollowed.put_off(interp, args)
    return frozenset({External(qualname + _MADE)}) if given == UNKNOWN else given


def gets_other_tensors(args: Arguments) -> bool:
    """Whether a call gets a tensor of another framework: what is called is no module of torch there."""
    return any(_is_other(atom, _DEPTH) for value in args.values() for atom in value)


def _is_other(atom: Atom, depth: int) -> bool:
    match atom:
        case External(qualname):
            return qualname.endswith(_MADE) and makes_other_tensors(qualname.removesuffix(_MADE))
        case Tuple(items=items) if depth:
            return any(_is_other(inner, depth - 1) for item in items for inner in item)
        case Ref(obj=List() as listed) if depth:
            return any(_is_other(inner, depth - 1) for value in listed.heap.values() for inner in value)
    return False
