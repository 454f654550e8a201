"""The slots of objects: what was read holds the same as long as nothing gives it something else."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from looplint.domain.objects import Instance, List, number_anew
from looplint.domain.values import const

ONE, TWO = const(1), const(2)
SAME: dict[str, Callable[[Instance, List], object]] = {
    "nothing": lambda obj, held: None,
    "another slot": lambda obj, held: obj.heap.__setitem__("other", TWO),
    "the same value": lambda obj, held: obj.heap.__setitem__("read", ONE),
    "an object that nobody read": lambda obj, held: Instance(("new", 1)).heap.__setitem__("read", TWO),
    "changed and put back": lambda obj, held: _changed_for_a_while(obj),
}
CHANGED: dict[str, Callable[[Instance, List], object]] = {
    "another value": lambda obj, held: obj.heap.__setitem__("read", TWO),
    "a slot that was not there": lambda obj, held: obj.heap.__setitem__("absent", TWO),
    "the items of a list": lambda obj, held: setattr(held, "items", (ONE, TWO)),
}


def _changed_for_a_while(obj: Instance) -> None:
    saved = obj.heap.saved()
    obj.heap["read"] = obj.heap["absent"] = TWO
    obj.heap.put_back(saved)
    assert dict(obj.heap) == {"read": ONE}


@pytest.mark.parametrize(
    ("change", "same"),
    [*((change, True) for change in SAME.values()), *((change, False) for change in CHANGED.values())],
    ids=[*SAME, *CHANGED],
)
def test_what_was_read_is_unchanged_until_it_is_given_something_else(change: Callable[[Instance, List], object], same: bool) -> None:
    journal = number_anew()
    obj, held = Instance(("object", 1)), List(("list", 1))
    obj.heap["read"], held.items = ONE, (ONE,)
    begin = journal.now()
    journal.read = read = set()
    assert (obj.heap.get("read"), obj.heap.get("absent"), held.items) == (ONE, None, (ONE,))
    journal.read = None
    change(obj, held)
    assert journal.unchanged(read, begin, begin) is same


def test_what_is_built_meanwhile_may_be_filled_until_the_end() -> None:
    journal = number_anew()
    begin = journal.now()
    journal.read = read = set()
    obj = Instance(("object", 1))
    assert "filled" not in obj.heap
    obj.heap["filled"] = ONE
    journal.read, end = None, journal.now()
    assert journal.unchanged(read, begin, end)
    obj.heap["filled"] = TWO
    assert not journal.unchanged(read, begin, end)
