"""Calls at the end of a piece of memory for frames take no new piece each time."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from looplint.frames import with_room

_CALLS = 500


def leaf(*_: int) -> None:
    """What is called again and again, at every depth."""


def calls_at_every_depth(depth: int) -> None:
    for _ in range(_CALLS):
        leaf()
    if depth:
        calls_at_every_depth(depth - 1)


def pages_taken(function: Callable[[int], None]) -> int:
    import resource

    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    function(300)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


def test_arguments_results_and_errors_go_through() -> None:
    assert with_room(sorted, [2, 1], reverse=True) == [2, 1]
    with pytest.raises(ZeroDivisionError):
        with_room(lambda: 1 // 0)


@pytest.mark.skipif(
    sys.platform != "linux" or sys.version_info < (3, 11) or sys.implementation.name != "cpython", reason="frames lie elsewhere there"
)
def test_calls_at_the_end_of_a_piece_take_no_other_piece() -> None:
    assert pages_taken(lambda depth: with_room(calls_at_every_depth, depth)) < _CALLS // 5
    if sys.version_info < (3, 14):
        assert pages_taken(calls_at_every_depth) > _CALLS // 2
