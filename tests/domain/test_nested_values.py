"""Values that hold one another: what is found in them, and where they end."""

from __future__ import annotations

from looplint.domain.objects import List
from looplint.domain.tensors import tensors_in
from looplint.domain.values import UNKNOWN, Tensor, Tuple, join, ref


def test_lists_that_hold_one_another_are_opened_once() -> None:
    """Each of 300 lists holds them all: one after the other there are 300 to the fourth to open."""
    lists = [List(number) for number in range(300)]
    tensor = Tensor(scalar=True)
    inside = frozenset().union(*map(ref, lists)) | {tensor}
    for each in lists:
        each.heap["[]"] = inside
    assert set(tensors_in([inside])) == {tensor}


def test_a_list_is_found_at_its_least_depth() -> None:
    tensor = Tensor(scalar=True)
    near, far = List(1), List(2)
    far.heap["[]"] = frozenset({tensor})
    near.heap["[]"] = ref(far)
    deep = frozenset({Tuple((frozenset({Tuple((ref(near),))}),))})
    assert tensors_in([deep]) == []
    assert tensors_in([deep, ref(far)]) == [tensor]


def test_tuples_that_a_loop_puts_into_themselves_end() -> None:
    """Each of 80 tuples holds the one before it twice: two to the eightieth paths lead through the last."""
    one = two = frozenset({Tuple((UNKNOWN,))})
    for _ in range(80):
        one, two = frozenset({Tuple((one, one))}), frozenset({Tuple((two, one, two))})
    assert join(one, two) == UNKNOWN
    row = frozenset({Tuple((UNKNOWN, frozenset({Tuple((UNKNOWN,))})))})
    assert join(row, UNKNOWN) == row | UNKNOWN
