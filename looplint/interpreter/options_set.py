"""Options that the program sets in one branch alone: `if args.test: args.skip_training = True` leaves them in the other as they were given."""

from __future__ import annotations

from looplint.domain.objects import Instance, Obj, Options
from looplint.domain.values import UNKNOWN, Method, Unknown, Value, constant_of, join
from looplint.interpreter import classes
from looplint.interpreter.frames import Trace
from looplint.interpreter.interpreter import Interpreter


def keep_given(interp: Interpreter, one: Trace, other: Trace) -> None:
    """Of two branches that meet, one has set options to constants: what they were given out of sight they hold on the way through the other."""
    for branch, besides in ((one, other), (other, one)):
        for (_, name), (owner, value) in branch.writes.items():
            known = constant_of(value)
            if known is None or known.value is None or (id(owner), name) in besides.writes or owner.heap.get(name) != value:
                continue  # also where it was set before
            given = _given(interp, owner, name)
            if given is not None:
                owner.heap[name] = join(value, given)


def _given(interp: Interpreter, owner: Obj, name: str) -> Value | None:
    """What an attribute holds that the program does not set, where that is given out of sight; None for other objects."""
    match owner:
        case Options():
            return frozenset({Method(Unknown(), name)})
        case Instance(cls=None):
            return UNKNOWN
        case Instance(cls=cls) if cls is not None:
            member = classes.find_member(interp, cls, name)
            return classes.bind(interp, member, owner) if member is not None else None
    return None
